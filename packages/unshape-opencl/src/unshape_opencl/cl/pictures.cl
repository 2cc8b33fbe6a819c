/* Reading and writing pictures: float32 texels of 1 to 4 channels, rows first, channels interleaved.
 *
 * us_picture says which window of the whole picture the array at hand covers. Coordinates are those of the whole
 * picture. Positions, borders and the order of mixing are those of the language's sampling: above and below first, then
 * left and right, each a + t*(b - a). An empty picture is zero everywhere, and its array is never read.
 */
typedef struct { int x, y, width, height, whole_width, whole_height; } us_picture;

#define US_CLAMP 0
#define US_REPEAT 1
#define US_MIRROR 2
#define US_ZERO 3

/* Offsets fit 32 bits where US_SMALL says that no picture has 2**31 elements. */
#ifdef US_SMALL
typedef int us_offset;
#else
typedef long us_offset;
#endif
#define US_OFFSET(info, x, y, channels) (((us_offset)(y) * (info).width + (us_offset)(x)) * (channels))

US_INLINE I32 us_place(const I32 given, const int border, const int size, const int start, const int held, BOOL *outside) {
    I32 i = given;
    const BOOL is_outside = (i < US_I(0)) | (i >= US_I(size));
    *outside = US_I(0);
    if (US_ANY(is_outside)) {
        if (border == US_REPEAT) {
            i = us_mod_i(i, US_I(size));
        } else if (border == US_MIRROR) {
            i = us_mod_i(i, US_I(2 * size));
            i = min(i, US_I(2 * size - 1) - i);
        } else {
            if (border == US_ZERO) *outside = is_outside;
            i = clamp(i, US_I(0), US_I(size - 1));
        }
    }
    return clamp(i - US_I(start), US_I(0), US_I(held - 1));
}

US_INLINE F32 us_bound(const F32 x, const int border, const int size) {
    if (border == US_CLAMP) return us_min_f(us_max_f(x, US_F(0.0f)), US_F((float)(size - 1)));
    if (border == US_ZERO) return us_min_f(us_max_f(x, US_F(-1.0f)), US_F((float)size));
    return x;
}

US_INLINE F32 us_lerp(const F32 t, const F32 a, const F32 b) {
    const F32 step = t * (b - a);
    return a + step;
}

US_INLINE bool us_is_empty(const us_picture info) {
    return info.width <= 0 || info.height <= 0 || info.whole_width <= 0 || info.whole_height <= 0;
}

#if US_LANES > 1
#ifdef US_ALIGNED
#define US_VLOAD(k, q) (((__global const F32 *)(q))[k])
#define US_VSTORE(v, k, q) ((__global F32 *)(q))[k] = (v)
#else
#define US_VLOAD(k, q) US_JOIN(vload, US_LANES)(k, q)
#define US_VSTORE(v, k, q) US_JOIN(vstore, US_LANES)(v, k, q)
#endif
#endif
