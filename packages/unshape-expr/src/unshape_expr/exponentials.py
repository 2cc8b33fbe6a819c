"""Exponentials, logarithms and powers, in primitive operations.

An exponential is ``2**n * q`` with ``q`` near 1 from a polynomial; ``n`` is added to the exponent field of ``q`` as an
integer, so that no operation meets a subnormal number: results below the smallest normal number, 2**-126, are 0.
A logarithm takes the exponent field apart in the same way; a subnormal argument is converted as the integer that its
bits are, which is exact also where subnormal numbers are flushed.
"""

from __future__ import annotations

from unshape_expr import operators as o
from unshape_expr.horner import horner
from unshape_expr.ir import Expr
from unshape_expr.literal import literal
from unshape_expr.polynomials import EXP, EXP2, LOG, LOG2
from unshape_expr.types import Type

_INF = float("inf")
_NAN = float("nan")
SQRT_HALF_BITS = 0x3F3504F3
POW_LOWEST = -125.99998474121094  # the smallest exponent of 2 for which the result is surely normal
_SIGN = 0x80000000
_LOG2_E = 1.4426950216293335
_LOG10_E = 0.4342944920063019
LN2_HIGH, LN2_LOW = 0.693359375, -0.00021219444170128554
_LOG10_2_HIGH, _LOG10_2_LOW = 0.301025390625, 4.605038838372355e-06
EXP_LIMIT = 88.72283172607422  # the largest float32 whose exponential is finite
_EXP_LOW = -87.33654022216797  # the smallest float32 whose exponential is at least 2**-126


def scaled(q: Expr, n: Expr) -> Expr:
    """Return ``q * 2**n`` for ``q`` and result in the normal range."""
    return o.bitcast_f32(o.bitcast_u32(q) + o.to_u32(n << 23))


def exp2_reduced(f: Expr) -> Expr:
    """Return ``2**f`` for ``|f| <= 1/2``."""
    return 1.0 + f * horner(EXP2, f)


def exp_fraction(x: Expr) -> tuple[Expr, Expr]:
    """Return ``p`` and ``n`` with ``exp(x) = (1 + p) * 2**n``.

    The two parts of ln 2 have 9 and 24 bits, so that the first product and the first difference are exact.
    """
    n = o.round(x * _LOG2_E)
    f = (x - n * LN2_HIGH) - n * LN2_LOW
    return f + (f * f) * horner(EXP, f), o.to_i32(n)


def exp_parts(x: Expr) -> tuple[Expr, Expr]:
    """Return ``q`` and ``n`` with ``exp(x) = q * 2**n``."""
    p, n = exp_fraction(x)
    return 1.0 + p, n


def log_parts(x: Expr) -> tuple[Expr, Expr]:
    """Return ``e`` (an i32) and ``z`` with ``x = 2**e * (1 + z)``, ``1 + z`` in [sqrt(1/2), sqrt(2)), for ``x > 0``.

    ``z`` is exact.
    """
    bits = o.to_i32(o.bitcast_u32(x))
    subnormal = o.to_i32(o.bitcast_u32(o.to_f32(o.max(bits, 1)))) - (149 << 23)  # 1: no overflow below for zero
    bits = o.select(o.lt(bits, 0x00800000), subnormal, bits)
    e = (bits - SQRT_HALF_BITS) >> 23
    return e, o.bitcast_f32(o.to_u32(bits - (e << 23))) - 1.0


def define_exp2(x: Expr) -> Expr:
    """Return ``2**x``."""
    n = o.round(x)
    result = scaled(exp2_reduced(x - n), o.to_i32(n))
    return o.select(o.lt(x, -126.0), 0.0, o.select(o.lt(x, 128.0), result, x + _INF))


def define_exp(x: Expr) -> Expr:
    """Return ``e**x``."""
    q, n = exp_parts(x)
    return o.select(o.lt(x, _EXP_LOW), 0.0, o.select(o.le(x, EXP_LIMIT), scaled(q, n), x + _INF))


