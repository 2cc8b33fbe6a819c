"""Small functions that need literals: their definitions fix them, so that they are no slots."""

from __future__ import annotations

from unshape_expr import operators as o
from unshape_expr import vectors as v
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Expr
from unshape_expr.literal import ExprLike, literal
from unshape_expr.math_functions import cos, sin
from unshape_expr.types import Type

F32, I32 = Type.F32, Type.I32


def clamp(x: ExprLike, low: ExprLike, high: ExprLike) -> Expr:
    """Return ``min(max(x, low), high)``: ``high`` if the limits are the wrong way round."""
    (value, least, most), common = o.unify("clamp", (x, low, high), o.NUMBERS)
    del common
    return o.min(o.max(value, least), most)


def fract(x: ExprLike) -> Expr:
    """Return ``x - floor(x)``, in [0, 1]: 1 for the smallest negative numbers, by rounding."""
    (value,), _ = o.unify("fract", (x,), o.FLOATS)
    return o.sub(value, o.floor(value))


def is_nan(x: Expr) -> Expr:
    """Return whether an f32 is NaN."""
    (value,), _ = o.unify("is_nan", (x,), frozenset({F32}))
    return o.ne(value, value)


def _saturate(x: Expr) -> Expr:
    return o.min(o.max(x, 0.0), 1.0)


def _step(edge: Expr, x: Expr) -> Expr:
    return o.select(o.lt(x, edge), 0.0, 1.0)


def _smoothstep(low: Expr, high: Expr, x: Expr) -> Expr:
    t = saturate((x - low) / (high - low))
    return (t * t) * (3.0 - 2.0 * t)


def _sign(x: Expr) -> Expr:
    return o.select(o.gt(x, 0.0), 1.0, o.select(o.lt(x, 0.0), -1.0, x))


def _sign_i32(x: Expr) -> Expr:
    return o.select(o.gt(x, 0), literal(1, I32), o.select(o.lt(x, 0), literal(-1, I32), literal(0, I32)))


def _pixel_center(index: Expr, size: Expr) -> Expr:
    return (o.to_f32(index) + 0.5) / o.to_f32(size)


def _is_inf(x: Expr) -> Expr:
    return o.eq(o.abs(x), float("inf"))


def _is_finite(x: Expr) -> Expr:
    return o.lt(o.abs(x), float("inf"))


def _radians(degrees: Expr) -> Expr:
    return degrees * 0.017453292519943295


def _degrees(radians: Expr) -> Expr:
    return radians * 57.29577951308232


def _refract(incident: Expr, normal: Expr, eta: Expr) -> Expr:
    d = v.dot(normal, incident)
    k = 1.0 - (eta * eta) * (1.0 - d * d)
    bent = eta * incident - (eta * d + o.sqrt(k)) * normal
    return o.select(o.lt(k, 0.0), 0.0, bent)


def _rotate_about(p: Expr, center: Expr, angle: Expr) -> Expr:
    s, c = sin(angle), cos(angle)
    x, y = v.components(p - center)
    return center + v.vec2(x * c - y * s, x * s + y * c)


def _scale_about(p: Expr, center: Expr, factor: Expr) -> Expr:
    return center + (p - center) * factor


saturate = Function(
    "saturate",
    (Parameter("x", F32),),
    F32,
    _saturate,
    is_componentwise=True,
    doc="``min(max(x, 0), 1)``; NaN of NaN.",
)
step = Function(
    "step",
    (Parameter("edge", F32), Parameter("x", F32)),
    F32,
    _step,
    is_componentwise=True,
    doc="0 if ``x < edge``, else 1 (also for NaN).",
)
smoothstep = Function(
    "smoothstep",
    (Parameter("low", F32), Parameter("high", F32), Parameter("x", F32)),
    F32,
    _smoothstep,
    is_componentwise=True,
    doc="``(t*t)*(3 - 2*t)`` with ``t = saturate((x - low)/(high - low))``; NaN if all three are equal.",
)
sign = Function(
    "sign",
    (Parameter("x", F32),),
    F32,
    _sign,
    is_componentwise=True,
    doc="-1 below zero, 1 above it, ``x`` itself for a zero of either sign and for NaN.",
    result_range=(-1.0, 1.0),
)
sign_i32 = Function("sign", (Parameter("x", I32),), I32, _sign_i32, doc="-1 below zero, 0 at it, 1 above it.")
pixel_center = Function(
    "pixel_center",
    (Parameter("index", I32), Parameter("size", I32)),
    F32,
    _pixel_center,
    doc="``(index + 0.5)/size``: the centre of a pixel, 0 and 1 being the edges of the picture.",
)
is_inf = Function("is_inf", (Parameter("x", F32),), Type.BOOL, _is_inf, doc="Whether ``x`` is infinite.")
is_finite = Function(
    "is_finite", (Parameter("x", F32),), Type.BOOL, _is_finite, doc="Whether ``x`` is neither infinite nor NaN."
)
radians = Function(
    "radians", (Parameter("degrees", F32),), F32, _radians, is_componentwise=True, doc="``degrees * (pi/180)``."
)
degrees = Function(
    "degrees", (Parameter("radians", F32),), F32, _degrees, is_componentwise=True, doc="``radians * (180/pi)``."
)
refract_vec2, refract_vec3 = (
    Function(
        "refract",
        (Parameter("incident", type_), Parameter("normal", type_), Parameter("eta", F32)),
        type_,
        _refract,
        doc="The refracted direction, zero at total reflection: ``eta*i - (eta*d + sqrt(k))*n`` with "
        "``d = dot(n, i)`` and ``k = 1 - (eta*eta)*(1 - d*d)``.",
    )
    for type_ in (Type.VEC2, Type.VEC3)
)

rotate_about = Function(
    "rotate_about",
    (Parameter("p", Type.VEC2), Parameter("center", Type.VEC2), Parameter("angle", F32)),
    Type.VEC2,
    _rotate_about,
    doc="``p`` turned about a point by an angle in radians, from x towards y (clockwise where y points down).",
)
scale_about = Function(
    "scale_about",
    (Parameter("p", Type.VEC2), Parameter("center", Type.VEC2), Parameter("factor", Type.VEC2)),
    Type.VEC2,
    _scale_about,
    doc="``center + (p - center)*factor``, a factor for each axis.",
)

COMMON_FUNCTIONS = (
    saturate,
    step,
    smoothstep,
    sign,
    sign_i32,
    pixel_center,
    is_inf,
    is_finite,
    radians,
    degrees,
    refract_vec2,
    refract_vec3,
    rotate_about,
    scale_about,
)
