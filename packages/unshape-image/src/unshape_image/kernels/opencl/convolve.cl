/* A weighted sum over a small rectangle: the product of the upper left tap, then + the other products, row by row.
 *
 * source   float[..., source_floats]   the rows at hand
 * columns  int[row_floats + (kernel_width - 1)*step]   the float that stands at each place, -1 for 0
 * lines    int[rows + kernel_height - 1]   the row that stands at each place, -1 for zeros
 * weights  float[kernel_height, kernel_width]
 * out      float[rows, row_floats]
 * shift    how far inner floats lie behind their place
 */
__kernel void us_convolve(__global const float *restrict source, __global const int *restrict columns,
                          __global const int *restrict lines, __global const float *restrict weights,
                          __global float *restrict out, const int source_floats, const int row_floats, const int rows,
                          const int share, const int inner_low, const int inner_high, const int shift,
                          const int kernel_width, const int kernel_height, const int step) {
    US_ROWS(y) {
        __global float *restrict r = out + (long)y * row_floats;
#define US_INNER(N, T, W, LOAD, STORE, x) \
    T a[N]; \
    for (int i = 0; i < kernel_height; ++i) { \
        const int n = lines[y + i]; \
        __global const float *restrict q = source + (long)max(n, 0) * source_floats + (x) + shift; \
        __global const float *restrict w = weights + i * kernel_width; \
        for (int j = 0; j < kernel_width; ++j) { \
            US_UNROLL for (int k = 0; k < N; ++k) { \
                const T v = n < 0 ? (T)(0.0f) : LOAD(q + j * step + k * W); \
                const T product = v * w[j]; \
                a[k] = i + j == 0 ? product : a[k] + product; \
            } \
        } \
    } \
    US_UNROLL for (int k = 0; k < N; ++k) STORE(a[k], r + (x) + k * W);
#define US_EDGE(x) \
    float a = 0.0f; \
    for (int i = 0; i < kernel_height; ++i) { \
        const int n = lines[y + i]; \
        __global const float *restrict line = source + (long)max(n, 0) * source_floats; \
        for (int j = 0; j < kernel_width; ++j) { \
            const int place = n < 0 ? -1 : columns[(x) + j * step]; \
            const float product = US_AT(line, place) * weights[i * kernel_width + j]; \
            a = i + j == 0 ? product : a + product; \
        } \
    } \
    r[x] = a;
        US_ALONG(US_INNER, US_EDGE)
#undef US_INNER
#undef US_EDGE
    }
}
