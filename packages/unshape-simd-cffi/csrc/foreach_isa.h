/* Includes ISA_FILE once for each instruction set, each time inside its target region.
 *
 * Define ISA_FILE (a quoted file name) before including this. Headers with intrinsics are included first, outside of
 * all regions. No include guard: that is the point.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define NAME(x) PASTE(x, ISA_SUFFIX)

#define ISA_LEVEL 0
#if defined(__x86_64__)
#define ISA_SUFFIX sse2
#elif defined(__aarch64__)
#define ISA_SUFFIX neon
#else
#define ISA_SUFFIX generic
#endif
#include ISA_FILE
#undef ISA_LEVEL
#undef ISA_SUFFIX

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define ISA_LEVEL 1
#define ISA_SUFFIX avx2
#include ISA_FILE
#undef ISA_LEVEL
#undef ISA_SUFFIX
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#if defined(__clang__)
#pragma clang attribute push(                                                                                        \
    __attribute__((target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")
#endif
#define ISA_LEVEL 2
#define ISA_SUFFIX avx512
#include ISA_FILE
#undef ISA_LEVEL
#undef ISA_SUFFIX
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
#undef ISA_FILE
