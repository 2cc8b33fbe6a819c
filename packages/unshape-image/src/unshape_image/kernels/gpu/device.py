"""What these kernels need of the device that runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.protocols import GraphValue
from unshape_core.window import Window
from unshape_expr.ir import Border
from unshape_image.borders import border_indices

GROUP_PX = (32, 8)
"""Work items of a workgroup along a row, and rows."""
TILE_BYTES = 16384
"""What a workgroup holds of a picture at most: the workgroup memory that every device has."""
_MOST_GROUPS = 65535

Table = npt.NDArray[np.int32]


class Device(Protocol):
    """Makes arrays and runs shaders; of unshape-gpu it is a ``KernelCall``."""

    def empty(self, shape: tuple[int, ...], /) -> GraphValue:
        """Return a float32 array whose elements are not set."""

    def table(self, array: npt.NDArray[Any], /) -> GraphValue:
        """Return a copy of a host array."""

    def run(
        self,
        source: str,
        *,
        reads: Sequence[GraphValue],
        writes: Sequence[GraphValue],
        words: Sequence[int | float],
        items: int = 0,
        group_size: int = 256,
        groups: tuple[int, int, int] | None = None,
    ) -> None:
        """Record a run of a shader, in a flat grid of so many work items or in the workgroups that are given."""


class Held:
    """The picture that a kernel reads: what is at hand of it, and its whole size.

    Parameters
    ----------
    ctx : EvalContext
        Of a running kernel.

    Raises
    ------
    InvalidArgumentError
        If nothing says what is at hand.
    """

    __slots__ = ("channels", "height_px", "output", "width_px", "window")

    def __init__(self, ctx: EvalContext) -> None:
        region = ctx.region
        if region is None or region.inputs[0] is None or region.input_specs[0].shape is None:
            msg = "a kernel on a device: expected a context with a region, got none; run it through a backend"
            raise InvalidArgumentError(msg)
        self.window = region.inputs[0]
        self.output = region.output
        self.height_px, self.width_px, self.channels = region.input_specs[0].shape

    @property
    def step(self) -> int:
        """Elements of a texel: one of four channels, or one for each channel."""
        return 1 if self.channels == 4 else self.channels

    def columns(self, first: int, stop: int, border: Border) -> Table:
        """Return for a range of columns which one at hand stands there, -1 for zeros."""
        return places_of(first, stop, self.width_px, border, self.window.x_px)

    def rows(self, first: int, stop: int, border: Border) -> Table:
        """Return for a range of rows which one at hand stands there, -1 for zeros."""
        return places_of(first, stop, self.height_px, border, self.window.y_px)


@lru_cache(maxsize=256)
def places_of(first: int, stop: int, size: int, border: Border, origin: int) -> Table:
    """Return for a range of places of an axis which one at hand stands there, -1 for zeros; read-only.

    Parameters
    ----------
    first, stop : int
        The range.
    size : int
        Of the whole picture along the axis.
    border : Border
        What lies outside.
    origin : int
        Where what is at hand begins.
    """
    indices = border_indices(first, stop, size, border)
    places = np.where(indices < 0, -1, indices - origin).astype(np.int32)
    places.setflags(write=False)  # so that a device knows it again without looking
    return places


@cache
def source_of(*names: str, channels: int) -> str:
    """Return the texts of this folder that make up a shader for pictures of a number of channels."""
    suffix, element = ("4", "vec4<f32>") if channels == 4 else ("", "f32")
    head = (
        f"alias Element = {element};\n"
        f"fn e_mul(x: Element, y: Element) -> Element {{ return k_mul{suffix}(x, y); }}\n"
        f"fn e_add(x: Element, y: Element) -> Element {{ return k_add{suffix}(x, y); }}\n"
        f"fn e_all(v: f32) -> Element {{ return Element(v); }}\n"
    )
    folder = files("unshape_image.kernels.gpu")
    return head + "\n".join((folder / f"{name}.wgsl").read_text(encoding="utf-8") for name in names)


def constants(values: Mapping[str, int]) -> str:
    """Return declarations of constants that a shader expects before its text."""
    return "".join(f"const {name} = {value}u;\n" for name, value in values.items())


def groups_of(row_elements: int, rows: int) -> tuple[int, int, int]:
    """Return the grid for a picture; shaders go on to what lies beyond it."""
    across, down = -(-row_elements // GROUP_PX[0]), -(-rows // GROUP_PX[1])
    return (min(across, _MOST_GROUPS), min(down, _MOST_GROUPS), 1)


def shape_of(window: Window, channels: int) -> tuple[int, int, int]:
    """Return the shape of the array that holds a window."""
    return (window.height_px, window.width_px, channels)
