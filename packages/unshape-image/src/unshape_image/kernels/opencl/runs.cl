/* How filters go through the floats of a row, channels interleaved.
 *
 * US_ROWS(y) { ... }   every row of the output
 * US_ALONG(INNER, EDGE)   every float of a row: INNER(N, T, W, LOAD, STORE, x) computes N vectors T of W floats from x,
 *   all of whose neighbours lie side by side; EDGE(x) computes one float whose neighbours are found by a table.
 *
 * On a CPU a work-item computes `share` rows with vectors; on a GPU a work-item computes one float, in groups of
 * US_GROUP along a row.
 */
#define US_ONE(q) (*(q))
#define US_PUT(v, q) (*(q) = (v))
#ifdef __clang__
/* PoCL's vload16 becomes eight loads of two floats where pointers overlap; this is one load that need not be aligned. */
typedef float us_float16 __attribute__((ext_vector_type(16), aligned(4)));
#define US_LOAD16(q) (*(__global const us_float16 *)(q))
#define US_PUT16(v, q) (*(__global us_float16 *)(q) = (v))
#else
#define US_LOAD16(q) vload16(0, q)
#define US_PUT16(v, q) vstore16(v, 0, q)
#endif

#ifdef US_CPU
#define US_ROWS(y) \
    for (int y = (int)get_global_id(0) * share, us_stop = min(y + share, rows); y < us_stop; ++y)
#define US_ALONG(INNER, EDGE) \
    { \
        int x = 0; \
        const int us_low = min(inner_low, row_floats), us_high = min(inner_high, row_floats); \
        for (; x < us_low; ++x) { EDGE(x) } \
        for (; x + 64 <= us_high; x += 64) { INNER(4, float16, 16, US_LOAD16, US_PUT16, x) } \
        for (; x + 16 <= us_high; x += 16) { INNER(1, float16, 16, US_LOAD16, US_PUT16, x) } \
        for (; x < us_high; ++x) { INNER(1, float, 1, US_ONE, US_PUT, x) } \
        for (; x < row_floats; ++x) { EDGE(x) } \
    }
#else
#define US_ROWS(y) for (int y = (int)get_global_id(1); y < rows; y += (int)get_global_size(1))
#define US_ALONG(INNER, EDGE) \
    { \
        const int x = (int)get_global_id(0); \
        if (x >= row_floats) { \
        } else if (x >= inner_low && x < inner_high) { \
            INNER(1, float, 1, US_ONE, US_PUT, x) \
        } else { \
            EDGE(x) \
        } \
    }
#endif

#define US_UNROLL _Pragma("unroll")

/* A float of a row by its place in the table of columns; places outside of the picture hold 0. */
#define US_AT(line, place) ((place) < 0 ? 0.0f : (line)[place])
