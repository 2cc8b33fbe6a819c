"""Convolution on OpenCL devices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.kernels.opencl.device import Device, launch_rows
from unshape_image.kernels.opencl.places import Places, held_input
from unshape_image.nodes.convolve import Convolve


def convolve(node: Convolve, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Filter a window."""
    held = held_input(ctx)
    assert ctx.region is not None  # else there would be no held input
    output, channels = ctx.region.output, held.channels
    weights = np.array(node.weights, np.float32)
    kernel_height, kernel_width = weights.shape
    places = Places.around(held, output, reach_px=node.reach_px, border=node.border)
    result = device.empty((output.height_px, output.width_px, channels))
    tables = (places.columns, places.lines, weights)
    launch_rows(
        device,
        "convolve.cl",
        "us_convolve",
        arrays=(inputs[0], *[device.table(each) for each in tables], result),
        before_sizes=(held.row_floats,),
        sizes=(output.width_px * channels, output.height_px),
        after=(
            places.inner_low,
            places.inner_high - (kernel_width - 1) * channels,
            places.shift,
            kernel_width,
            kernel_height,
            channels,
        ),
    )
    return (result,)
