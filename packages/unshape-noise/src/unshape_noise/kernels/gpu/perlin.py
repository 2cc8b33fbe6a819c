"""Perlin noise on the GPU: octaves are prepared here, lattice cells are shared by the pixels of a tile there."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Protocol

import numpy as np

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.protocols import GraphValue
from unshape_noise.fast.arrays import mix32
from unshape_noise.fractal import MAX_OCTAVES, SEED_STEP, SHIFTS, Fractal
from unshape_noise.nodes.perlin import Perlin
from unshape_noise.perlin import TABLE_2D

_TILE_PX = (256, 4)
_MOST_CELLS_PER_PX = 0.5
_MOST_SHARED_COORDINATE = 2.0**19
"""Up to here coordinates are rounded by less than half a cell, so that room for one more than exact ones is enough."""
_MODES = {Fractal.FBM: 0, Fractal.BILLOW: 1, Fractal.RIDGED: 2}
_F32 = np.float32
_OCTAVE = struct.Struct("<4f4I")


class Device(Protocol):
    """What the kernel needs of the device that runs it; of unshape-gpu it is a ``KernelCall``."""

    def empty(self, shape: tuple[int, ...], /) -> GraphValue:
        """Return a float32 array whose elements are not set."""

    def run(
        self,
        source: str,
        *,
        reads: Sequence[GraphValue],
        writes: Sequence[GraphValue],
        words: bytes,
        items: int,
        group_size: int,
    ) -> None:
        """Record a run of a shader in a flat grid of so many work items."""


def why_not(task: Task, limits: DeviceLimits) -> Rejection | None:
    """Return why a task is left to the expression: three dimensions, and lattices that repeat."""
    del limits
    node = task.node
    assert isinstance(node, Perlin)  # it is registered for no other type
    if node.dimensions != 2 or node.tileable:
        return Rejection(RejectionCode.NO_KERNEL, "the kernel is for two dimensions without repetition")
    return None


def perlin(node: Perlin, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Compute a window."""
    del inputs
    if ctx.region is None:
        msg = "a kernel on a device: expected a context with a region, got none; run it through a backend"
        raise InvalidArgumentError(msg)
    window = ctx.region.output
    result = device.empty((window.height_px, window.width_px, 1))
    if window.is_empty:
        return (result,)
    width_px, height_px = ctx.resolution
    octaves = octaves_of(node, ctx.seed & 0xFFFFFFFF, width_px)
    tiles_across = -(-window.width_px // _TILE_PX[0])
    head = struct.pack(
        "<6i3fIfI",
        *(window.x_px, window.y_px, window.width_px, window.height_px, width_px, height_px),
        *(node.scale, node.offset_x, node.offset_y),
        *(node.octaves, octaves.reciprocal, tiles_across),
    )
    device.run(
        _source(_MODES[Fractal(node.mode)]),
        reads=(),
        writes=(result,),
        words=head + octaves.words,
        items=tiles_across * -(-window.height_px // _TILE_PX[1]),
        group_size=1,
    )
    return (result,)


@dataclass(frozen=True, slots=True)
class Octaves:
    """What does not depend on pixels.

    Parameters
    ----------
    words : bytes
        Eight words for each of 30 octaves, and a byte for each cell that the pixels of a tile share, as the shader
        lists them.
    reciprocal : float
        Of the sum of the amplitudes.
    """

    words: bytes
    reciprocal: float


@lru_cache(maxsize=64)
def octaves_of(node: Perlin, seed: int, width_px: int) -> Octaves:
    """Return the octaves of a node, with the float32 operations of fractal.py.

    Parameters
    ----------
    node : Perlin
        The node.
    seed : int
        That of the evaluation.
    width_px : int
        Of the whole picture.
    """
    total, amplitude, frequency = _F32(0), _F32(1), _F32(1)
    words = b""
    shared: list[int] = []
    reach = abs(node.offset_x) + node.scale
    for k in range(node.octaves):
        octave_seed = int(mix32((node.seed + seed + k * SEED_STEP) & 0xFFFFFFFF))
        first, count = len(shared), _shared_cells(node.scale * float(frequency) / width_px, reach * float(frequency))
        count = count if first + count <= _TILE_PX[0] else 0
        shared += [k] * count
        shifts = _shift(k, 0), _shift(k, 1)
        words += _OCTAVE.pack(frequency, amplitude, *shifts, octave_seed, first, count, 0)
        total = total + amplitude
        amplitude = amplitude * _F32(node.persistence)
        frequency = frequency * _F32(node.lacunarity)
    words = words.ljust(_OCTAVE.size * MAX_OCTAVES, b"\0") + bytes(shared).ljust(_TILE_PX[0], b"\xff")
    return Octaves(words, float(_F32(1) / total))


def _shared_cells(cells_per_px: float, reach: float) -> int:
    """Return how many cells a row of a tile meets at most; 0 where sharing them does not pay or is not sure."""
    if cells_per_px > _MOST_CELLS_PER_PX or reach >= _MOST_SHARED_COORDINATE:
        return 0
    return int((_TILE_PX[0] - 1) * cells_per_px) + 3


def _shift(octave: int, axis: int) -> float:
    product = _F32(octave) * _F32(SHIFTS[axis])
    return float(product - np.floor(product))


@cache
def _source(mode: int) -> str:
    head = f"const MODE = {mode}u;\n" + "".join(f"const T{k} = {value!r}f;\n" for k, value in enumerate(TABLE_2D))
    return head + (files("unshape_noise.kernels.gpu") / "perlin.wgsl").read_text(encoding="utf-8")
