"""Running expressions and nodes in tests, with the package's NumPy implementations or by the definitions alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_expr import build as e
from unshape_expr.body import SupportsBody, build_body
from unshape_expr.functions import Function
from unshape_expr.interpret import Interpreter
from unshape_expr.ir import Expr
from unshape_expr.lower import lower
from unshape_expr.picture_input import PictureInput
from unshape_expr.types import Type, float_type
from unshape_noise.families import Kind
from unshape_noise.fractal import Fractal
from unshape_noise.warp import warp_function

Picture = npt.NDArray[np.float32]
_interpreter = Interpreter()


@cache
def by_definition(kind: Kind, mode: Fractal | None, dimensions: int, *, tiled: bool) -> Function:
    """The function of a kind without its NumPy implementation, at any depth."""
    plain = replace(kind.tiled(dimensions) if tiled else kind.plain(dimensions), numpy=None)
    if mode is None:
        return plain
    make = kind.fractal_tiled if tiled else kind.fractal
    return replace(make(mode, plain), numpy=None)


@cache
def warp_by_definition(kind: Kind, dimensions: int) -> Function:
    return replace(warp_function(by_definition(kind, Fractal.FBM, dimensions, tiled=False)), numpy=None)


def at_positions(function: Function, positions: Picture, *arguments: Expr | float) -> Picture:
    """A function's values where a picture of positions says, ``[height, width, components of the result]``."""
    height, width, channels = positions.shape
    where = e.input_pixel("position", float_type(channels))
    lowering = lower([function(where, *arguments)])
    # A new interpreter: what one prepared for a kernel does not depend on whether functions have implementations.
    (result,) = Interpreter().run(
        lowering.kernel,
        lowering.slot_values,
        {"position": PictureInput.whole(positions)},
        window=Window.whole(width_px=width, height_px=height),
        width_px=width,
        height_px=height,
    )
    return result


def on_grid(expression: Expr, *, width_px: int, height_px: int, window: Window | None = None) -> Picture:
    """An expression of the pixel's position."""
    lowering = lower([expression])
    (result,) = Interpreter().run(
        lowering.kernel,
        lowering.slot_values,
        {},
        window=window or Window.whole(width_px=width_px, height_px=height_px),
        width_px=width_px,
        height_px=height_px,
    )
    return result


def u32(value: int) -> Expr:
    return e.literal(value & 0xFFFFFFFF, Type.U32)


def run_node(
    node: SupportsBody,
    pictures: Sequence[Picture] = (),
    *,
    resolution: tuple[int, int] = (64, 48),
    window: Window | None = None,
    seed: int = 0,
    time_s: float = 0.0,
    frame: int = 0,
) -> Picture:
    """A node's picture, or a window of it."""
    specs = [ValueSpec(TEXTURE, p.shape) for p in pictures]
    width, height = pictures[0].shape[1::-1] if pictures else resolution
    lowering = build_body(node, specs).lower()
    ports = [port.name for port in node.inputs]
    (result,) = _interpreter.run(
        lowering.kernel,
        lowering.slot_values,
        {name: PictureInput.whole(p) for name, p in zip(ports, pictures, strict=True)},
        window=window or Window.whole(width_px=width, height_px=height),
        width_px=width,
        height_px=height,
        uniforms={"seed": seed, "time_s": time_s, "frame": frame},
    )
    return result


def same_bits(a: Picture, b: Picture) -> bool:
    """Whether two pictures are equal bit for bit; any NaN equals any other."""
    if a.shape != b.shape:
        return False
    both_nan = np.isnan(a) & np.isnan(b)
    return bool(np.all((a.view(np.uint32) == b.view(np.uint32)) | both_nan))
