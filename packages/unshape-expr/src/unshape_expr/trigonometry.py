"""Sine, cosine, tangent and their inverses, in primitive operations."""

from __future__ import annotations

from unshape_expr import operators as o
from unshape_expr.horner import horner
from unshape_expr.ir import Expr
from unshape_expr.literal import literal
from unshape_expr.polynomials import ASIN, ATAN, COS, SIN, TAN
from unshape_expr.types import Type

_INF = float("inf")
_SIGN = 0x80000000
_TWO_OVER_PI = 0.6366197466850281
_PI = 3.1415927410125732
_PI_LOW = -8.742277657347586e-08
_PI_LOW_RATIO = _PI_LOW / _PI  # the same for pi and pi/2
_HALF_PI = 1.5707963705062866
_HALF_PI_LOW = -4.371138828673793e-08
# pi/2 in parts of 12, 12, 12 and 24 bits
_HALF_PI_PARTS = (1.57080078125, -4.453584551811218e-06, -8.706138032721356e-10, 6.223371969669989e-14)


def with_sign_of(magnitude: Expr, x: Expr) -> Expr:
    """Return a non-negative number with the sign bit of another one."""
    return o.bitcast_f32(o.bitcast_u32(magnitude) ^ (o.bitcast_u32(x) & _SIGN))


def _reduced(magnitude: Expr) -> tuple[Expr, Expr]:
    """Return the argument less a multiple of pi/2, within pi/4 of zero, and the multiple as an i32.

    The products with the first three parts of pi/2 are exact for multiples below 2**12. Above, the result is that of an
    argument that differs by a rounding; from 2**22 on, where neighbouring float32 are half a radian apart, that of 0.
    """
    a = o.select(o.lt(magnitude, 4194304.0), magnitude, magnitude * 0.0)
    n = o.round(a * _TWO_OVER_PI)
    for part in _HALF_PI_PARTS:
        a = a - n * part
    return a, o.to_i32(n)


def _sin_cos(r: Expr) -> tuple[Expr, Expr]:
    square = r * r
    sin_ = r + (r * square) * horner(SIN, square)
    cos_ = (1.0 - 0.5 * square) + (square * square) * horner(COS, square)
    return sin_, cos_


def define_sin(x: Expr) -> Expr:
    """Return the sine."""
    r, quadrant = _reduced(o.abs(x))
    sin_, cos_ = _sin_cos(r)
    value = o.select(o.eq(quadrant & 1, 0), sin_, cos_)
    sign = (o.to_u32(quadrant & 2) << 30) ^ (o.bitcast_u32(x) & _SIGN)
    return o.bitcast_f32(o.bitcast_u32(value) ^ sign)


def define_cos(x: Expr) -> Expr:
    """Return the cosine."""
    r, quadrant = _reduced(o.abs(x))
    sin_, cos_ = _sin_cos(r)
    value = o.select(o.eq(quadrant & 1, 0), cos_, sin_)
    return o.bitcast_f32(o.bitcast_u32(value) ^ (o.to_u32((quadrant + 1) & 2) << 30))


def define_tan(x: Expr) -> Expr:
    """Return the tangent."""
    r, quadrant = _reduced(o.abs(x))
    square = r * r
    tan_ = r + (r * square) * horner(TAN, square)
    value = o.select(o.eq(quadrant & 1, 0), tan_, -1.0 / tan_)
    return o.bitcast_f32(o.bitcast_u32(value) ^ (o.bitcast_u32(x) & _SIGN))


def _asin_parts(magnitude: Expr) -> tuple[Expr, Expr]:
    """Return whether the argument exceeds 1/2, and the arcsine of it or else of ``sqrt((1 - magnitude)/2)``."""
    is_large = o.lt(0.5, magnitude)
    square = o.select(is_large, (1.0 - magnitude) * 0.5, magnitude * magnitude)
    root = o.select(is_large, o.sqrt(square), magnitude)
    return is_large, root + (root * square) * horner(ASIN, square)


def define_asin(x: Expr) -> Expr:
    """Return the arcsine."""
    is_large, part = _asin_parts(o.abs(x))
    return with_sign_of(o.select(is_large, _HALF_PI - (part + part - _HALF_PI_LOW), part), x)


def define_acos(x: Expr) -> Expr:
    """Return the arccosine."""
    is_large, part = _asin_parts(o.abs(x))
    twice = part + part
    near = _HALF_PI - (with_sign_of(part, x) - _HALF_PI_LOW)
    return o.select(is_large, o.select(o.lt(x, 0.0), _PI - (twice - _PI_LOW), twice), near)


def _atan_of_fraction(t: Expr) -> Expr:
    square = t * t
    return t + (t * square) * horner(ATAN, square)


def define_atan(x: Expr) -> Expr:
    """Return the arctangent."""
    a = o.abs(x)
    is_large = o.lt(1.0, a)
    part = _atan_of_fraction(o.select(is_large, 1.0 / a, a))
    return with_sign_of(o.select(is_large, _HALF_PI - (part - _HALF_PI_LOW), part), x)


def define_atan2(y: Expr, x: Expr) -> Expr:
    """Return the angle of the point ``(x, y)``."""
    ay, ax = o.abs(y), o.abs(x)
    smaller, larger = o.min(ay, ax), o.max(ay, ax)
    fraction = o.select(o.eq(larger, 0.0), 0.0, o.select(o.eq(smaller, _INF), 1.0, smaller / larger))
    bits = o.bitcast_u32(x)
    is_steep = o.lt(ax, ay)
    base = o.select(is_steep, _HALF_PI, o.select(o.eq(bits >> 31, 1), _PI, 0.0))
    is_taken_off = (bits ^ o.select(is_steep, literal(_SIGN, Type.U32), 0)) & _SIGN
    part = o.bitcast_f32(o.bitcast_u32(_atan_of_fraction(fraction)) ^ is_taken_off)
    return with_sign_of(base + (part + base * _PI_LOW_RATIO), y)
