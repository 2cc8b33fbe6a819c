"""The mathematical functions of the language: names, parameters and error bounds.

Their definitions use primitive operations only, in one stated order, so that every backend computes the same bits.
Errors are in units of the last place of the exact result; ``docs/reference/math-accuracy.md`` has the measured ones.
"""

from __future__ import annotations

from collections.abc import Callable

from unshape_expr.exponentials import define_exp, define_exp2, define_log, define_log2, define_log10, define_pow
from unshape_expr.functions import Function, Parameter
from unshape_expr.hyperbolic import define_cosh, define_sinh, define_tanh
from unshape_expr.ir import Expr
from unshape_expr.roots import define_cbrt
from unshape_expr.trigonometry import (
    define_acos,
    define_asin,
    define_atan,
    define_atan2,
    define_cos,
    define_sin,
    define_tan,
)
from unshape_expr.types import Type


def _function(name: str, define: Callable[..., Expr], doc: str, parameters: tuple[str, ...] = ("x",)) -> Function:
    return Function(
        name, tuple(Parameter(p, Type.F32) for p in parameters), Type.F32, define, is_componentwise=True, doc=doc
    )


exp2 = _function("exp2", define_exp2, "``2**x`` within 1.1 ulp; 0 below ``x = -126``, infinite from 128 on.")
exp = _function("exp", define_exp, "``e**x`` within 1 ulp; 0 where the result would be below 2**-126.")
log2 = _function("log2", define_log2, "Logarithm to base 2 within 1.3 ulp; -inf of 0, NaN below.")
log = _function("log", define_log, "Natural logarithm within 0.9 ulp; -inf of 0, NaN below.")
log10 = _function("log10", define_log10, "Logarithm to base 10 within 2 ulp; -inf of 0, NaN below.")
pow = _function(  # noqa: A001 - the language's name
    "pow",
    define_pow,
    "``x**y`` within 1.7 ulp for ``abs(y) <= 3`` and ``1.2 + abs(y)/3`` ulp beyond; special cases as in IEEE 754: 1 "
    "for ``y = 0`` and for ``x = 1``, NaN for a negative ``x`` unless ``y`` is whole; 0 where the result would be "
    "below about 2**-126.",
    ("x", "y"),
)
sin = _function("sin", define_sin, "Sine within 2.5 ulp up to ``abs(x) = 6433``; 0 from 2**22 on; NaN of infinities.")
cos = _function("cos", define_cos, "Cosine within 2.5 ulp up to ``abs(x) = 6433``; 1 from 2**22 on; NaN of infinities.")
tan = _function(
    "tan", define_tan, "Tangent within 3.6 ulp up to ``abs(x) = 6433``; 0 from 2**22 on; NaN of infinities."
)
asin = _function("asin", define_asin, "Arcsine within 2.4 ulp, in [-pi/2, pi/2]; NaN outside of [-1, 1].")
acos = _function("acos", define_acos, "Arccosine within 1.3 ulp, in [0, pi]; NaN outside of [-1, 1].")
atan = _function("atan", define_atan, "Arctangent within 1.6 ulp, in [-pi/2, pi/2].")
atan2 = _function(
    "atan2",
    define_atan2,
    "Angle of the point ``(x, y)`` in [-pi, pi] within 2.5 ulp; special cases as in IEEE 754.",
    ("y", "x"),
)
sinh = _function("sinh", define_sinh, "Hyperbolic sine within 1.8 ulp.")
cosh = _function("cosh", define_cosh, "Hyperbolic cosine within 1.6 ulp.")
tanh = _function("tanh", define_tanh, "Hyperbolic tangent within 1.5 ulp.")
cbrt = _function("cbrt", define_cbrt, "Cube root within 1.1 ulp; negative below zero.")

MATH_FUNCTIONS = (
    exp2,
    exp,
    log2,
    log,
    log10,
    pow,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    atan2,
    sinh,
    cosh,
    tanh,
    cbrt,
)
