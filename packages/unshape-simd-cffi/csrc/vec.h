/* The vector vocabulary: the only file that knows instruction sets.
 *
 * Included once for each instruction set, inside its target region (foreach_isa.h), with ISA_LEVEL defined:
 * 0 baseline (SSE2, NEON or plain vector extensions, 4 lanes), 1 AVX2 (8 lanes), 2 AVX-512 (16 lanes).
 *
 * Types: vf float32[W], vi int32[W], vu uint32[W]; comparisons give vi masks, all bits of a lane set where true.
 * Arithmetic is written with the operators of the GCC/Clang vector extensions: one operation, one rounding. Files are
 * compiled with -ffp-contract=off, so the bits of a lane do not depend on W.
 */
#define W (4 << ISA_LEVEL)
#define AI static inline __attribute__((always_inline, unused))

#define vf NAME(vf)
#define vi NAME(vi)
#define vu NAME(vu)
#define vf_mem NAME(vf_mem)
#define vi_mem NAME(vi_mem)
typedef float vf __attribute__((vector_size(4 * W)));
typedef int32_t vi __attribute__((vector_size(4 * W)));
typedef uint32_t vu __attribute__((vector_size(4 * W)));
typedef float vf_mem __attribute__((vector_size(4 * W), aligned(4), may_alias));
typedef int32_t vi_mem __attribute__((vector_size(4 * W), aligned(4), may_alias));

#define ld NAME(ld)
#define ldi NAME(ldi)
#define st NAME(st)
#define sti NAME(sti)
#define splat NAME(splat)
#define splati NAME(splati)
AI vf ld(const void *p) { return *(const vf_mem *)p; }
AI vi ldi(const void *p) { return *(const vi_mem *)p; }
AI void st(void *p, vf v) { *(vf_mem *)p = v; }
AI void sti(void *p, vi v) { *(vi_mem *)p = v; }
/* Store past the caches, to an address that is a multiple of the vector's size. */
#define stream NAME(stream)
#if ISA_LEVEL == 2
AI void stream(void *p, vf v) { _mm512_stream_ps(p, (__m512)v); }
#elif ISA_LEVEL == 1
AI void stream(void *p, vf v) { _mm256_stream_ps(p, (__m256)v); }
#elif defined(__SSE2__)
AI void stream(void *p, vf v) { _mm_stream_ps(p, (__m128)v); }
#else
AI void stream(void *p, vf v) { st(p, v); }
#endif
#if ISA_LEVEL == 2
AI vf splat(float x) { return (vf)_mm512_set1_ps(x); }
AI vi splati(int32_t x) { return (vi)_mm512_set1_epi32(x); }
#elif ISA_LEVEL == 1
AI vf splat(float x) { return (vf)_mm256_set1_ps(x); }
AI vi splati(int32_t x) { return (vi)_mm256_set1_epi32(x); }
#elif defined(__SSE2__)
AI vf splat(float x) { return (vf)_mm_set1_ps(x); }
AI vi splati(int32_t x) { return (vi)_mm_set1_epi32(x); }
#elif defined(__aarch64__)
AI vf splat(float x) { return (vf)vdupq_n_f32(x); }
AI vi splati(int32_t x) { return (vi)vdupq_n_s32(x); }
#else
AI vf splat(float x) { return (vf){x, x, x, x}; }
AI vi splati(int32_t x) { return (vi){x, x, x, x}; }
#endif
#define splatu(x) ((vu)splati((int32_t)(x)))

/* m ? a : b, lane by lane, of whole masks */
#define seli NAME(seli)
#define self NAME(self)
#if ISA_LEVEL == 1 && defined(__x86_64__)
AI vi seli(vi m, vi a, vi b) { return (vi)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)m); }
AI vf self(vi m, vf a, vf b) { return (vf)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)m); }
#else
AI vi seli(vi m, vi a, vi b) { return (m & a) | (~m & b); }
AI vf self(vi m, vf a, vf b) { return (vf)seli(m, (vi)a, (vi)b); }
#endif

