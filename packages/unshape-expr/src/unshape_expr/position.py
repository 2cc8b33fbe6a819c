"""The pixel's position in the coordinates that pictures are described in."""

from __future__ import annotations

from unshape_expr import leaves
from unshape_expr.common import pixel_center
from unshape_expr.ir import Expr
from unshape_expr.operators import to_f32
from unshape_expr.vectors import vec2


def u() -> Expr:
    """Return the horizontal position of the pixel's centre, from 0 at the left edge to 1 at the right one."""
    return pixel_center(leaves.pixel_x(), leaves.width())


def v() -> Expr:
    """Return the vertical position of the pixel's centre, from 0 at the upper edge to 1 at the lower one."""
    return pixel_center(leaves.pixel_y(), leaves.height())


def uv() -> Expr:
    """Return the position of the pixel's centre, ``(pixel + 0.5) / resolution``."""
    return vec2(u(), v())


def pixel() -> Expr:
    """Return column and row of the pixel, a vec2 of whole numbers."""
    return vec2(to_f32(leaves.pixel_x()), to_f32(leaves.pixel_y()))


def resolution() -> Expr:
    """Return width and height of the whole picture in pixels, a vec2."""
    return vec2(to_f32(leaves.width()), to_f32(leaves.height()))
