"""Resizing on OpenCL devices: across, then down."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.kernels.opencl.device import Device, launch_rows
from unshape_image.kernels.opencl.places import held_input
from unshape_image.nodes.resize import Resize
from unshape_image.picture_shape import PictureShape


def resize(node: Resize, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Resize to a window of the result."""
    held = held_input(ctx)
    assert ctx.region is not None  # else there would be no held input
    output, channels = ctx.region.output, held.channels
    shape = PictureShape(width_px=held.width_px, height_px=held.height_px, channels=channels)
    columns, rows = node.tables(shape, ctx)
    across, down = columns.part(output.x_px, output.right_px), rows.part(output.y_px, output.bottom_px)
    first, stop = down.texels
    row_floats = output.width_px * channels
    taps = len(across.indices)
    texels = (across.indices - held.window.x_px)[:, :, None] * channels + np.arange(channels)
    between = device.empty((stop - first, row_floats))
    launch_rows(
        device,
        "resize.cl",
        "us_across",
        arrays=(
            inputs[0],
            device.table(texels.reshape(taps, -1).astype(np.int32)),
            device.table(np.repeat(across.weights, channels, axis=1)),
            between,
        ),
        before_sizes=(held.row_floats,),
        sizes=(row_floats, stop - first),
        after=(first - held.window.y_px, taps),
    )
    result = device.empty((output.height_px, output.width_px, channels))
    launch_rows(
        device,
        "resize.cl",
        "us_down",
        arrays=(
            between,
            device.table((down.indices - first).astype(np.int32)),
            device.table(np.ascontiguousarray(down.weights)),
            result,
        ),
        sizes=(row_floats, output.height_px),
        after=(len(down.indices),),
    )
    return (result,)