/* a < b ? a : b and a > b ? a : b, but a if a is NaN */
#define vmin NAME(vmin)
#define vmax NAME(vmax)
#if ISA_LEVEL == 2
AI vf vmin(vf a, vf b) {
    __m512 x = (__m512)a;
    return (vf)_mm512_mask_mov_ps(_mm512_min_ps(x, (__m512)b), _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), x);
}
AI vf vmax(vf a, vf b) {
    __m512 x = (__m512)a;
    return (vf)_mm512_mask_mov_ps(_mm512_max_ps(x, (__m512)b), _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), x);
}
#elif ISA_LEVEL == 1
AI vf vmin(vf a, vf b) { return self((vi)(a != a), a, (vf)_mm256_min_ps((__m256)a, (__m256)b)); }
AI vf vmax(vf a, vf b) { return self((vi)(a != a), a, (vf)_mm256_max_ps((__m256)a, (__m256)b)); }
#else
AI vf vmin(vf a, vf b) { return self((vi)((a < b) | (a != a)), a, b); }
AI vf vmax(vf a, vf b) { return self((vi)((a > b) | (a != a)), a, b); }
#endif

/* a < b ? a : b and a > b ? a : b, of which neither is NaN */
#define least NAME(least)
#define greatest NAME(greatest)
#if ISA_LEVEL == 2
AI vf least(vf a, vf b) { return (vf)_mm512_min_ps((__m512)a, (__m512)b); }
AI vf greatest(vf a, vf b) { return (vf)_mm512_max_ps((__m512)a, (__m512)b); }
#elif ISA_LEVEL == 1
AI vf least(vf a, vf b) { return (vf)_mm256_min_ps((__m256)a, (__m256)b); }
AI vf greatest(vf a, vf b) { return (vf)_mm256_max_ps((__m256)a, (__m256)b); }
#elif defined(__SSE2__)
AI vf least(vf a, vf b) { return (vf)_mm_min_ps((__m128)a, (__m128)b); }
AI vf greatest(vf a, vf b) { return (vf)_mm_max_ps((__m128)a, (__m128)b); }
#else
AI vf least(vf a, vf b) { return self((vi)(a < b), a, b); }
AI vf greatest(vf a, vf b) { return self((vi)(a > b), a, b); }
#endif

