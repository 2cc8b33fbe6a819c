"""The mathematical functions of the language: names, parameters and error bounds.

Their definitions use primitive operations only, in one stated order, so that every backend computes the same bits.
Errors are in units of the last place of the exact result; ``docs/reference/math-accuracy.md`` has the measured ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unshape_expr.exponentials import define_exp, define_exp2, define_log, define_log2, define_log10, define_pow
from unshape_expr.functions import Function, Parameter
from unshape_expr.hyperbolic import define_cosh, define_sinh, define_tanh
from unshape_expr.ir import Expr
from unshape_expr.near_zero import define_acosh, define_asinh, define_atanh, define_expm1, define_log1p
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

ULP_BOUNDS: Mapping[str, float] = {
    "exp2": 1.1,
    "exp": 1.0,
    "log2": 1.4,
    "log": 1.0,
    "log10": 2.0,
    "pow": 2.0,
    "sin": 2.6,
    "cos": 2.6,
    "tan": 3.7,
    "asin": 2.5,
    "acos": 1.3,
    "atan": 1.6,
    "atan2": 2.0,
    "sinh": 1.8,
    "cosh": 1.6,
    "tanh": 1.5,
    "cbrt": 1.1,
    "expm1": 1.6,
    "log1p": 1.3,
    "asinh": 2.0,
    "acosh": 2.2,
    "atanh": 2.2,
}
"""Largest error in units of the last place, where the function's documentation names no other range."""

RESULT_RANGES = {
    "sin": (-1.000001, 1.000001),
    "cos": (-1.000001, 1.000001),
    "tanh": (-1.000001, 1.000001),
    "atan": (-1.571, 1.571),
    "atan2": (-3.142, 3.142),
}
"""Bounds of the results for all finite arguments, where they are bounded and never NaN: the exact ones and some ulp."""


def _function(name: str, define: Callable[..., Expr], doc: str, parameters: tuple[str, ...] = ("x",)) -> Function:
    return Function(
        name,
        tuple(Parameter(p, Type.F32) for p in parameters),
        Type.F32,
        define,
        is_componentwise=True,
        doc=doc.format(ulp=f"within {ULP_BOUNDS[name]} ulp"),
        result_range=RESULT_RANGES.get(name),
    )


exp2 = _function("exp2", define_exp2, "``2**x`` {ulp}; 0 below ``x = -126``, infinite from 128 on.")
exp = _function("exp", define_exp, "``e**x`` {ulp}; 0 where the result would be below 2**-126.")
log2 = _function("log2", define_log2, "Logarithm to base 2 {ulp}; -inf of 0, NaN below.")
log = _function("log", define_log, "Natural logarithm {ulp}; -inf of 0, NaN below.")
log10 = _function("log10", define_log10, "Logarithm to base 10 {ulp}; -inf of 0, NaN below.")
pow = _function(  # noqa: A001 - the language's name
    "pow",
    define_pow,
    "``x**y`` {ulp} for ``abs(y) <= 3`` and 1.2 + abs(y)/3 ulp beyond; special cases as in IEEE 754: 1 for ``y = 0`` "
    "and for ``x = 1``, NaN for a negative ``x`` unless ``y`` is whole; 0 where the result is below about 2**-126.",
    ("x", "y"),
)
sin = _function("sin", define_sin, "Sine {ulp} up to ``abs(x) = 6433``; 0 from 2**22 on; NaN of infinities.")
cos = _function("cos", define_cos, "Cosine {ulp} up to ``abs(x) = 6433``; 1 from 2**22 on; NaN of infinities.")
tan = _function("tan", define_tan, "Tangent {ulp} up to ``abs(x) = 6433``; 0 from 2**22 on; NaN of infinities.")
asin = _function("asin", define_asin, "Arcsine {ulp}, in [-pi/2, pi/2]; NaN outside of [-1, 1].")
acos = _function("acos", define_acos, "Arccosine {ulp}, in [0, pi]; NaN outside of [-1, 1].")
atan = _function("atan", define_atan, "Arctangent {ulp}, in [-pi/2, pi/2].")
atan2 = _function(
    "atan2",
    define_atan2,
    "Angle of the point ``(x, y)`` in [-pi, pi] {ulp}; special cases as in IEEE 754.",
    ("y", "x"),
)
sinh = _function("sinh", define_sinh, "Hyperbolic sine {ulp}.")
cosh = _function("cosh", define_cosh, "Hyperbolic cosine {ulp}.")
tanh = _function("tanh", define_tanh, "Hyperbolic tangent {ulp}.")
expm1 = _function("expm1", define_expm1, "``e**x - 1`` {ulp}, also near 0.")
log1p = _function("log1p", define_log1p, "``log(1 + x)`` {ulp}, also near 0; -inf of -1, NaN below.")
asinh = _function("asinh", define_asinh, "Inverse hyperbolic sine {ulp}.")
acosh = _function("acosh", define_acosh, "Inverse hyperbolic cosine {ulp}; NaN below 1.")
atanh = _function("atanh", define_atanh, "Inverse hyperbolic tangent {ulp}; infinite at -1 and 1, NaN beyond.")
cbrt = _function("cbrt", define_cbrt, "Cube root {ulp}; negative below zero.")

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
    expm1,
    log1p,
    asinh,
    acosh,
    atanh,
    cbrt,
)
