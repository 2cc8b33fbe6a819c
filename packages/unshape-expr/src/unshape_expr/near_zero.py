"""``exp(x) - 1`` and ``log(1 + x)`` that stay accurate near 0, and the inverse hyperbolic functions made of them."""

from __future__ import annotations

from unshape_expr import operators as o
from unshape_expr.exponentials import EXP_LIMIT, LN2_HIGH, LN2_LOW, exp_fraction, log1p_reduced, log_parts, scaled
from unshape_expr.ir import Expr
from unshape_expr.trigonometry import with_sign_of

_INF = float("inf")
_NAN = float("nan")
_LN2 = 0.6931471824645996
_LOW = -30.0  # below, the exponential is less than half a unit in the last place of 1
_HIGH = 30.0  # above, 1 is less than half a unit in the last place of the exponential
_LARGE = 1073741824.0  # 2**30, from where on sqrt(x*x - 1) and sqrt(x*x + 1) are x


def define_expm1(x: Expr) -> Expr:
    """Return ``exp(x) - 1``: ``2**n*p + (2**n - 1)`` with ``p = exp(f) - 1``, of which the last two parts are exact."""
    p, n = exp_fraction(x)
    inside = o.min(o.max(n, -60), 60)
    power = o.bitcast_f32(o.to_u32((inside + 127) << 23))
    near = power * p + (power - 1.0)
    far = o.select(o.le(x, EXP_LIMIT), scaled(1.0 + p, n), x + _INF)
    return with_sign_of(o.abs(o.select(o.lt(x, _LOW), -1.0, o.select(o.lt(x, _HIGH), near, far))), x)


def define_log1p(x: Expr) -> Expr:
    """Return ``log(1 + x)``.

    ``1 + x`` is ``u + c`` with its rounding error ``c``, which is exact; the logarithm is that of ``u`` plus ``c/u``.
    Where ``u`` needs no power of two, the polynomial is taken at ``x`` itself.
    """
    u = 1.0 + x
    lost = o.select(o.lt(x, 1.0), x - (u - 1.0), 1.0 - (u - x))
    e, z = log_parts(u)
    n = o.to_f32(e)
    far = n * LN2_HIGH + ((n * LN2_LOW + lost / u) + log1p_reduced(z))
    finite = o.select(o.eq(e, 0), log1p_reduced(x), far)
    edge = o.select(o.eq(x, -1.0), -_INF, _NAN)
    return o.select(o.lt(-1.0, x), o.select(o.lt(x, _INF), finite, x), edge)


def _log_of_sum(excess: Expr, is_large: Expr) -> Expr:
    """Return ``log(1 + excess)``, or ``log(2*excess)`` where that is large."""
    return define_log1p(excess) + o.select(is_large, _LN2, 0.0)


def define_asinh(x: Expr) -> Expr:
    """Return the inverse hyperbolic sine, ``log1p(a + a*a/(1 + sqrt(a*a + 1)))`` with ``a = abs(x)``."""
    a = o.abs(x)
    is_large = o.le(_LARGE, a)
    square = a * a
    excess = o.select(is_large, a, a + square / (1.0 + o.sqrt(square + 1.0)))
    return with_sign_of(_log_of_sum(excess, is_large), x)


def define_acosh(x: Expr) -> Expr:
    """Return the inverse hyperbolic cosine, ``log1p(t + sqrt(t*t + 2*t))`` with ``t = x - 1``."""
    t = x - 1.0
    is_large = o.le(_LARGE, x)
    excess = o.select(is_large, x, t + o.sqrt(t * t + (t + t)))
    return o.select(o.le(1.0, x), _log_of_sum(excess, is_large), _NAN)


def define_atanh(x: Expr) -> Expr:
    """Return the inverse hyperbolic tangent, ``log1p(2*a/(1 - a))/2`` with ``a = abs(x)``."""
    a = o.abs(x)
    return with_sign_of(o.select(o.le(a, 1.0), define_log1p((a + a) / (1.0 - a)) * 0.5, _NAN), x)
