"""Reading pictures at computed positions."""

from __future__ import annotations

from unshape_expr.errors import ExpressionTypeError
from unshape_expr.ir import Border, Expr, Fetching, Filter, Sampling
from unshape_expr.literal import ExprLike, lift
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_expr.vectors import vec2


def sample(
    port: str,
    uv: Expr,
    *,
    type: Type,  # noqa: A002 - the field's word
    filter: Filter = Filter.BILINEAR,  # noqa: A002 - the field's word
    border: Border = Border.CLAMP,
) -> Expr:
    """Return a picture input at a position.

    Parameters
    ----------
    port : str
        The input.
    uv : vec2
        ``(0, 0)`` is the upper left corner of the picture, ``(1, 1)`` the lower right one.
    type : Type
        Of one texel: f32 for one channel, a vector for more.
    filter : Filter
        Bilinear (mixed in y first, then in x) or nearest; ``sampling.py`` says exactly what is read and mixed.
    border : Border
        What lies outside.
    """
    position = lift(uv, Type.VEC2, where="sample")
    return Expr(Op.SAMPLE, _texel(type, "sample"), (position,), Sampling(port, Filter(filter), Border(border)))


def fetch(
    port: str,
    x: ExprLike,
    y: ExprLike,
    *,
    type: Type,  # noqa: A002 - the field's word
    border: Border = Border.CLAMP,
) -> Expr:
    """Return one texel of a picture input at whole pixel coordinates, counted from 0 in the whole picture."""
    position = (lift(x, Type.I32, where="fetch"), lift(y, Type.I32, where="fetch"))
    return Expr(Op.FETCH, _texel(type, "fetch"), position, Fetching(port, Border(border)))


def texture_width(port: str) -> Expr:
    """Return the width of a picture input in pixels, an i32."""
    return Expr(Op.TEXTURE_WIDTH, Type.I32, (), port)


def texture_height(port: str) -> Expr:
    """Return the height of a picture input in pixels, an i32."""
    return Expr(Op.TEXTURE_HEIGHT, Type.I32, (), port)


def texture_size(port: str) -> Expr:
    """Return width and height of a picture input in pixels, a vec2."""
    width, height = (Expr(Op.TO_F32, Type.F32, (size(port),)) for size in (texture_width, texture_height))
    return vec2(width, height)


def _texel(type: Type, where: str) -> Type:  # noqa: A002 - the field's word
    if not type.is_float:
        msg = f"{where}: expected texels of type f32, vec2, vec3 or vec4, got {type.value}"
        raise ExpressionTypeError(msg)
    return type