/* Rounding to whole numbers; -0 and NaN stay. */
#define vfloor NAME(vfloor)
#define vceil NAME(vceil)
#define vtrunc NAME(vtrunc)
#define vround NAME(vround)
#define vsqrt NAME(vsqrt)
#if ISA_LEVEL == 2
AI vf vfloor(vf a) { return (vf)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC); }
AI vf vceil(vf a) { return (vf)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC); }
AI vf vtrunc(vf a) { return (vf)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
AI vf vround(vf a) { return (vf)_mm512_roundscale_ps((__m512)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
AI vf vsqrt(vf a) { return (vf)_mm512_sqrt_ps((__m512)a); }
#elif ISA_LEVEL == 1
AI vf vfloor(vf a) { return (vf)_mm256_floor_ps((__m256)a); }
AI vf vceil(vf a) { return (vf)_mm256_ceil_ps((__m256)a); }
AI vf vtrunc(vf a) { return (vf)_mm256_round_ps((__m256)a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC); }
AI vf vround(vf a) { return (vf)_mm256_round_ps((__m256)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
AI vf vsqrt(vf a) { return (vf)_mm256_sqrt_ps((__m256)a); }
#elif defined(__aarch64__)
AI vf vfloor(vf a) { return (vf)vrndmq_f32((float32x4_t)a); }
AI vf vceil(vf a) { return (vf)vrndpq_f32((float32x4_t)a); }
AI vf vtrunc(vf a) { return (vf)vrndq_f32((float32x4_t)a); }
AI vf vround(vf a) { return (vf)vrndnq_f32((float32x4_t)a); }
AI vf vsqrt(vf a) { return (vf)vsqrtq_f32((float32x4_t)a); }
#else
/* SSE2 has no rounding instruction: below 2**23 an addition and subtraction of 2**23 rounds to nearest even. */
AI vf vround(vf a) {
    vi sign = (vi)a & splati(INT32_MIN);
    vf magnitude = (vf)((vi)a & splati(INT32_MAX));
    vf big = splat(8388608.0f);
    vf rounded = (vf)((vi)((magnitude + big) - big) | sign);
    return self((vi)(magnitude < big), rounded, a);
}
AI vf vfloor(vf a) {
    vf r = vround(a);
    return (vf)((vi)(r - (vf)((vi)(r > a) & (vi)splat(1.0f))) | ((vi)a & splati(INT32_MIN) & (vi)(r == splat(0.0f))));
}
AI vf vceil(vf a) {
    vf r = vround(a);
    return (vf)((vi)(r + (vf)((vi)(r < a) & (vi)splat(1.0f))) | ((vi)a & splati(INT32_MIN)));
}
AI vf vtrunc(vf a) {
    vi sign = (vi)a & splati(INT32_MIN);
    return (vf)((vi)vfloor((vf)((vi)a & splati(INT32_MAX))) | sign);
}
#if defined(__SSE2__)
AI vf vsqrt(vf a) { return (vf)_mm_sqrt_ps((__m128)a); }
#else
AI vf vsqrt(vf a) { vf r; for (int i = 0; i < W; i++) r[i] = __builtin_sqrtf(a[i]); return r; }
#endif
#endif

/* Conversions. Float to integer: toward zero, saturating, NaN gives 0. */
#define to_f_i NAME(to_f_i)
#define to_f_u NAME(to_f_u)
#define to_i_f NAME(to_i_f)
#define to_u_f NAME(to_u_f)
AI vf to_f_i(vi a) { return __builtin_convertvector(a, vf); }
#if ISA_LEVEL == 2
AI vf to_f_u(vu a) { return (vf)_mm512_cvtepu32_ps((__m512i)a); }
#else
/* high half times 65536 and low half are exact: the sum is the only rounding */
AI vf to_f_u(vu a) { return to_f_i((vi)(a >> 16)) * splat(65536.0f) + to_f_i((vi)(a & splatu(0xffff))); }
#endif
/* |a| < 2**31 or any lane: the result of the instruction, or anything for others */
#define cvtt NAME(cvtt)
#if ISA_LEVEL == 2
AI vi cvtt(vf a) { return (vi)_mm512_cvttps_epi32((__m512)a); }
#elif ISA_LEVEL == 1
AI vi cvtt(vf a) { return (vi)_mm256_cvttps_epi32((__m256)a); }
#elif defined(__SSE2__)
AI vi cvtt(vf a) { return (vi)_mm_cvttps_epi32((__m128)a); }
#elif defined(__aarch64__)
AI vi cvtt(vf a) { return (vi)vcvtq_s32_f32((float32x4_t)a); }
#else
AI vi cvtt(vf a) {
    vi ok = (vi)((a < splat(2147483648.0f)) & (a >= splat(-2147483648.0f)));
    return __builtin_convertvector((vf)((vi)a & ok), vi);
}
#endif
AI vi to_i_f(vf a) {
    vi high = (vi)(a >= splat(2147483648.0f));
    vi low = (vi)(a < splat(-2147483648.0f));
    vi r = cvtt(a) & (vi)(a == a);
    return seli(high, splati(INT32_MAX), seli(low, splati(INT32_MIN), r));
}
AI vu to_u_f(vf a) {
    vi upper = (vi)(a >= splat(2147483648.0f));
    vi high = (vi)(a >= splat(4294967296.0f));
    vi r = cvtt(self(upper, a - splat(2147483648.0f), a)) ^ (upper & splati(INT32_MIN));
    r = r & (vi)(a > splat(0.0f));
    return (vu)(r | high);
}

#include "division.h"

#define vabs NAME(vabs)
#define absi NAME(absi)
#define mini NAME(mini)
#define maxi NAME(maxi)
#define minu NAME(minu)
#define maxu NAME(maxu)
AI vf vabs(vf a) { return (vf)((vi)a & splati(INT32_MAX)); }
AI vi absi(vi a) { vi s = a >> 31; return (vi)((vu)(a ^ s) - (vu)s); }
#if ISA_LEVEL == 2
AI vi mini(vi a, vi b) { return (vi)_mm512_min_epi32((__m512i)a, (__m512i)b); }
AI vi maxi(vi a, vi b) { return (vi)_mm512_max_epi32((__m512i)a, (__m512i)b); }
AI vu minu(vu a, vu b) { return (vu)_mm512_min_epu32((__m512i)a, (__m512i)b); }
AI vu maxu(vu a, vu b) { return (vu)_mm512_max_epu32((__m512i)a, (__m512i)b); }
#elif ISA_LEVEL == 1
AI vi mini(vi a, vi b) { return (vi)_mm256_min_epi32((__m256i)a, (__m256i)b); }
AI vi maxi(vi a, vi b) { return (vi)_mm256_max_epi32((__m256i)a, (__m256i)b); }
AI vu minu(vu a, vu b) { return (vu)_mm256_min_epu32((__m256i)a, (__m256i)b); }
AI vu maxu(vu a, vu b) { return (vu)_mm256_max_epu32((__m256i)a, (__m256i)b); }
#else
AI vi mini(vi a, vi b) { return seli((vi)(a < b), a, b); }
AI vi maxi(vi a, vi b) { return seli((vi)(a > b), a, b); }
AI vu minu(vu a, vu b) { return (vu)seli((vi)(a < b), (vi)a, (vi)b); }
AI vu maxu(vu a, vu b) { return (vu)seli((vi)(a > b), (vi)a, (vi)b); }
#endif

/* 0, 1, 2 ... */
#define iota NAME(iota)
AI vi iota(void) { vi v; for (int i = 0; i < W; i++) v[i] = i; return v; }

/* table[index], lane by lane, of the lowest bits of the index. */
#define look_up NAME(look_up)
#if ISA_LEVEL == 2
AI vf look_up(vf table, vi index) { return (vf)_mm512_permutexvar_ps((__m512i)index, (__m512)table); }
#elif ISA_LEVEL == 1
AI vf look_up(vf table, vi index) { return (vf)_mm256_permutevar8x32_ps((__m256)table, (__m256i)index); }
#else
AI vf look_up(vf table, vi index) {
    float entries[W];
    st(entries, table);
    vf r;
    for (int i = 0; i < W; i++) r[i] = entries[index[i] & (W - 1)];
    return r;
}
#endif

/* The even and the odd lanes of two vectors that follow each other. */
#define evens NAME(evens)
#define odds NAME(odds)
#if ISA_LEVEL == 2
AI vf evens(vf a, vf b) {
    const __m512i lanes = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return (vf)_mm512_permutex2var_ps((__m512)a, lanes, (__m512)b);
}
AI vf odds(vf a, vf b) {
    const __m512i lanes = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return (vf)_mm512_permutex2var_ps((__m512)a, lanes, (__m512)b);
}
#elif ISA_LEVEL == 1
AI vf evens(vf a, vf b) {
    return (vf)_mm256_permute4x64_pd((__m256d)_mm256_shuffle_ps((__m256)a, (__m256)b, 0x88), 0xD8);
}
AI vf odds(vf a, vf b) {
    return (vf)_mm256_permute4x64_pd((__m256d)_mm256_shuffle_ps((__m256)a, (__m256)b, 0xDD), 0xD8);
}
#elif defined(__SSE2__)
AI vf evens(vf a, vf b) { return (vf)_mm_shuffle_ps((__m128)a, (__m128)b, 0x88); }
AI vf odds(vf a, vf b) { return (vf)_mm_shuffle_ps((__m128)a, (__m128)b, 0xDD); }
#else
AI vf evens(vf a, vf b) { return (vf){a[0], a[2], b[0], b[2]}; }
AI vf odds(vf a, vf b) { return (vf){a[1], a[3], b[1], b[3]}; }
#endif

/* Of the pixels of four floats of two vectors that follow each other: the even ones, the odd ones, all from the second on. */
#define next_pixels NAME(next_pixels)
#define even_pixels NAME(even_pixels)
#define odd_pixels NAME(odd_pixels)
#if ISA_LEVEL == 2
AI vf even_pixels(vf a, vf b) { return (vf)_mm512_shuffle_f32x4((__m512)a, (__m512)b, 0x88); }
AI vf odd_pixels(vf a, vf b) { return (vf)_mm512_shuffle_f32x4((__m512)a, (__m512)b, 0xDD); }
AI vf next_pixels(vf a, vf b) { return (vf)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 4); }
#elif ISA_LEVEL == 1
AI vf even_pixels(vf a, vf b) { return (vf)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x20); }
AI vf odd_pixels(vf a, vf b) { return (vf)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x31); }
AI vf next_pixels(vf a, vf b) { return (vf)_mm256_permute2f128_ps((__m256)a, (__m256)b, 0x21); }
#else
AI vf even_pixels(vf a, vf b) { (void)b; return a; }
AI vf odd_pixels(vf a, vf b) { (void)a; return b; }
AI vf next_pixels(vf a, vf b) { (void)a; return b; }
#endif

/* Pixels of four channels, each mixed from two by two texels, down the rows, then across: as many as a vector holds.
 * `texels`: floats before the upper left one, which its right neighbour follows; the lower two lie `below` floats later. */
#define f4 NAME(f4)
#define mix_texels NAME(mix_texels)
typedef float f4 __attribute__((vector_size(16), aligned(4), may_alias));
#if ISA_LEVEL == 2
#define mix_pair NAME(mix_pair)
AI __m256 mix_pair(const float *texels, long below, float weight) {
    const __m256 a = _mm256_loadu_ps(texels);
    return a + _mm256_set1_ps(weight) * (_mm256_loadu_ps(texels + below) - a);
}
AI vf mix_texels(const float *data, const int32_t *texels, long below, const float *down, const float *across) {
    __m256 pairs[4]; /* half as wide, of which two are done at once, and there is nothing to put together before */
    for (int k = 0; k < 4; k++) pairs[k] = mix_pair(data + texels[k], below, down[k]);
    const vf m01 = (vf)_mm512_insertf32x8(_mm512_castps256_ps512(pairs[0]), pairs[1], 1);
    const vf m23 = (vf)_mm512_insertf32x8(_mm512_castps256_ps512(pairs[2]), pairs[3], 1);
    const vf left = even_pixels(m01, m23), right = odd_pixels(m01, m23);
    const __m512i each = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return left + (vf)_mm512_permutexvar_ps(each, _mm512_castps128_ps512(_mm_loadu_ps(across))) * (right - left);
}
#elif ISA_LEVEL == 1
AI vf mix_texels(const float *data, const int32_t *texels, long below, const float *down, const float *across) {
    const float *t0 = data + texels[0], *t1 = data + texels[1];
    const vf a0 = ld(t0), a1 = ld(t1);
    const vf m0 = a0 + splat(down[0]) * (ld(t0 + below) - a0), m1 = a1 + splat(down[1]) * (ld(t1 + below) - a1);
    const vf left = even_pixels(m0, m1), right = odd_pixels(m0, m1);
    const __m256 each = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_set1_ps(across[0])), _mm_set1_ps(across[1]), 1);
    return left + (vf)each * (right - left);
}
#else
AI vf mix_texels(const float *data, const int32_t *texels, long below, const float *down, const float *across) {
    const float *texel = data + *texels;
    const vf a = ld(texel), b = ld(texel + 4), y = splat(*down);
    const vf left = a + y * (ld(texel + below) - a), right = b + y * (ld(texel + below + 4) - b);
    return left + splat(*across) * (right - left);
}
#endif

