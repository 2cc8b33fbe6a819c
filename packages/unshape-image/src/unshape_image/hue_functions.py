"""Models of colour with a hue, and adjustments made in them, as functions of the expression language.

All are computed from the numbers as they are. Hue, in turns from 0 to 1, wraps around.
"""

from __future__ import annotations

from collections.abc import Callable

from unshape_expr import build as e
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Expr
from unshape_expr.types import Type


def _hue(rgb: Expr, highest: Expr, chroma: Expr) -> Expr:
    r, g, b = e.components(rgb)
    sixth = e.select(
        e.eq(highest, r),
        (g - b) / chroma,
        e.select(e.eq(highest, g), (b - r) / chroma + 2.0, (r - g) / chroma + 4.0),
    )
    turn = sixth / 6.0
    return e.select(e.eq(chroma, 0.0), 0.0, e.select(e.lt(turn, 0.0), turn + 1.0, turn))


def _rgb_to_hsv(rgb: Expr) -> Expr:
    highest, lowest = e.max(*e.components(rgb)), e.min(*e.components(rgb))
    chroma = highest - lowest
    saturation = e.select(e.eq(highest, 0.0), 0.0, chroma / highest)
    return e.vec3(_hue(rgb, highest, chroma), saturation, highest)


def _hsv_to_rgb(hsv: Expr) -> Expr:
    hue, saturation, value = e.components(hsv)

    def channel(shift: float) -> Expr:
        k = e.mod(hue * 6.0 + shift, 6.0)
        return value - value * saturation * e.max(e.min(k, 4.0 - k, 1.0), 0.0)

    return e.vec3(channel(5.0), channel(3.0), channel(1.0))


def _rgb_to_hsl(rgb: Expr) -> Expr:
    highest, lowest = e.max(*e.components(rgb)), e.min(*e.components(rgb))
    chroma, lightness = highest - lowest, (highest + lowest) * 0.5
    saturation = e.select(e.eq(chroma, 0.0), 0.0, chroma / (1.0 - e.abs(lightness * 2.0 - 1.0)))
    return e.vec3(_hue(rgb, highest, chroma), saturation, lightness)


def _hsl_to_rgb(hsl: Expr) -> Expr:
    hue, saturation, lightness = e.components(hsl)
    amplitude = saturation * e.min(lightness, 1.0 - lightness)

    def channel(shift: float) -> Expr:
        k = e.mod(hue * 12.0 + shift, 12.0)
        return lightness - amplitude * e.max(e.min(k - 3.0, 9.0 - k, 1.0), -1.0)

    return e.vec3(channel(0.0), channel(8.0), channel(4.0))


def _rgb_to_hwb(rgb: Expr) -> Expr:
    hue, _, value = e.components(_rgb_to_hsv(rgb))
    return e.vec3(hue, e.min(*e.components(rgb)), 1.0 - value)


def _hwb_to_rgb(hwb: Expr) -> Expr:
    hue, white, black = e.components(hwb)
    pure = _hsv_to_rgb(e.vec3(hue, 1.0, 1.0))
    total = white + black
    return e.select(e.lt(total, 1.0), pure * (1.0 - total) + white, white / total)


def _adjust_hsl(rgb: Expr, hue: Expr, saturation: Expr, lightness: Expr) -> Expr:
    h, s, level = e.components(_rgb_to_hsl(rgb))
    return _hsl_to_rgb(e.vec3(h + hue, e.saturate(s * saturation), e.saturate(level + lightness)))


def _adjust_hsv(rgb: Expr, hue: Expr, saturation: Expr, value: Expr) -> Expr:
    h, s, level = e.components(_rgb_to_hsv(rgb))
    return _hsv_to_rgb(e.vec3(h + hue, e.saturate(s * saturation), e.saturate(level * value)))


def _model(name: str, parameter: str, define: Callable[..., Expr], doc: str) -> Function:
    return Function(name, (Parameter(parameter, Type.VEC3),), Type.VEC3, define, doc=doc)


def _adjustment(name: str, last: str, start: float, define: Callable[..., Expr], doc: str) -> Function:
    numbers = (("hue", 0.0), ("saturation", 1.0), (last, start))
    parameters = (Parameter("rgb", Type.VEC3), *(Parameter(key, Type.F32, default=value) for key, value in numbers))
    return Function(name, parameters, Type.VEC3, define, doc=doc)


rgb_to_hsv = _model("rgb_to_hsv", "rgb", _rgb_to_hsv, "Hue, saturation and value, for components of at least 0.")
hsv_to_rgb = _model("hsv_to_rgb", "hsv", _hsv_to_rgb, "RGB of hue, saturation and value of any size; hue wraps around.")
rgb_to_hsl = _model("rgb_to_hsl", "rgb", _rgb_to_hsl, "Hue, saturation and lightness, for components in [0, 1].")
hsl_to_rgb = _model(
    "hsl_to_rgb", "hsl", _hsl_to_rgb, "RGB of hue, saturation and lightness, for lightness in [0, 1]; hue wraps around."
)
rgb_to_hwb = _model("rgb_to_hwb", "rgb", _rgb_to_hwb, "Hue, whiteness and blackness, for components in [0, 1].")
hwb_to_rgb = _model(
    "hwb_to_rgb",
    "hwb",
    _hwb_to_rgb,
    "RGB of hue, whiteness and blackness of at least 0; gray where these exceed 1 together.",
)
adjust_hsl = _adjustment(
    "adjust_hsl",
    "lightness",
    0.0,
    _adjust_hsl,
    "RGB whose HSL hue is turned by ``hue``, saturation multiplied, and lightness added to; both cut to [0, 1].",
)
adjust_hsv = _adjustment(
    "adjust_hsv",
    "value",
    1.0,
    _adjust_hsv,
    "RGB whose HSV hue is turned by ``hue``, saturation and value multiplied; both cut to [0, 1].",
)

HUE_FUNCTIONS = (rgb_to_hsv, hsv_to_rgb, rgb_to_hsl, hsl_to_rgb, rgb_to_hwb, hwb_to_rgb, adjust_hsl, adjust_hsv)
"""The part of ``COLOR_FUNCTIONS`` that is here."""
