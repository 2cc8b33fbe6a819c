"""Convolution on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.kernels.gpu.device import Device, Held, groups_of, shape_of, source_of
from unshape_image.nodes.convolve import Convolve


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
    device.run(
        source_of("convolve", channels=held.channels),
        reads=(inputs[0], device.table(weights), device.table(columns), device.table(lines)),
        writes=(result,),
        words=(row, output.height_px, step, held.window.width_px * step, width, height),
        groups=groups_of(row, output.height_px),
    )
    return (result,)
