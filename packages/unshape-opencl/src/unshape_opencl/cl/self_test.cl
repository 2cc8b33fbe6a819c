/* One value of each operation that compilers like to change; compared with the host bit for bit. */
__kernel void us_self_test(__global const float *restrict a, __global const float *restrict b, __global float *restrict r,
                           const uint n) {
    for (uint i = (uint)get_global_id(0) * US_LANES; i < n; i += (uint)get_global_size(0) * US_LANES) {
#if US_LANES == 1
        const F32 x = a[i], y = b[i];
#define US_KEEP(k, v) r[(k) * n + i] = (v);
#else
        const F32 x = US_JOIN(vload, US_LANES)(0, a + i), y = US_JOIN(vload, US_LANES)(0, b + i);
#define US_KEEP(k, v) US_JOIN(vstore, US_LANES)((v), 0, r + (k) * n + i);
#endif
        US_KEEP(0, x * y + x)
        US_KEEP(1, x * x - y)
        US_KEEP(2, x / y)
        US_KEEP(3, sqrt(fabs(x)))
        US_KEEP(4, floor(x) + rint(y))
        US_KEEP(5, us_min_f(x, y))
        US_KEEP(6, us_max_f(x, y))
        US_KEEP(7, US_TO_F32(us_to_i(x)))
        US_KEEP(8, US_TO_F32(us_to_u(y)))
        US_KEEP(9, us_mod_f(x, y))
        US_KEEP(10, x * US_F(0.5f))
    }
}
