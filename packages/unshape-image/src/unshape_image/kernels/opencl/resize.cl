/* Weighted sums by a table of taps: the product of the first tap, then + the others in their order.
 *
 * us_across
 *   source   float[..., source_floats]   the rows at hand, from `first` on
 *   columns  int[taps, row_floats]       the float of each tap
 *   weights  float[taps, row_floats]
 *   out      float[rows, row_floats]
 * us_down
 *   source   float[..., row_floats]
 *   lines    int[taps, rows]   the row of each tap
 *   weights  float[taps, rows]
 */
__kernel void us_across(__global const float *restrict source, __global const int *restrict columns,
                        __global const float *restrict weights, __global float *restrict out, const int source_floats,
                        const int row_floats, const int rows, const int share, const int first, const int taps) {
    const int inner_low = 0, inner_high = 0;
    US_ROWS(y) {
        __global float *restrict r = out + (long)y * row_floats;
        __global const float *restrict line = source + (long)(first + y) * source_floats;
#define US_INNER(N, T, W, LOAD, STORE, x)
#define US_EDGE(x) \
    float a = line[columns[x]] * weights[x]; \
    for (int t = 1; t < taps; ++t) { \
        const float product = line[columns[t * row_floats + x]] * weights[t * row_floats + x]; \
        a = a + product; \
    } \
    r[x] = a;
        US_ALONG(US_INNER, US_EDGE)
#undef US_INNER
#undef US_EDGE
    }
}

__kernel void us_down(__global const float *restrict source, __global const int *restrict lines,
                      __global const float *restrict weights, __global float *restrict out, const int row_floats,
                      const int rows, const int share, const int taps) {
    const int inner_low = 0, inner_high = row_floats;
    US_ROWS(y) {
        __global float *restrict r = out + (long)y * row_floats;
#define US_INNER(N, T, W, LOAD, STORE, x) \
    T a[N]; \
    for (int t = 0; t < taps; ++t) { \
        const float w = weights[t * rows + y]; \
        __global const float *restrict q = source + (long)lines[t * rows + y] * row_floats + (x); \
        US_UNROLL for (int k = 0; k < N; ++k) { \
            const T product = LOAD(q + k * W) * w; \
            a[k] = t == 0 ? product : a[k] + product; \
        } \
    } \
    US_UNROLL for (int k = 0; k < N; ++k) STORE(a[k], r + (x) + k * W);
#define US_EDGE(x)
        US_ALONG(US_INNER, US_EDGE)
#undef US_INNER
#undef US_EDGE
    }
}
