"""Resizing on OpenCL devices: across, then down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_core.window import Window
from unshape_image.kernels.opencl.device import Device, launch_rows
from unshape_image.kernels.opencl.places import Held, held_input
from unshape_image.nodes.resize import Resize
from unshape_image.picture_shape import PictureShape


def resize(node: Resize, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Resize to a window of the result."""
    held = held_input(ctx)
    assert ctx.region is not None  # else there would be no held input
    output, channels = ctx.region.output, held.channels
    plan = device.prepared(node, lambda: _Plan.of(device, node, held, ctx, output))
    row_floats, between = output.width_px * channels, device.empty((plan.stop - plan.first, output.width_px, channels))
    launch_rows(
        device,
        "resize.cl",
        "us_across",
        arrays=(inputs[0], plan.columns, plan.weights_across, between),
        before_sizes=(held.row_floats,),
        sizes=(row_floats, plan.stop - plan.first),
        after=(plan.first - held.window.y_px, plan.taps_across),
    )
    result = device.empty((output.height_px, output.width_px, channels))
    launch_rows(
        device,
        "resize.cl",
        "us_down",
        arrays=(between, plan.lines, plan.weights_down, result),
        sizes=(row_floats, output.height_px),
        after=(plan.taps_down,),
    )
    return (result,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What the kernels are given: for each place and tap the float or row, and its weight; the rows that are read."""

    columns: GraphValue
    weights_across: GraphValue
    taps_across: int
    lines: GraphValue
    weights_down: GraphValue
    taps_down: int
    first: int
    stop: int

    @classmethod
    def of(cls, device: Device, node: Resize, held: Held, ctx: EvalContext, output: Window) -> _Plan:
        channels = held.channels
        shape = PictureShape(width_px=held.width_px, height_px=held.height_px, channels=channels)
        columns, rows = node.tables(shape, ctx)
        across, down = columns.part(output.x_px, output.right_px), rows.part(output.y_px, output.bottom_px)
        first, stop = down.texels
        taps = len(across.indices)
        texels = (across.indices - held.window.x_px)[:, :, None] * channels + np.arange(channels)
        return cls(
            columns=device.table(texels.reshape(taps, -1).astype(np.int32)),
            weights_across=device.table(np.repeat(across.weights, channels, axis=1)),
            taps_across=taps,
            lines=device.table((down.indices - first).astype(np.int32)),
            weights_down=device.table(np.ascontiguousarray(down.weights)),
            taps_down=len(down.indices),
            first=first,
            stop=stop,
        )
