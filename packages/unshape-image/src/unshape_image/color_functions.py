"""Colour spaces as functions of the expression language.

RGB means the primaries and the white (D65) of sRGB; *linear* is proportional to light, *srgb* the same encoded as in
picture files. Lab and OkLab are computed from linear light; L of Lab runs from 0 to 100, L of OkLab from 0 to 1.
What has a hue is in ``hue_functions``, further models are in ``chroma_functions``.
"""

from __future__ import annotations

from collections.abc import Callable

from unshape_expr import build as e
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Expr
from unshape_expr.math_functions import cbrt
from unshape_expr.math_functions import pow as power
from unshape_expr.types import Type
from unshape_image import color_matrices as m
from unshape_image.chroma_functions import CHROMA_FUNCTIONS
from unshape_image.hue_functions import HUE_FUNCTIONS

_LAB_EPSILON = 216.0 / 24389.0
_LAB_KAPPA = 24389.0 / 27.0
"""The curve of CIE Lab is a cube root above epsilon and a line below it."""


def transform(matrix: m.Matrix, vector: Expr) -> Expr:
    """Return matrix times vector; each component ``(m0*x + m1*y) + m2*z``."""
    return e.vec3(*(e.dot(e.vec3(*row), vector) for row in matrix))


def _srgb_to_linear(x: Expr) -> Expr:
    return e.select(e.le(x, 0.04045), x / 12.92, power((x + 0.055) / 1.055, 2.4))


def _linear_to_srgb(x: Expr) -> Expr:
    return e.select(e.le(x, 0.0031308), x * 12.92, 1.055 * power(x, 1.0 / 2.4) - 0.055)


def _luminance(rgb: Expr) -> Expr:
    return e.dot(rgb, e.vec3(0.2126, 0.7152, 0.0722))


def _lab_curve(t: Expr) -> Expr:
    return e.select(e.gt(t, _LAB_EPSILON), cbrt(t), (t * _LAB_KAPPA + 16.0) / 116.0)


def _lab_curve_inverse(f: Expr) -> Expr:
    return e.select(e.gt(f, 6.0 / 29.0), f * f * f, (f * 116.0 - 16.0) / _LAB_KAPPA)


def _linear_to_lab(rgb: Expr) -> Expr:
    x, y, z = (_lab_curve(t) for t in e.components(transform(m.RELATIVE_XYZ_FROM_RGB, rgb)))
    return e.vec3(y * 116.0 - 16.0, (x - y) * 500.0, (y - z) * 200.0)


def _lab_to_linear(lab: Expr) -> Expr:
    lightness, a, b = e.components(lab)
    y = (lightness + 16.0) / 116.0
    curves = (y + a / 500.0, y, y - b / 200.0)
    return transform(m.RGB_FROM_RELATIVE_XYZ, e.vec3(*(_lab_curve_inverse(f) for f in curves)))


def _linear_to_oklab(rgb: Expr) -> Expr:
    return transform(m.OKLAB_FROM_ROOTS, cbrt(transform(m.LMS_FROM_RGB, rgb)))


def _oklab_to_linear(lab: Expr) -> Expr:
    roots = transform(m.ROOTS_FROM_OKLAB, lab)
    return transform(m.RGB_FROM_LMS, roots * roots * roots)


def _curve(name: str, define: Callable[..., Expr], doc: str) -> Function:
    return Function(name, (Parameter("x", Type.F32),), Type.F32, define, is_componentwise=True, doc=doc)


def _colour(name: str, parameter: str, define: Callable[..., Expr], doc: str, returns: Type = Type.VEC3) -> Function:
    return Function(name, (Parameter(parameter, Type.VEC3),), returns, define, doc=doc)


srgb_to_linear = _curve(
    "srgb_to_linear",
    _srgb_to_linear,
    "Decode sRGB (IEC 61966-2-1) to linear light; the line goes on below 0, the curve above 1.",
)
linear_to_srgb = _curve(
    "linear_to_srgb",
    _linear_to_srgb,
    "Encode linear light as sRGB (IEC 61966-2-1); the line goes on below 0, the curve above 1.",
)
luminance = _colour(
    "luminance", "rgb", _luminance, "``0.2126*r + 0.7152*g + 0.0722*b`` (Rec. 709) of linear light.", Type.F32
)
linear_to_lab = _colour(
    "linear_to_lab", "rgb", _linear_to_lab, "CIE Lab (D65) of linear sRGB of any components, also below 0 and above 1."
)
lab_to_linear = _colour("lab_to_linear", "lab", _lab_to_linear, "Linear sRGB of CIE Lab (D65) of any components.")
linear_to_oklab = _colour(
    "linear_to_oklab", "rgb", _linear_to_oklab, "OkLab of linear sRGB of any components, by signed cube roots."
)
oklab_to_linear = _colour("oklab_to_linear", "lab", _oklab_to_linear, "Linear sRGB of OkLab of any components.")

COLOR_FUNCTIONS = (
    srgb_to_linear,
    linear_to_srgb,
    luminance,
    linear_to_lab,
    lab_to_linear,
    linear_to_oklab,
    oklab_to_linear,
    *HUE_FUNCTIONS,
    *CHROMA_FUNCTIONS,
)
"""What the entry point ``unshape.functions`` names."""
