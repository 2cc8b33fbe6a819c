/* Copies the texels that stand at each place: crop, pad.
 *
 * source   float[..., source_floats]   the rows at hand
 * columns  int[row_floats]             the float that stands at each place of a row, -1 for 0
 * lines    int[rows]                   the row that stands at each place, -1 for zeros
 * out      float[rows, row_floats]
 * shift    how far the floats from inner_low to inner_high lie behind their place
 */
__kernel void us_copy(__global const float *restrict source, __global const int *restrict columns,
                      __global const int *restrict lines, __global float *restrict out, const int source_floats,
                      const int row_floats, const int rows, const int share, const int inner_low, const int inner_high,
                      const int shift) {
    US_ROWS(y) {
        __global float *restrict r = out + (long)y * row_floats;
        const int line_number = lines[y];
        __global const float *restrict line = source + (long)max(line_number, 0) * source_floats;
        const bool is_outside = line_number < 0;
#define US_INNER(N, T, W, LOAD, STORE, x) \
    US_UNROLL for (int k = 0; k < N; ++k) { \
        const T v = is_outside ? (T)(0.0f) : LOAD(line + (x) + shift + k * W); \
        STORE(v, r + (x) + k * W); \
    }
#define US_EDGE(x) r[x] = is_outside ? 0.0f : US_AT(line, columns[x]);
        US_ALONG(US_INNER, US_EDGE)
#undef US_INNER
#undef US_EDGE
    }
}
