"""Gaussian blur on OpenCL devices: across, then down."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.gaussian_weights import gaussian_radius, gaussian_weights
from unshape_image.kernels.opencl.device import Device, launch_rows
from unshape_image.kernels.opencl.places import Places, held_input
from unshape_image.nodes.gaussian_blur import GaussianBlur


def gaussian_blur(
    node: GaussianBlur, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device
) -> tuple[GraphValue]:
    """Blur a window."""
    held = held_input(ctx)
    assert ctx.region is not None  # else there would be no held input
    output, radius, channels = ctx.region.output, gaussian_radius(node.sigma_px), held.channels
    places = Places.around(held, output, reach_px=(radius, radius), border=node.border)
    weights = device.table(gaussian_weights(node.sigma_px))
    first, stop = places.rows_read()
    row_floats = output.width_px * channels
    lines = places.lines - first
    lines[places.lines < 0] = stop - first  # a row of zeros after the others
    rows = int(lines.max()) + 1
    across = device.empty((rows, row_floats))
    launch_rows(
        device,
        "symmetric.cl",
        "us_across",
        arrays=(inputs[0], device.table(places.columns), weights, across),
        before_sizes=(held.row_floats,),
        sizes=(row_floats, rows),
        after=(
            places.inner_low,
            places.inner_high - 2 * radius * channels,
            places.shift,
            first,
            radius,
            channels,
            stop - first,
        ),
    )
    result = device.empty((output.height_px, output.width_px, channels))
    launch_rows(
        device,
        "symmetric.cl",
        "us_down",
        arrays=(across, device.table(lines), weights, result),
        sizes=(row_floats, output.height_px),
        after=(radius,),
    )
    return (result,)
