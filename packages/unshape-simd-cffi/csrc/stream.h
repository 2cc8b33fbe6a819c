/* Stores past the caches: for results that are larger than the last of them, which would only throw out other things. */
#ifndef US_STREAM_H
#define US_STREAM_H
#include <stddef.h>
#include <stdint.h>
#if defined(__x86_64__)
#include <immintrin.h>
#define us_stream_end() _mm_sfence()
#else
#define us_stream_end() ((void)0)
#endif

/* Whether a result of so many bytes is to be streamed: it and as much that it is made of fill the last cache. */
int us_streams(size_t bytes);

/* Whether whole vectors of rows of so many floats lie at multiples of 64 bytes. */
static inline int us_is_aligned(const void *data, int64_t row_floats) {
    return (uintptr_t)data % 64 == 0 && row_floats % 16 == 0;
}
#endif
