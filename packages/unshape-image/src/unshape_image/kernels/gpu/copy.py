"""Crop and pad on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_expr.ir import Border
from unshape_image.kernels.gpu.device import Device, Held, groups_of, shape_of, source_of
from unshape_image.nodes.crop import Crop
from unshape_image.nodes.pad import Pad


def crop(node: Crop, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Copy the rectangle."""
    return (_copied(inputs[0], Held(ctx), device, moved_px=(node.x_px, node.y_px), border=Border.CLAMP),)


def pad(node: Pad, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Copy picture and border."""
    return (_copied(inputs[0], Held(ctx), device, moved_px=(-node.left_px, -node.top_px), border=node.border),)


def _copied(source: GraphValue, held: Held, device: Device, *, moved_px: tuple[int, int], border: Border) -> GraphValue:
    output = held.output
    result = device.empty(shape_of(output, held.channels))
    if output.is_empty:
        return result
    x_px, y_px = output.x_px + moved_px[0], output.y_px + moved_px[1]
    row = output.width_px * held.step
    columns = held.columns(x_px, x_px + output.width_px, border)
    lines = held.rows(y_px, y_px + output.height_px, border)
    device.run(
        source_of("copy", channels=held.channels),
        reads=(source, device.table(columns), device.table(lines)),
        writes=(result,),
        words=(row, output.height_px, held.step, held.window.width_px * held.step),
        groups=groups_of(row, output.height_px),
    )
    return result
