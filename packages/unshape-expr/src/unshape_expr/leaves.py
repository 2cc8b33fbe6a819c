"""Leaves: the pixel's position, values given at run time, and the inputs of a node."""

from __future__ import annotations

from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.types import Type


def pixel_x() -> Expr:
    """Return the pixel's column in the whole picture, an i32."""
    return Expr(Op.PIXEL_X, Type.I32)


def pixel_y() -> Expr:
    """Return the pixel's row in the whole picture, an i32."""
    return Expr(Op.PIXEL_Y, Type.I32)


def width() -> Expr:
    """Return the width of the whole picture in pixels, an i32."""
    return Expr(Op.WIDTH, Type.I32)


def height() -> Expr:
    """Return the height of the whole picture in pixels, an i32."""
    return Expr(Op.HEIGHT, Type.I32)


def uniform(name: str, type: Type) -> Expr:  # noqa: A002 - the field's word
    """Return a named value given at run time, equal for all pixels."""
    return Expr(Op.UNIFORM, type, (), name)


def time() -> Expr:
    """Return the time of the picture in seconds, an f32."""
    return uniform("time_s", Type.F32)


def frame() -> Expr:
    """Return the number of the picture in its sequence, an i32."""
    return uniform("frame", Type.I32)


def dt() -> Expr:
    """Return the seconds from the picture before, an f32."""
    return uniform("dt_s", Type.F32)


def seed() -> Expr:
    """Return the seed of the evaluation, a u32."""
    return uniform("seed", Type.U32)


def preview() -> Expr:
    """Return whether quality may be traded for speed, a bool."""
    return uniform("preview", Type.BOOL)


def input_pixel(port: str, type: Type) -> Expr:  # noqa: A002 - the field's word
    """Return a picture input at this pixel: f32 for one channel, a vector for more."""
    return Expr(Op.INPUT, type, (), port)


def input_scalar(port: str, type: Type) -> Expr:  # noqa: A002 - the field's word
    """Return an input that is no picture: a number or vector, equal for all pixels."""
    return Expr(Op.SCALAR_INPUT, type, (), port)


def argument(name: str, type: Type) -> Expr:  # noqa: A002 - the field's word
    """Return a parameter inside the definition of a function."""
    return Expr(Op.ARGUMENT, type, (), name)
