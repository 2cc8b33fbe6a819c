/* Part of vec.h: vectors of components to vectors of pixels and back. */

/* The lanes of two vectors in turn: of their first and of their second halves. */
#define zip_low NAME(zip_low)
#define zip_high NAME(zip_high)
#if ISA_LEVEL == 2
AI vf zip_low(vf a, vf b) {
    const __m512i lanes = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return (vf)_mm512_permutex2var_ps((__m512)a, lanes, (__m512)b);
}
AI vf zip_high(vf a, vf b) {
    const __m512i lanes = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return (vf)_mm512_permutex2var_ps((__m512)a, lanes, (__m512)b);
}
#elif ISA_LEVEL == 1
AI vf zip_low(vf a, vf b) {
    const __m256 low = _mm256_unpacklo_ps((__m256)a, (__m256)b), high = _mm256_unpackhi_ps((__m256)a, (__m256)b);
    return (vf)_mm256_permute2f128_ps(low, high, 0x20);
}
AI vf zip_high(vf a, vf b) {
    const __m256 low = _mm256_unpacklo_ps((__m256)a, (__m256)b), high = _mm256_unpackhi_ps((__m256)a, (__m256)b);
    return (vf)_mm256_permute2f128_ps(low, high, 0x31);
}
#elif defined(__SSE2__)
AI vf zip_low(vf a, vf b) { return (vf)_mm_unpacklo_ps((__m128)a, (__m128)b); }
AI vf zip_high(vf a, vf b) { return (vf)_mm_unpackhi_ps((__m128)a, (__m128)b); }
#else
AI vf zip_low(vf a, vf b) { return (vf){a[0], b[0], a[1], b[1]}; }
AI vf zip_high(vf a, vf b) { return (vf){a[2], b[2], a[3], b[3]}; }
#endif

/* `channels` vectors of pixels, 1 to 4, as so many vectors of one component each; and back. */
#define planes_of_pixels NAME(planes_of_pixels)
#define pixels_of_planes NAME(pixels_of_planes)
AI void planes_of_pixels(vf *planes, const vf *p, int channels) {
    if (channels == 4) {
        const vf even = evens(p[0], p[1]), odd = odds(p[0], p[1]), even2 = evens(p[2], p[3]), odd2 = odds(p[2], p[3]);
        planes[0] = evens(even, even2), planes[1] = evens(odd, odd2);
        planes[2] = odds(even, even2), planes[3] = odds(odd, odd2);
    } else if (channels == 3) {
        for (int k = 0; k < 3; k++) {
            vi lane, part;
            for (int i = 0; i < W; i++) lane[i] = (3 * i + k) % W, part[i] = (3 * i + k) / W;
            const vf first = self((vi)(part == splati(0)), look_up(p[0], lane), look_up(p[1], lane));
            planes[k] = self((vi)(part == splati(2)), look_up(p[2], lane), first);
        }
    } else if (channels == 2) {
        planes[0] = evens(p[0], p[1]), planes[1] = odds(p[0], p[1]);
    } else {
        planes[0] = p[0];
    }
}
AI void pixels_of_planes(vf *p, const vf *planes, int channels) {
    if (channels == 4) {
        const vf ac = zip_low(planes[0], planes[2]), bd = zip_low(planes[1], planes[3]);
        const vf ac2 = zip_high(planes[0], planes[2]), bd2 = zip_high(planes[1], planes[3]);
        p[0] = zip_low(ac, bd), p[1] = zip_high(ac, bd), p[2] = zip_low(ac2, bd2), p[3] = zip_high(ac2, bd2);
    } else if (channels == 3) {
        for (int k = 0; k < 3; k++) {
            vi lane, plane;
            for (int i = 0; i < W; i++) lane[i] = (k * W + i) / 3, plane[i] = (k * W + i) % 3;
            const vf first = self((vi)(plane == splati(0)), look_up(planes[0], lane), look_up(planes[1], lane));
            p[k] = self((vi)(plane == splati(2)), look_up(planes[2], lane), first);
        }
    } else if (channels == 2) {
        p[0] = zip_low(planes[0], planes[1]), p[1] = zip_high(planes[0], planes[1]);
    } else {
        p[0] = planes[0];
    }
}
