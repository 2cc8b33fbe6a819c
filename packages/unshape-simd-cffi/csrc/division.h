/* Integer division of vec.h: floor; by zero 0; the most negative by -1 itself. */
#define divi NAME(divi)
#define modi NAME(modi)
#define divu NAME(divu)
#define modu NAME(modu)
AI int32_t NAME(floor_div)(int32_t a, int32_t b) {
    if (b == 0) return 0;
    if (b == -1) return (int32_t)(0u - (uint32_t)a);
    int32_t q = a / b, r = a % b;
    return q - ((r != 0) & ((r ^ b) < 0));
}
AI int32_t NAME(floor_mod)(int32_t a, int32_t b) {
    if (b == 0 || b == -1) return 0;
    int32_t r = a % b;
    return r + (((r != 0) & ((r ^ b) < 0)) ? b : 0);
}

AI vi divi(vi a, vi b) { vi r; for (int i = 0; i < W; i++) r[i] = NAME(floor_div)(a[i], b[i]); return r; }

/* a*(1/b) of doubles, toward zero; 1/b is computed once where b is the same all along. It is the quotient of integers or,
 * where that is a whole number, perhaps the next one toward zero: no other quotient of integers lies as near to a whole
 * number as the error is large. */
#define quotients NAME(quotients)
#if ISA_LEVEL == 2
AI vi quotients(vi a, vi b) {
    const __m512d one = _mm512_set1_pd(1.0);
    const __m512d low = _mm512_cvtepi32_pd(_mm512_castsi512_si256((__m512i)b));
    const __m512d high = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64((__m512i)b, 1));
    const __m512d x = _mm512_cvtepi32_pd(_mm512_castsi512_si256((__m512i)a)) * (one / low);
    const __m512d y = _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64((__m512i)a, 1)) * (one / high);
    return (vi)_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvttpd_epi32(x)), _mm512_cvttpd_epi32(y), 1);
}
#elif ISA_LEVEL == 1
AI vi quotients(vi a, vi b) {
    const __m256d one = _mm256_set1_pd(1.0);
    const __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128((__m256i)b));
    const __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256((__m256i)b, 1));
    const __m256d x = _mm256_cvtepi32_pd(_mm256_castsi256_si128((__m256i)a)) * (one / low);
    const __m256d y = _mm256_cvtepi32_pd(_mm256_extracti128_si256((__m256i)a, 1)) * (one / high);
    return (vi)_mm256_inserti128_si256(_mm256_castsi128_si256(_mm256_cvttpd_epi32(x)), _mm256_cvttpd_epi32(y), 1);
}
#elif defined(__SSE2__)
AI vi quotients(vi a, vi b) {
    const __m128d one = _mm_set1_pd(1.0);
    const __m128d low = _mm_cvtepi32_pd((__m128i)b), high = _mm_cvtepi32_pd(_mm_shuffle_epi32((__m128i)b, 0xEE));
    const __m128d x = _mm_cvtepi32_pd((__m128i)a) * (one / low);
    const __m128d y = _mm_cvtepi32_pd(_mm_shuffle_epi32((__m128i)a, 0xEE)) * (one / high);
    return (vi)_mm_unpacklo_epi64(_mm_cvttpd_epi32(x), _mm_cvttpd_epi32(y));
}
#else
AI vi quotients(vi a, vi b) { vi r; for (int i = 0; i < W; i++) r[i] = (int32_t)(a[i] * (1.0 / b[i])); return r; }
#endif
AI vi modi(vi a, vi b) {
    b = seli((vi)(b == splati(0)) | (vi)(b == splati(-1)), splati(1), b);
    vi r = (vi)((vu)a - (vu)quotients(a, b) * (vu)b);
    r = (vi)((vu)r + (vu)(b & (vi)(r != splati(0)) & (vi)((r ^ b) < splati(0))));
    return r & (vi)(r != b);
}

AI vu divu(vu a, vu b) { vu r; for (int i = 0; i < W; i++) r[i] = b[i] ? a[i] / b[i] : 0; return r; }
AI vu modu(vu a, vu b) { vu r; for (int i = 0; i < W; i++) r[i] = b[i] ? a[i] % b[i] : 0; return r; }

#undef quotients
