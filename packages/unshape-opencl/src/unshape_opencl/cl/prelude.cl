/* The vocabulary of emitted code: values of US_LANES neighbouring pixels, and the operations of the expression language.
 *
 * US_LANES   1, 4 or 8: how many pixels one value holds
 * US_LOOPED  on CPUs, where a work-item runs through many pixels
 * F32 I32 U32   their floats and integers
 * BOOL       their conditions: 0 or, with one lane, 1, with several, all bits set
 *
 * Every operation gives the bits stated in the semantics of the language: no contraction, min and max that return NaN
 * if either argument is NaN, integers that wrap, divisions that floor and give 0 for a divisor of 0.
 */
#ifndef US_FAST
#pragma OPENCL FP_CONTRACT OFF
#endif

#ifdef __clang__
#pragma clang diagnostic ignored "-Wtautological-compare" /* `x != x` is how an expression asks for NaN */
#endif

#define US_JOIN_(a, b) a##b
#define US_JOIN(a, b) US_JOIN_(a, b)

#if US_LANES == 1
typedef float F32;
typedef int I32;
typedef uint U32;
typedef int BOOL;
#define US_AS_F32 as_float
#define US_AS_I32 as_int
#define US_AS_U32 as_uint
#define US_TO_F32 convert_float
#define US_TO_I32 convert_int
#define US_TO_U32 convert_uint
#define US_B(word) ((BOOL)((word) != 0))
#define US_NOT(a) (!(a))
#define US_FIRST(a) (a)
#define US_ANY(a) (a)
#define US_RAMP 0
#else
typedef US_JOIN(float, US_LANES) F32;
typedef US_JOIN(int, US_LANES) I32;
typedef US_JOIN(uint, US_LANES) U32;
typedef US_JOIN(int, US_LANES) BOOL;
#define US_AS_F32 US_JOIN(as_float, US_LANES)
#define US_AS_I32 US_JOIN(as_int, US_LANES)
#define US_AS_U32 US_JOIN(as_uint, US_LANES)
#define US_TO_F32 US_JOIN(convert_float, US_LANES)
#define US_TO_I32 US_JOIN(convert_int, US_LANES)
#define US_TO_U32 US_JOIN(convert_uint, US_LANES)
#define US_B(word) ((BOOL)((word) != 0 ? -1 : 0))
#define US_NOT(a) (~(a))
#define US_FIRST(a) ((a).s0)
#define US_ANY(a) any(a)
#if US_LANES == 4
#define US_RAMP ((int4)(0, 1, 2, 3))
#else
#define US_RAMP ((int8)(0, 1, 2, 3, 4, 5, 6, 7))
#endif
#endif

#define US_F(x) ((F32)(x))
#define US_I(x) ((I32)(x))
#define US_U(x) ((U32)(x))
#define US_SELECT(c, a, b) ((c) ? (a) : (b))

/* Entries of a table of `uint` in local memory. */
#if US_LANES == 1
#define US_LOOK_UP(table, i) ((table)[i])
#elif US_LANES == 4
#define US_LOOK_UP(table, i) ((uint4)((table)[(i).s0], (table)[(i).s1], (table)[(i).s2], (table)[(i).s3]))
#endif

typedef struct { F32 c0, c1; } us_vec2;
typedef struct { F32 c0, c1, c2; } us_vec3;
typedef struct { F32 c0, c1, c2, c3; } us_vec4;

#ifndef US_INLINE /* simulators may want plain functions */
#define US_INLINE static inline __attribute__((always_inline))
#endif

US_INLINE us_vec2 us_make2(const F32 c0, const F32 c1) {
    us_vec2 v; v.c0 = c0; v.c1 = c1; return v;
}
US_INLINE us_vec3 us_make3(const F32 c0, const F32 c1, const F32 c2) {
    us_vec3 v; v.c0 = c0; v.c1 = c1; v.c2 = c2; return v;
}
US_INLINE us_vec4 us_make4(const F32 c0, const F32 c1, const F32 c2, const F32 c3) {
    us_vec4 v; v.c0 = c0; v.c1 = c1; v.c2 = c2; v.c3 = c3; return v;
}

