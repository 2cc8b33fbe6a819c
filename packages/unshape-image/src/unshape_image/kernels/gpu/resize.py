"""Resizing on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.kernels.gpu.device import Device, Held, groups_of, shape_of, source_of
from unshape_image.nodes.resize import Resize
from unshape_image.picture_shape import PictureShape
from unshape_image.resize_table import ResizeTable


def resize(node: Resize, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Resize to a window."""
    held = Held(ctx)
    output, step, channels = held.output, held.step, held.channels
    result = device.empty(shape_of(output, channels))
    if output.is_empty:
        return (result,)
    shape = PictureShape(width_px=held.width_px, height_px=held.height_px, channels=channels)
    columns, rows = node.tables(shape, ctx)
    across, down = columns.part(output.x_px, output.right_px), rows.part(output.y_px, output.bottom_px)
    first, stop = down.texels
    row = output.width_px * step
    source = source_of("resize", channels=channels)
    between = device.empty((stop - first, output.width_px, channels))
    device.run(
        source,
        reads=(inputs[0], *_tables(device, across, held.window.x_px)),
        writes=(between,),
        words=(
            len(across.indices),
            row,
            stop - first,
            1,
            step,
            held.window.width_px * step,
            first - held.window.y_px,
        ),
        groups=groups_of(row, stop - first),
    )
    device.run(
        source,
        reads=(between, *_tables(device, down, first)),
        writes=(result,),
        words=(len(down.indices), row, output.height_px, 0, step, row, 0),
        groups=groups_of(row, output.height_px),
    )
    return (result,)


def _tables(device: Device, table: ResizeTable, origin: int) -> tuple[GraphValue, GraphValue]:
    return (
        device.table((table.indices - origin).astype(np.int32)),
        device.table(np.ascontiguousarray(table.weights)),
    )