/* The value as it was rounded: what follows is not contracted with it, also where contraction is on. */
#define rounded NAME(rounded)
#if defined(__x86_64__)
AI vf rounded(vf a) { __asm__("" : "+v"(a)); return a; }
#elif defined(__aarch64__)
AI vf rounded(vf a) { __asm__("" : "+w"(a)); return a; }
#else
AI vf rounded(vf a) { volatile vf b = a; return b; }
#endif

/* a + b, and the same by the units that multiply, where there are such: `one` is 1 as rounded() gives it. Sums that use both
 * in turn keep all units busy; with fewer registers the one that 1 takes costs more. */
#define add_by_one NAME(add_by_one)
#if ISA_LEVEL == 2
AI vf add_by_one(vf a, vf one, vf b) { return (vf)_mm512_fmadd_ps((__m512)a, (__m512)one, (__m512)b); }
#else
AI vf add_by_one(vf a, vf one, vf b) { (void)one; return a + b; }
#endif

/* A bit for each lane of a mask. */
#define bits_of NAME(bits_of)
#if ISA_LEVEL == 2
AI unsigned bits_of(vi m) { return _mm512_movepi32_mask((__m512i)m); }
#elif ISA_LEVEL == 1
AI unsigned bits_of(vi m) { return (unsigned)_mm256_movemask_ps((__m256)m); }
#elif defined(__SSE2__)
AI unsigned bits_of(vi m) { return (unsigned)_mm_movemask_ps((__m128)m); }
#else
AI unsigned bits_of(vi m) { unsigned r = 0; for (int i = 0; i < W; i++) r |= (unsigned)(m[i] < 0) << i; return r; }
#endif

/* Whether any lane of a mask is set. */
#define any NAME(any)
#if ISA_LEVEL == 2
AI int any(vi m) { return _mm512_test_epi32_mask((__m512i)m, (__m512i)m) != 0; }
#elif ISA_LEVEL == 1
AI int any(vi m) { return _mm256_movemask_ps((__m256)m) != 0; }
#elif defined(__SSE2__)
AI int any(vi m) { return _mm_movemask_ps((__m128)m) != 0; }
#elif defined(__aarch64__)
AI int any(vi m) { return vmaxvq_u32((uint32x4_t)m) != 0; }
#else
AI int any(vi m) { int32_t r = 0; for (int i = 0; i < W; i++) r |= m[i]; return r != 0; }
#endif
#include "vec_pixels.h"
