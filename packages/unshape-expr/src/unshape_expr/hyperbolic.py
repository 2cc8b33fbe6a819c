"""Hyperbolic functions, in primitive operations."""

from __future__ import annotations

from unshape_expr import operators as o
from unshape_expr.exponentials import exp_parts, scaled
from unshape_expr.horner import horner
from unshape_expr.ir import Expr
from unshape_expr.polynomials import SINH, TANH
from unshape_expr.trigonometry import with_sign_of

_INF = float("inf")
_LIMIT = 89.41598510742188  # the largest float32 whose hyperbolic sine is finite


def _half_exp(a: Expr) -> Expr:
    """Return ``exp(a)/2`` for ``a`` up to the limit of sinh."""
    q, n = exp_parts(a)
    return scaled(q, n - 1)


def define_sinh(x: Expr) -> Expr:
    """Return the hyperbolic sine."""
    a = o.abs(x)
    half = _half_exp(a)
    square = a * a
    near = a + (a * square) * horner(SINH, square)
    value = o.select(o.lt(a, 1.0), near, o.select(o.le(a, _LIMIT), half - 0.25 / half, a + _INF))
    return with_sign_of(value, x)


def define_cosh(x: Expr) -> Expr:
    """Return the hyperbolic cosine."""
    a = o.abs(x)
    half = _half_exp(a)
    return o.select(o.le(a, _LIMIT), half + 0.25 / half, a + _INF)


def define_tanh(x: Expr) -> Expr:
    """Return the hyperbolic tangent."""
    a = o.min(o.abs(x), 10.0)
    q, n = exp_parts(a + a)
    square = a * a
    near = a + (a * square) * horner(TANH, square)
    return with_sign_of(o.select(o.lt(a, 0.625), near, 1.0 - 2.0 / (scaled(q, n) + 1.0)), x)
