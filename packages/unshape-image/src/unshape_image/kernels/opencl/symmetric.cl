/* A weighted sum whose weights are equal to both sides: w[0]*x[0], then outward + w[d]*(x[-d] + x[d]).
 *
 * us_across
 *   source   float[..., source_floats]   the rows at hand, from `first` on
 *   columns  int[row_floats + 2*radius*step]   the float that stands at each place, -1 for 0
 *   weights  float[radius + 1]
 *   out      float[rows, row_floats]
 *   shift    how far inner floats lie behind their place
 *   zero_from   the rows from here on are zero: they stand for what lies outside
 * us_down
 *   source   float[..., row_floats]
 *   lines    int[rows + 2*radius]   the row of `source` that stands at each place
 */
__kernel void us_across(__global const float *restrict source, __global const int *restrict columns,
                        __global const float *restrict weights, __global float *restrict out, const int source_floats,
                        const int row_floats, const int rows, const int share, const int inner_low,
                        const int inner_high, const int shift, const int first, const int radius, const int step,
                        const int zero_from) {
    US_ROWS(y) {
        __global float *restrict r = out + (long)y * row_floats;
        if (y >= zero_from) {
#define US_INNER(N, T, W, LOAD, STORE, x) US_UNROLL for (int k = 0; k < N; ++k) STORE((T)(0.0f), r + (x) + k * W);
#define US_EDGE(x) r[x] = 0.0f;
            US_ALONG(US_INNER, US_EDGE)
#undef US_INNER
#undef US_EDGE
            continue;
        }
        __global const float *restrict line = source + (long)(first + y) * source_floats;
        __global const float *restrict centre = line + shift + radius * step;
#define US_INNER(N, T, W, LOAD, STORE, x) \
    T a[N]; \
    US_UNROLL for (int k = 0; k < N; ++k) a[k] = LOAD(centre + (x) + k * W) * weights[0]; \
    for (int d = 1; d <= radius; ++d) { \
        const float w = weights[d]; \
        __global const float *restrict before = centre + (x) - d * step; \
        __global const float *restrict after = centre + (x) + d * step; \
        US_UNROLL for (int k = 0; k < N; ++k) { \
            const T pair = LOAD(before + k * W) + LOAD(after + k * W); \
            const T product = pair * w; \
            a[k] = a[k] + product; \
        } \
    } \
    US_UNROLL for (int k = 0; k < N; ++k) STORE(a[k], r + (x) + k * W);
#define US_EDGE(x) \
    __global const int *restrict place = columns + (x) + radius * step; \
    float a = US_AT(line, place[0]) * weights[0]; \
    for (int d = 1; d <= radius; ++d) { \
        const float pair = US_AT(line, place[-d * step]) + US_AT(line, place[d * step]); \
        const float product = pair * weights[d]; \
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
                      const int rows, const int share, const int radius) {
    const int inner_low = 0, inner_high = row_floats;
    US_ROWS(y) {
        __global float *restrict r = out + (long)y * row_floats;
        __global const int *restrict place = lines + y + radius;
#define US_INNER(N, T, W, LOAD, STORE, x) \
    const int us_x = (x); \
    T a[N]; \
    __global const float *restrict middle = source + (long)place[0] * row_floats + us_x; \
    US_UNROLL for (int k = 0; k < N; ++k) a[k] = LOAD(middle + k * W) * weights[0]; \
    for (int d = 1; d <= radius; ++d) { \
        const float w = weights[d]; \
        __global const float *restrict before = source + (long)place[-d] * row_floats + us_x; \
        __global const float *restrict after = source + (long)place[d] * row_floats + us_x; \
        US_UNROLL for (int k = 0; k < N; ++k) { \
            const T pair = LOAD(before + k * W) + LOAD(after + k * W); \
            const T product = pair * w; \
            a[k] = a[k] + product; \
        } \
    } \
    US_UNROLL for (int k = 0; k < N; ++k) STORE(a[k], r + us_x + k * W);
#define US_EDGE(x)
        US_ALONG(US_INNER, US_EDGE)
#undef US_INNER
#undef US_EDGE
    }
}
