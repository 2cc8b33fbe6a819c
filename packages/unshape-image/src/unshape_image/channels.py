"""Which channel of a picture is alpha.

A picture of two channels is gray and alpha, one of four is red, green, blue and alpha. Alpha is straight: colours are
not multiplied by it.
"""

from __future__ import annotations

from collections.abc import Callable

from unshape_core.errors import InvalidArgumentError
from unshape_expr.build import component, components, vector
from unshape_expr.ir import Expr


def has_alpha(channels: int) -> bool:
    """Return whether the last channel of a picture of so many is alpha."""
    return channels in {2, 4}


def color_of(pixel: Expr) -> Expr:
    """Return a pixel without its alpha."""
    parts = components(pixel)
    return vector(*parts[:-1]) if has_alpha(len(parts)) else pixel


def alpha_of(pixel: Expr) -> Expr | None:
    """Return the alpha of a pixel, None if it has none."""
    count = pixel.type.components
    return component(pixel, count - 1) if has_alpha(count) else None


def join(colour: Expr, alpha: Expr | None) -> Expr:
    """Return colour and alpha as one pixel."""
    return colour if alpha is None else vector(colour, alpha)


def map_color(function: Callable[[Expr], Expr], pixel: Expr) -> Expr:
    """Return a pixel whose colour went through a function; its alpha stays."""
    return join(function(color_of(pixel)), alpha_of(pixel))


def require_channels(pixel: Expr, counts: tuple[int, ...], *, type_name: str, port: str) -> Expr:
    """Return a pixel that has one of so many channels.

    Raises
    ------
    InvalidArgumentError
        If it has not.
    """
    if pixel.type.components not in counts:
        expected = " or ".join(str(count) for count in counts)
        msg = f"{type_name}: input {port!r}: expected a picture of {expected} channels, got {pixel.type.components}"
        raise InvalidArgumentError(msg, type_name=type_name)
    return pixel
