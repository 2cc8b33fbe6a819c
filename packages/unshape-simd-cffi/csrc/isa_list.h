/* Every instruction set: X(level, suffix, name, test). The last one that the machine has is taken. */
#if defined(__x86_64__)
#define ISA_LIST(X)                                                                                                   \
    X(0, sse2, "sse2", 1)                                                                                             \
    X(1, avx2, "avx2", __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))                               \
    X(2, avx512, "avx512",                                                                                            \
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") && \
          __builtin_cpu_supports("avx512dq"))
#elif defined(__aarch64__)
#define ISA_LIST(X) X(0, neon, "neon", 1)
#else
#define ISA_LIST(X) X(0, generic, "generic", 1)
#endif
