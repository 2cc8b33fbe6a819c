"""The ways in which two colours are blended, as the W3C's compositing standard and image editors have them."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from unshape_expr import build as e
from unshape_expr.ir import Expr


class BlendMode(StrEnum):
    """What becomes of base b and top t; nothing is cut off at 0 or 1."""

    NORMAL = "normal"  # t
    MULTIPLY = "multiply"  # b*t
    SCREEN = "screen"  # (b + t) - b*t
    OVERLAY = "overlay"  # 2*b*t where b <= 0.5, else 1 - 2*(1 - b)*(1 - t)
    ADD = "add"  # b + t
    SUBTRACT = "subtract"  # b - t
    DIFFERENCE = "difference"  # |b - t|
    DARKEN = "darken"  # the smaller one
    LIGHTEN = "lighten"  # the larger one

    def apply(self, base: Expr, top: Expr) -> Expr:
        """Return the blended colour, both fully opaque."""
        return _FUNCTIONS[self](base, top)


def _overlay(base: Expr, top: Expr) -> Expr:
    parts = [
        e.select(e.le(b, 0.5), 2.0 * b * t, 1.0 - 2.0 * (1.0 - b) * (1.0 - t))
        for b, t in zip(e.components(base), e.components(top), strict=True)
    ]
    return e.vector(*parts)


_FUNCTIONS: dict[BlendMode, Callable[[Expr, Expr], Expr]] = {
    BlendMode.NORMAL: lambda _base, top: top,
    BlendMode.MULTIPLY: lambda base, top: base * top,
    BlendMode.SCREEN: lambda base, top: (base + top) - base * top,
    BlendMode.OVERLAY: _overlay,
    BlendMode.ADD: lambda base, top: base + top,
    BlendMode.SUBTRACT: lambda base, top: base - top,
    BlendMode.DIFFERENCE: lambda base, top: e.abs(base - top),
    BlendMode.DARKEN: e.min,
    BlendMode.LIGHTEN: e.max,
}
