"""The operations of the language that are called by name in text, and the names that stand alone."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from unshape_expr import common, leaves, operators, position, vectors
from unshape_expr.ir import Expr
from unshape_expr.literal import literal
from unshape_expr.types import Type


@dataclass(frozen=True, slots=True)
class Builtin:
    """An operation of the language.

    Parameters
    ----------
    name : str
        What text writes.
    build : callable
        Takes expressions and numbers by position.
    parameters : tuple of str
        Names, for keywords and messages.
    is_variadic : bool
        Whether more arguments may follow.
    doc : str
        One sentence.
    """

    name: str
    build: Callable[..., Expr]
    parameters: tuple[str, ...]
    is_variadic: bool
    doc: str

    @property
    def usage(self) -> str:
        """How it is called."""
        return f"{self.name}({', '.join((*self.parameters, *(['...'] if self.is_variadic else [])))})"


def _builtin(build: Callable[..., Any]) -> Builtin:
    parameters = inspect.signature(build).parameters.values()
    doc = (inspect.getdoc(build) or "").split("\n\n")[0].replace("\n", " ")
    return Builtin(
        name=build.__name__,
        build=build,
        parameters=tuple(p.name for p in parameters if p.kind is not p.VAR_POSITIONAL),
        is_variadic=any(p.kind is p.VAR_POSITIONAL for p in parameters),
        doc=doc.removeprefix("Return "),
    )


BUILTINS: Mapping[str, Builtin] = MappingProxyType(
    {
        build.__name__: _builtin(build)
        for build in (
            operators.abs,
            operators.min,
            operators.max,
            operators.floor,
            operators.ceil,
            operators.trunc,
            operators.round,
            operators.sqrt,
            operators.select,
            operators.to_f32,
            operators.to_i32,
            operators.to_u32,
            operators.bitcast_f32,
            operators.bitcast_u32,
            common.clamp,
            common.fract,
            common.is_nan,
            vectors.vec2,
            vectors.vec3,
            vectors.vec4,
            vectors.dot,
            vectors.cross,
            vectors.length,
            vectors.distance,
            vectors.normalize,
            vectors.reflect,
            vectors.mix,
        )
    }
)
"""Operations called by name; functions (:mod:`unshape_expr.function_table`) come beside them."""

NAMES: Mapping[str, tuple[Callable[[], Expr], str]] = MappingProxyType(
    {
        "u": (position.u, "horizontal position of the pixel's centre, 0 at the left edge, 1 at the right one"),
        "v": (position.v, "vertical position of the pixel's centre, 0 at the upper edge, 1 at the lower one"),
        "uv": (position.uv, "`vec2(u, v)`"),
        "pixel_x": (leaves.pixel_x, "column of the pixel, an i32"),
        "pixel_y": (leaves.pixel_y, "row of the pixel, an i32"),
        "pixel": (position.pixel, "column and row of the pixel, a vec2"),
        "width": (leaves.width, "width of the picture in pixels, an i32"),
        "height": (leaves.height, "height of the picture in pixels, an i32"),
        "resolution": (position.resolution, "width and height of the picture, a vec2"),
        "time": (leaves.time, "time of the picture in seconds"),
        "frame": (leaves.frame, "number of the picture in its sequence, an i32"),
        "dt": (leaves.dt, "seconds from the picture before"),
        "seed": (leaves.seed, "seed of the evaluation, a u32"),
        "preview": (leaves.preview, "whether quality may be traded for speed, a bool"),
        "pi": (lambda: literal(math.pi), "3.14159274, the float32 next to pi"),
        "tau": (lambda: literal(math.tau), "6.28318548, the float32 next to 2 pi"),
        "true": (lambda: literal(True, Type.BOOL), "the condition that holds"),  # noqa: FBT003
        "false": (lambda: literal(False, Type.BOOL), "the condition that does not hold"),  # noqa: FBT003
    }
)
"""Names that stand alone: what they build and what they are."""
