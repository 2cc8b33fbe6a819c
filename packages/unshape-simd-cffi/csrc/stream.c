/* See stream.h. */
#include "stream.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_once_t is_known = PTHREAD_ONCE_INIT;
static size_t cache_bytes = (size_t)32 << 20;

/* What the kernel says is the part of the last cache that this processor shares; the C library counts those of the
 * whole package as one, which a virtual machine does not have. */
static void find_cache(void) {
    long kibibytes = 0;
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r");
    if (file) {
        if (fscanf(file, "%ldK", &kibibytes) != 1) kibibytes = 0;
        fclose(file);
    }
    if (kibibytes > 0) {
        cache_bytes = (size_t)kibibytes << 10;
        return;
    }
#if defined(_SC_LEVEL3_CACHE_SIZE)
    const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (bytes > 0) cache_bytes = (size_t)bytes;
#endif
}

int us_streams(size_t bytes) {
    pthread_once(&is_known, find_cache);
    return bytes >= cache_bytes / 2;
}
