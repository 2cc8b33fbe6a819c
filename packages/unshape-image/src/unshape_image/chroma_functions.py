"""Chroma of colours, matrices and contrast, as functions of the expression language, of the numbers as they are."""

from __future__ import annotations

from collections.abc import Callable

from unshape_expr import build as e
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Expr
from unshape_expr.math_functions import atan2, cos, sin
from unshape_expr.types import Type

_TURN = 6.283185307179586
_RED, _GREEN, _BLUE = 0.299, 0.587, 0.114
"""Shares of luma of ITU-R BT.601, as JPEG files have them."""


def _lab_to_lch(lab: Expr) -> Expr:
    lightness, a, b = e.components(lab)
    turn = atan2(b, a) / _TURN
    return e.vec3(lightness, e.sqrt(a * a + b * b), e.select(e.lt(turn, 0.0), turn + 1.0, turn))


def _lch_to_lab(lch: Expr) -> Expr:
    lightness, chroma, hue = e.components(lch)
    angle = hue * _TURN
    return e.vec3(lightness, chroma * cos(angle), chroma * sin(angle))


def _rgb_to_ycbcr(rgb: Expr) -> Expr:
    luma = e.dot(rgb, e.vec3(_RED, _GREEN, _BLUE))
    r, _, b = e.components(rgb)
    return e.vec3(luma, (b - luma) / (2.0 - 2.0 * _BLUE) + 0.5, (r - luma) / (2.0 - 2.0 * _RED) + 0.5)


def _ycbcr_to_rgb(ycbcr: Expr) -> Expr:
    luma, cb, cr = e.components(ycbcr)
    r = luma + (cr - 0.5) * (2.0 - 2.0 * _RED)
    b = luma + (cb - 0.5) * (2.0 - 2.0 * _BLUE)
    return e.vec3(r, (luma - r * _RED - b * _BLUE) / _GREEN, b)


def _brightness_contrast(x: Expr, brightness: Expr, contrast: Expr) -> Expr:
    return e.saturate((x - 0.5) * e.max(1.0 + contrast, 0.0) + 0.5 + brightness)


def _color_matrix(color: Expr, *rows: Expr) -> Expr:
    return e.vec4(*(e.dot(row, color) for row in rows))


def _model(name: str, parameter: str, define: Callable[..., Expr], doc: str) -> Function:
    return Function(name, (Parameter(parameter, Type.VEC3),), Type.VEC3, define, doc=doc)


lab_to_lch = _model(
    "lab_to_lch", "lab", _lab_to_lch, "Lightness, chroma and hue, in turns, of Lab or OkLab of any components."
)
lch_to_lab = _model(
    "lch_to_lab", "lch", _lch_to_lab, "Lab or OkLab of lightness, chroma and hue in turns, which wraps around."
)
rgb_to_ycbcr = _model(
    "rgb_to_ycbcr",
    "rgb",
    _rgb_to_ycbcr,
    "Luma and chroma of ITU-R BT.601 in full range, as in JPEG, of any components; 0.5 is neutral.",
)
ycbcr_to_rgb = _model(
    "ycbcr_to_rgb", "ycbcr", _ycbcr_to_rgb, "RGB of luma and chroma of ITU-R BT.601 in full range, of any components."
)
brightness_contrast = Function(
    "brightness_contrast",
    (
        Parameter("x", Type.F32),
        Parameter("brightness", Type.F32, default=0.0),
        Parameter("contrast", Type.F32, default=0.0),
    ),
    Type.F32,
    _brightness_contrast,
    is_componentwise=True,
    doc="``saturate((x - 0.5)*max(1 + contrast, 0) + 0.5 + brightness)``.",
)
color_matrix = Function(
    "color_matrix",
    tuple(Parameter(name, Type.VEC4) for name in ("color", "red", "green", "blue", "alpha")),
    Type.VEC4,
    _color_matrix,
    doc="The product of a matrix, given by its four rows, with a colour of four components.",
)

CHROMA_FUNCTIONS = (lab_to_lch, lch_to_lab, rgb_to_ycbcr, ycbcr_to_rgb, brightness_contrast, color_matrix)
"""The part of ``COLOR_FUNCTIONS`` that is here."""
