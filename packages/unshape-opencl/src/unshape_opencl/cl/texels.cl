/* Texels of US_CH channels; compiled once for each number of channels that a kernel reads or writes.
 *
 * us_gather    texels at columns and rows of the array at hand; 0 where `outside` says so
 * us_fetch     texels at coordinates of the whole picture
 * us_nearest, us_bilinear   at positions in [0, 1]
 * us_input     the texels of US_LANES pixels of a row, of which `count` exist
 * us_output    stores them
 *
 * Arrays are aligned to 16 bytes. US_ALIGNED says that every run of US_LANES pixels is as well.
 */
#define US_NAME(name) US_JOIN(name, US_CH)

/* US_EACH(M) writes M(member) for every channel; a texel of one channel is no structure. */
#if US_CH == 1
#define US_TEXEL F32
#define US_EACH(M) M()
#else
#define US_TEXEL US_JOIN(us_vec, US_CH)
#if US_CH == 2
#define US_EACH(M) M(.c0) M(.c1)
#elif US_CH == 3
#define US_EACH(M) M(.c0) M(.c1) M(.c2)
#else
#define US_EACH(M) M(.c0) M(.c1) M(.c2) M(.c3)
#endif
#endif

/* One texel as a vector of the language; three channels are not aligned to anything but their floats. */
#if US_CH == 1
#define US_ONE(p, o) ((p)[o])
typedef float US_NAME(us_one);
#elif US_CH == 2
#define US_ONE(p, o) (*(__global const float2 *)((p) + (o)))
typedef float2 US_NAME(us_one);
#elif US_CH == 3
#define US_ONE(p, o) ((float3)((p)[o], (p)[(o) + 1], (p)[(o) + 2]))
typedef float3 US_NAME(us_one);
#else
#define US_ONE(p, o) (*(__global const float4 *)((p) + (o)))
typedef float4 US_NAME(us_one);
#endif

#if US_LANES == 1
#define US_OF_ONE(lane) lane(0)
#elif US_LANES == 4
#define US_OF_ONE(lane) (F32)(lane(0), lane(1), lane(2), lane(3))
#else
#define US_OF_ONE(lane) (F32)(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))
#endif

US_INLINE US_TEXEL US_NAME(us_gather)(
    __global const float *p, const us_picture info, const I32 x, const I32 y, const BOOL outside) {
    US_TEXEL r;
#if US_LANES == 1
    const US_NAME(us_one) t0 = US_ONE(p, US_OFFSET(info, x, y, US_CH));
#else
#define US_AT(k) const US_NAME(us_one) t##k = US_ONE(p, US_OFFSET(info, x.s##k, y.s##k, US_CH));
    US_AT(0) US_AT(1) US_AT(2) US_AT(3)
#if US_LANES == 8
    US_AT(4) US_AT(5) US_AT(6) US_AT(7)
#endif
#undef US_AT
#endif
#if US_CH == 1
#define US_LANE(k) t##k
    r = US_OF_ONE(US_LANE);
#undef US_LANE
#else
#define US_LANE(k) t##k.s0
    r.c0 = US_OF_ONE(US_LANE);
#undef US_LANE
#define US_LANE(k) t##k.s1
    r.c1 = US_OF_ONE(US_LANE);
#undef US_LANE
#if US_CH > 2
#define US_LANE(k) t##k.s2
    r.c2 = US_OF_ONE(US_LANE);
#undef US_LANE
#endif
#if US_CH > 3
#define US_LANE(k) t##k.s3
    r.c3 = US_OF_ONE(US_LANE);
#undef US_LANE
#endif
#endif
    if (US_ANY(outside)) {
#define US_DROP(m) r m = US_SELECT(outside, US_F(0.0f), r m);
        US_EACH(US_DROP)
#undef US_DROP
    }
    return r;
}

US_INLINE US_TEXEL US_NAME(us_nothing)(void) {
    US_TEXEL r;
#define US_CLEAR(m) r m = US_F(0.0f);
    US_EACH(US_CLEAR)
#undef US_CLEAR
    return r;
}

US_INLINE US_TEXEL US_NAME(us_fetch)(
    __global const float *p, const us_picture info, const int border, const I32 x, const I32 y) {
    if (us_is_empty(info)) return US_NAME(us_nothing)();
    BOOL out_x, out_y;
    const I32 column = us_place(x, border, info.whole_width, info.x, info.width, &out_x);
    const I32 row = us_place(y, border, info.whole_height, info.y, info.height, &out_y);
    return US_NAME(us_gather)(p, info, column, row, out_x | out_y);
}

