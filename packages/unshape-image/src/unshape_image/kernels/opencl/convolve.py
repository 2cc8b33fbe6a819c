"""Convolution on OpenCL devices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_core.window import Window
from unshape_image.kernels.opencl.axis import TILE_BYTES
from unshape_image.kernels.opencl.device import Device, launch_rows, source_of
from unshape_image.kernels.opencl.places import Held, Places, held_input
from unshape_image.nodes.convolve import Convolve

_WIDE, _TALL = 64, 4
"""A group's work-items along a row, and the rows that each of them computes."""


def convolve(node: Convolve, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Filter a window."""
    held = held_input(ctx)
    assert ctx.region is not None  # else there would be no held input
    output, channels = ctx.region.output, held.channels
    plan = device.prepared((node.weights, node.border), lambda: _Plan.of(device, node, held, output))
    kernel_height, kernel_width = len(node.weights), len(node.weights[0])
    row_floats, rows = output.width_px * channels, output.height_px
    result = device.empty((output.height_px, output.width_px, channels))
    arrays = (inputs[0], plan.columns, plan.lines, plan.weights, result)
    tile = (_WIDE + (kernel_width - 1) * channels) * (4 * _TALL + kernel_height - 1)
    if not device.is_cpu and 4 * tile <= min(TILE_BYTES, device.local_bytes) and device.max_group >= 4 * _WIDE:
        bands = min(-(-rows // (4 * _TALL)), 65535)
        device.launch(
            source_of("convolve_tile.cl"),
            "us_convolve",
            arguments=(*arrays, held.row_floats, row_floats, rows, kernel_width, kernel_height, channels),
            global_size=(row_floats, 4 * bands),
            local_size=(_WIDE, 4),
            defines={"US_WIDE": _WIDE, "US_TALL": _TALL},
            local_floats=tile,
        )
        return (result,)
    launch_rows(
        device,
        "convolve.cl",
        "us_convolve",
        arrays=arrays,
        before_sizes=(held.row_floats,),
        sizes=(row_floats, rows),
        after=(
            plan.places.inner_low,
            plan.places.inner_high - (kernel_width - 1) * channels,
            plan.places.shift,
            kernel_width,
            kernel_height,
            channels,
        ),
    )
    return (result,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What the kernels are given."""

    places: Places
    columns: GraphValue
    lines: GraphValue
    weights: GraphValue

    @classmethod
    def of(cls, device: Device, node: Convolve, held: Held, output: Window) -> _Plan:
        places = Places.around(held, output, reach_px=node.reach_px, border=node.border)
        return cls(
            places=places,
            columns=device.table(places.columns),
            lines=device.table(places.lines),
            weights=device.table(np.array(node.weights, np.float32)),
        )
