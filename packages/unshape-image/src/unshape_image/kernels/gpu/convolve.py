"""Convolution on the GPU."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.kernels.gpu.device import TILE_BYTES, Device, Held, constants, shape_of, source_of
from unshape_image.nodes.convolve import Convolve

_TILE_PX = (32, 16)


def convolve(node: Convolve, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Filter a window."""
    held = Held(ctx)
    output, step = held.output, held.step
    result = device.empty(shape_of(output, held.channels))
    if output.is_empty:
        return (result,)
    weights = np.array(node.weights, np.float32)
    height, width = weights.shape
    reach_x, reach_y = node.reach_px
    columns = held.columns(output.x_px - reach_x, output.right_px + reach_x, node.border)
    lines = held.rows(output.y_px - reach_y, output.bottom_px + reach_y, node.border)
    row = output.width_px * step
    wide, tall = _TILE_PX[0] * step, _TILE_PX[1]
    tiles_across = -(-row // wide)
    device.run(
        _text(held.channels, wide + (width - 1) * step, tall + height - 1, step),
        reads=(inputs[0], device.table(weights), device.table(columns), device.table(lines)),
        writes=(result,),
        words=(row, output.height_px, held.window.width_px * step, tiles_across, width, height),
        items=tiles_across * -(-output.height_px // tall),
        group_size=1,
    )
    return (result,)


@lru_cache(maxsize=64)
def _text(channels: int, wide: int, tall: int, step: int) -> str:
    capacity = 1 << (wide * tall - 1).bit_length()
    fits = capacity * (16 if channels == 4 else 4) <= TILE_BYTES
    held = capacity if fits else 0
    head = constants({"WIDE": _TILE_PX[0] * step, "TALL": _TILE_PX[1], "STEP": step, "CAPACITY": held})
    return head + source_of("plane_tile" if fits else "plane_direct", "convolve", channels=channels)