def _logarithm(x: Expr, finite: Expr) -> Expr:
    """Return the logarithm of any float32, given the one of positive finite ones."""
    return o.select(o.lt(0.0, x), o.select(o.lt(x, _INF), finite, x), o.select(o.eq(x, 0.0), -_INF, _NAN))


def define_log2(x: Expr) -> Expr:
    """Return the logarithm to base 2."""
    e, z = log_parts(x)
    return _logarithm(x, o.to_f32(e) + (z + z * horner(LOG2, z)))


def log1p_reduced(z: Expr) -> Expr:
    """Return ``log(1 + z)`` for ``1 + z`` in [sqrt(1/2), sqrt(2)]."""
    return z + (z * z) * horner(LOG, z)


def define_log(x: Expr) -> Expr:
    """Return the natural logarithm."""
    e, z = log_parts(x)
    n = o.to_f32(e)
    return _logarithm(x, n * LN2_HIGH + (n * LN2_LOW + log1p_reduced(z)))


def define_log10(x: Expr) -> Expr:
    """Return the logarithm to base 10."""
    e, z = log_parts(x)
    n = o.to_f32(e)
    return _logarithm(x, n * _LOG10_2_HIGH + (n * _LOG10_2_LOW + log1p_reduced(z) * _LOG10_E))


def _leading_bits(x: Expr) -> Expr:
    """Return ``x`` with the 12 leading bits of its significand; products of two such numbers are exact."""
    return o.bitcast_f32(o.bitcast_u32(x) & 0xFFFFF000)


def _pow_of_magnitude(a: Expr, y: Expr) -> Expr:
    """Return ``a**y`` for positive finite ``a``.

    The logarithm is held as a sum of two numbers and its larger part and ``y`` are split, so that the exponent
    ``t = high + rest`` keeps some 30 bits and the fraction ``f`` is not what rounding left of it.
    """
    e, z = log_parts(a)
    n = o.to_f32(e)
    sum_ = n + z
    lost = (z - (sum_ - n)) + z * horner(LOG2, z)
    log_high = _leading_bits(sum_)
    log_low = (sum_ - log_high) + lost
    y_bounded = o.min(o.max(y, -(2.0**33)), 2.0**33)
    y_high = _leading_bits(y_bounded)
    high = y_high * log_high
    rest = (y_bounded - y_high) * log_high + y_bounded * log_low
    t = high + rest
    r = o.round(t)
    result = scaled(exp2_reduced((high - r) + rest), o.to_i32(r))
    return o.select(o.lt(t, POW_LOWEST), 0.0, o.select(o.lt(t, 128.0), result, t + _INF))


def define_pow(x: Expr, y: Expr) -> Expr:
    """Return ``x**y`` with the special cases of IEEE 754."""
    bits = o.bitcast_u32(x)
    magnitude_bits = bits & 0x7FFFFFFF
    is_whole = o.eq(o.floor(y), y)
    is_odd = is_whole & o.ne(o.floor(y * 0.5), y * 0.5)
    result = _pow_of_magnitude(o.abs(x), y)
    result = o.select(o.lt(x, o.select(is_whole, -_INF, 0.0)), _NAN, result)
    edge = o.select(o.eq(o.eq(magnitude_bits, 0), o.lt(y, 0.0)), _INF, 0.0)
    edge = o.select(o.ne(x, x) | o.ne(y, y), _NAN, edge)
    is_edge = o.le(0x7F7FFFFF, magnitude_bits - 1)  # 0, infinite or NaN
    result = o.select(is_edge, edge, result)
    result = o.bitcast_f32(o.bitcast_u32(result) | (bits & o.select(is_odd, literal(_SIGN, Type.U32), 0)))
    return o.select(o.eq(y, 0.0) | o.eq(x, 1.0), 1.0, result)