US_INLINE US_TEXEL US_NAME(us_nearest)(
    __global const float *p, const us_picture info, const int border, const F32 u, const F32 v) {
    const I32 x = us_to_i(floor(u * US_F((float)info.whole_width)));
    const I32 y = us_to_i(floor(v * US_F((float)info.whole_height)));
    return US_NAME(us_fetch)(p, info, border, x, y);
}

US_INLINE US_TEXEL US_NAME(us_bilinear)(
    __global const float *p, const us_picture info, const int border, const F32 u, const F32 v) {
    if (us_is_empty(info)) return US_NAME(us_nothing)();
    const F32 wide_x = u * US_F((float)info.whole_width);
    const F32 wide_y = v * US_F((float)info.whole_height);
    const F32 x = us_bound(wide_x - US_F(0.5f), border, info.whole_width);
    const F32 y = us_bound(wide_y - US_F(0.5f), border, info.whole_height);
    const F32 base_x = floor(x), base_y = floor(y);
    const F32 tx = x - base_x, ty = y - base_y;
    const I32 ix = us_to_i(base_x), iy = us_to_i(base_y);
    BOOL out_left, out_right, out_above, out_below;
    const I32 left = us_place(ix, border, info.whole_width, info.x, info.width, &out_left);
    const I32 right = us_place(us_add_i(ix, US_I(1)), border, info.whole_width, info.x, info.width, &out_right);
    const I32 above = us_place(iy, border, info.whole_height, info.y, info.height, &out_above);
    const I32 below = us_place(us_add_i(iy, US_I(1)), border, info.whole_height, info.y, info.height, &out_below);
    const US_TEXEL p00 = US_NAME(us_gather)(p, info, left, above, out_left | out_above);
    const US_TEXEL p01 = US_NAME(us_gather)(p, info, left, below, out_left | out_below);
    const US_TEXEL p10 = US_NAME(us_gather)(p, info, right, above, out_right | out_above);
    const US_TEXEL p11 = US_NAME(us_gather)(p, info, right, below, out_right | out_below);
    US_TEXEL r;
#define US_MIX(m) r m = us_lerp(tx, us_lerp(ty, p00 m, p01 m), us_lerp(ty, p10 m, p11 m));
    US_EACH(US_MIX)
#undef US_MIX
    return r;
}

US_INLINE US_TEXEL US_NAME(us_input)(
    __global const float *p, const us_picture info, const int x, const int y, const int count) {
    const int column = x - info.x, row = y - info.y;
#if US_LANES > 1
    if (count < US_LANES) {
        return US_NAME(us_gather)(p, info, US_I(column) + min(US_RAMP, US_I(count - 1)), US_I(row), US_I(0));
    }
    __global const float *q = p + US_OFFSET(info, column, row, US_CH);
    US_TEXEL r;
    const F32 a = US_VLOAD(0, q);
#if US_CH > 1
    const F32 b = US_VLOAD(1, q);
#endif
#if US_CH > 2
    const F32 c = US_VLOAD(2, q);
#endif
#if US_CH > 3
    const F32 d = US_VLOAD(3, q);
#endif
#if US_CH == 1
    r = a;
#elif US_CH == 2
    r.c0 = (F32)(a.even, b.even);
    r.c1 = (F32)(a.odd, b.odd);
#elif US_CH == 3 && US_LANES == 4
    r.c0 = (F32)(a.s0, a.s3, b.s2, c.s1);
    r.c1 = (F32)(a.s1, b.s0, b.s3, c.s2);
    r.c2 = (F32)(a.s2, b.s1, c.s0, c.s3);
#elif US_CH == 3
    r.c0 = (F32)(a.s036, b.s147, c.s25);
    r.c1 = (F32)(a.s147, b.s25, c.s036);
    r.c2 = (F32)(a.s25, b.s036, c.s147);
#elif US_LANES == 4
    r.c0 = (F32)(a.s0, b.s0, c.s0, d.s0);
    r.c1 = (F32)(a.s1, b.s1, c.s1, d.s1);
    r.c2 = (F32)(a.s2, b.s2, c.s2, d.s2);
    r.c3 = (F32)(a.s3, b.s3, c.s3, d.s3);
#else
    r.c0 = (F32)(a.s04, b.s04, c.s04, d.s04);
    r.c1 = (F32)(a.s15, b.s15, c.s15, d.s15);
    r.c2 = (F32)(a.s26, b.s26, c.s26, d.s26);
    r.c3 = (F32)(a.s37, b.s37, c.s37, d.s37);
#endif
    return r;
#else
    return US_NAME(us_gather)(p, info, column, row, 0);
#endif
}

