/* See stream.h. */
#include "stream.h"
#include <unistd.h>

int us_streams(size_t bytes) {
    long cache = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
    cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return bytes > (cache > 0 ? (size_t)cache : (size_t)32 << 20);
}