US_INLINE F32 us_min_f(const F32 a, const F32 b) { return US_SELECT(a != a, a, US_SELECT(a < b, a, b)); }
US_INLINE F32 us_max_f(const F32 a, const F32 b) { return US_SELECT(a != a, a, US_SELECT(a > b, a, b)); }
US_INLINE F32 us_mod_f(const F32 a, const F32 b) {
    const F32 whole = floor(a / b);
    const F32 part = b * whole;
    return a - part;
}

US_INLINE I32 us_add_i(const I32 a, const I32 b) { return US_AS_I32(US_AS_U32(a) + US_AS_U32(b)); }
US_INLINE I32 us_sub_i(const I32 a, const I32 b) { return US_AS_I32(US_AS_U32(a) - US_AS_U32(b)); }
US_INLINE I32 us_mul_i(const I32 a, const I32 b) { return US_AS_I32(US_AS_U32(a) * US_AS_U32(b)); }
US_INLINE I32 us_neg_i(const I32 a) { return US_AS_I32(US_U(0u) - US_AS_U32(a)); }
US_INLINE I32 us_abs_i(const I32 a) { return US_SELECT(a < US_I(0), us_neg_i(a), a); }

/* A divisor of 0 or -1 is replaced before dividing: 0 has no quotient, -1 overflows with the smallest number. */
US_INLINE I32 us_div_i(const I32 a, const I32 b) {
    const I32 d = US_SELECT((b == US_I(0)) | (b == US_I(-1)), US_I(1), b);
    const I32 q = a / d;
    const I32 r = a - q * d;
    const I32 floored = US_SELECT((r != US_I(0)) & ((r ^ d) < US_I(0)), q - US_I(1), q);
    return US_SELECT(b == US_I(0), US_I(0), US_SELECT(b == US_I(-1), us_neg_i(a), floored));
}
US_INLINE I32 us_mod_i(const I32 a, const I32 b) {
    const BOOL is_trivial = (b == US_I(0)) | (b == US_I(-1));
    const I32 d = US_SELECT(is_trivial, US_I(1), b);
    const I32 r = a % d;
    const I32 floored = US_SELECT((r != US_I(0)) & ((r ^ d) < US_I(0)), r + d, r);
    return US_SELECT(is_trivial, US_I(0), floored);
}
US_INLINE U32 us_div_u(const U32 a, const U32 b) {
    const BOOL is_zero = b == US_U(0u);
    return US_SELECT(is_zero, US_U(0u), a / US_SELECT(is_zero, US_U(1u), b));
}
US_INLINE U32 us_mod_u(const U32 a, const U32 b) {
    const BOOL is_zero = b == US_U(0u);
    return US_SELECT(is_zero, US_U(0u), a % US_SELECT(is_zero, US_U(1u), b));
}

/* One instruction on a GPU; compilers for CPUs make more of a few selections. */
#ifndef US_LOOPED
#if US_LANES == 1
#define US_SATURATED(type) US_JOIN(US_JOIN(convert_, type), _sat)
#else
#define US_SATURATED(type) US_JOIN(US_JOIN(US_JOIN(convert_, type), US_LANES), _sat)
#endif
US_INLINE I32 us_to_i(const F32 a) { return US_SATURATED(int)(a); }
US_INLINE U32 us_to_u(const F32 a) { return US_SATURATED(uint)(a); }
#else
US_INLINE I32 us_to_i(const F32 a) {
    const BOOL is_high = a >= US_F(2147483648.0f);
    const BOOL is_low = a <= US_F(-2147483648.0f);
    const F32 inside = US_SELECT(is_high | is_low | (a != a), US_F(0.0f), a);
    return US_SELECT(is_high, US_I(2147483647), US_SELECT(is_low, US_I(-2147483647 - 1), US_TO_I32(inside)));
}
US_INLINE U32 us_to_u(const F32 a) {
    const BOOL is_high = a >= US_F(4294967296.0f);
    const F32 inside = US_SELECT(US_NOT(a > US_F(0.0f)) | is_high, US_F(0.0f), a);
    return US_SELECT(is_high, US_U(4294967295u), US_TO_U32(inside));
}
#endif
