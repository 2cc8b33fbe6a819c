"""Crop and pad on OpenCL devices."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_core.window import Window
from unshape_expr.ir import Border
from unshape_image.kernels.opencl.device import Device, launch_rows
from unshape_image.kernels.opencl.places import Held, Places, held_input
from unshape_image.nodes.crop import Crop
from unshape_image.nodes.pad import Pad


def crop(node: Crop, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Copy the rectangle."""
    return (_copied(inputs[0], ctx, device, moved_px=(node.x_px, node.y_px), border=Border.CLAMP),)


def pad(node: Pad, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Copy picture and border."""
    return (_copied(inputs[0], ctx, device, moved_px=(-node.left_px, -node.top_px), border=node.border),)


def _copied(
    source: GraphValue, ctx: EvalContext, device: Device, *, moved_px: tuple[int, int], border: Border
) -> GraphValue:
    held = held_input(ctx)
    assert ctx.region is not None  # else there would be no held input
    output = ctx.region.output
    read = Window(output.x_px + moved_px[0], output.y_px + moved_px[1], output.width_px, output.height_px)
    return copy_places(device, source, Places.around(held, read, reach_px=(0, 0), border=border), held)


def copy_places(device: Device, source: GraphValue, places: Places, held: Held) -> GraphValue:
    """Return the texels that stand at each place, float32[height_px, width_px, channel]."""
    rows, row_floats = len(places.lines), len(places.columns)
    result = device.empty((rows, row_floats // held.channels, held.channels))
    launch_rows(
        device,
        "copy.cl",
        "us_copy",
        arrays=(source, device.table(places.columns), device.table(places.lines), result),
        before_sizes=(held.row_floats,),
        sizes=(row_floats, rows),
        after=(places.inner_low, places.inner_high, places.shift),
    )
    return result