US_INLINE void US_NAME(us_output)(__global float *p, const us_offset pixel, const US_TEXEL t, const int count) {
    __global float *q = p + pixel * US_CH;
#if US_LANES == 1
#if US_CH == 1
    q[0] = t;
#elif US_CH == 2
    *(__global float2 *)q = (float2)(t.c0, t.c1);
#elif US_CH == 3
    q[0] = t.c0;
    q[1] = t.c1;
    q[2] = t.c2;
#else
    *(__global float4 *)q = (float4)(t.c0, t.c1, t.c2, t.c3);
#endif
#else
    if (count < US_LANES) {
        float lanes[US_LANES];
        int channel = 0;
#define US_STORE(m) \
        US_JOIN(vstore, US_LANES)(t m, 0, lanes); \
        for (int k = 0; k < count; ++k) q[k * US_CH + channel] = lanes[k]; \
        ++channel;
        US_EACH(US_STORE)
#undef US_STORE
        return;
    }
#if US_CH == 1
    US_VSTORE(t, 0, q);
#elif US_CH == 2 && US_LANES == 4
    US_VSTORE(((F32)(t.c0.s0, t.c1.s0, t.c0.s1, t.c1.s1)), 0, q);
    US_VSTORE(((F32)(t.c0.s2, t.c1.s2, t.c0.s3, t.c1.s3)), 1, q);
#elif US_CH == 2
    US_VSTORE(((F32)(t.c0.s0, t.c1.s0, t.c0.s1, t.c1.s1, t.c0.s2, t.c1.s2, t.c0.s3, t.c1.s3)), 0, q);
    US_VSTORE(((F32)(t.c0.s4, t.c1.s4, t.c0.s5, t.c1.s5, t.c0.s6, t.c1.s6, t.c0.s7, t.c1.s7)), 1, q);
#elif US_CH == 3 && US_LANES == 4
    US_VSTORE(((F32)(t.c0.s0, t.c1.s0, t.c2.s0, t.c0.s1)), 0, q);
    US_VSTORE(((F32)(t.c1.s1, t.c2.s1, t.c0.s2, t.c1.s2)), 1, q);
    US_VSTORE(((F32)(t.c2.s2, t.c0.s3, t.c1.s3, t.c2.s3)), 2, q);
#elif US_CH == 3
    US_VSTORE(((F32)(t.c0.s0, t.c1.s0, t.c2.s0, t.c0.s1, t.c1.s1, t.c2.s1, t.c0.s2, t.c1.s2)), 0, q);
    US_VSTORE(((F32)(t.c2.s2, t.c0.s3, t.c1.s3, t.c2.s3, t.c0.s4, t.c1.s4, t.c2.s4, t.c0.s5)), 1, q);
    US_VSTORE(((F32)(t.c1.s5, t.c2.s5, t.c0.s6, t.c1.s6, t.c2.s6, t.c0.s7, t.c1.s7, t.c2.s7)), 2, q);
#elif US_LANES == 4
    US_VSTORE(((F32)(t.c0.s0, t.c1.s0, t.c2.s0, t.c3.s0)), 0, q);
    US_VSTORE(((F32)(t.c0.s1, t.c1.s1, t.c2.s1, t.c3.s1)), 1, q);
    US_VSTORE(((F32)(t.c0.s2, t.c1.s2, t.c2.s2, t.c3.s2)), 2, q);
    US_VSTORE(((F32)(t.c0.s3, t.c1.s3, t.c2.s3, t.c3.s3)), 3, q);
#else
    US_VSTORE(((F32)(t.c0.s0, t.c1.s0, t.c2.s0, t.c3.s0, t.c0.s1, t.c1.s1, t.c2.s1, t.c3.s1)), 0, q);
    US_VSTORE(((F32)(t.c0.s2, t.c1.s2, t.c2.s2, t.c3.s2, t.c0.s3, t.c1.s3, t.c2.s3, t.c3.s3)), 1, q);
    US_VSTORE(((F32)(t.c0.s4, t.c1.s4, t.c2.s4, t.c3.s4, t.c0.s5, t.c1.s5, t.c2.s5, t.c3.s5)), 2, q);
    US_VSTORE(((F32)(t.c0.s6, t.c1.s6, t.c2.s6, t.c3.s6, t.c0.s7, t.c1.s7, t.c2.s7, t.c3.s7)), 3, q);
#endif
#endif
}

#undef US_NAME
#undef US_TEXEL
#undef US_EACH
#undef US_ONE
#undef US_OF_ONE
