"""Box blur on OpenCL devices: a tree of sums across, then down."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_core.window import Window
from unshape_image.kernels.opencl.axis import SeparableFilter, Tables, TileFilter, fits
from unshape_image.kernels.opencl.copy import copy_places
from unshape_image.kernels.opencl.device import GROUP, Argument, Device, source_of
from unshape_image.kernels.opencl.places import Held, Places, Table, held_input
from unshape_image.nodes.box_blur import BoxBlur

_LEAST_FLOATS = 4096
"""Floats that a work-item on a CPU should have at least."""


def box_blur(node: BoxBlur, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Blur a window."""
    held = held_input(ctx)
    assert ctx.region is not None  # else there would be no held input
    output, radius, channels = ctx.region.output, node.radius_px, held.channels
    tiled = device.prepared((radius, node.border), lambda: _tiled(device, node, held, output))
    if tiled is not None:
        return (tiled.filtered(device, inputs[0]),)
    wide = Places.around(held, output, reach_px=(radius, radius), border=node.border)
    first, stop = wide.rows_read()
    rows = np.arange(first, max(stop, first + 1), dtype=np.int32)
    padded = copy_places(device, inputs[0], _with_lines(wide, rows), held)
    padded_floats, row_floats = len(wide.columns), output.width_px * channels
    across = device.empty((len(rows), padded_floats))
    count = len(rows) * padded_floats
    _sum(device, padded, across, floats=count, out_floats=count, hop=channels, radius=radius)
    lines = wide.lines - first
    lines[wide.lines < 0] = -1
    tall = copy_places(
        device,
        across,
        Places(columns=np.arange(row_floats, dtype=np.int32), lines=lines, inner_low=0, inner_high=row_floats, shift=0),
        Held(window=Window(0, 0, output.width_px + 2 * radius, len(rows)), width_px=0, height_px=0, channels=channels),
    )
    result = device.empty((output.height_px, output.width_px, channels))
    _sum(
        device,
        tall,
        result,
        floats=len(lines) * row_floats,
        out_floats=output.height_px * row_floats,
        hop=row_floats,
        radius=radius,
    )
    return (result,)


def _tiled(device: Device, node: BoxBlur, held: Held, output: Window) -> SeparableFilter | None:
    """Return the filter in tiles, None where they do not fit."""
    radius = node.radius_px
    how = TileFilter(
        file="box_tile.cl",
        entry="us_box",
        radius=radius,
        arguments=(float(np.float32(1.0 / (2 * radius + 1))),),
        levels=2,
    )
    if not fits(device, how, held.channels):
        return None
    places = Places.around(held, output, reach_px=(radius, radius), border=node.border)
    tables = Tables.of(device, places, held.channels)
    return SeparableFilter.of(device, how, held=held, output=output, tables=tables)


def _with_lines(places: Places, lines: Table) -> Places:
    return Places(
        columns=places.columns,
        lines=lines,
        inner_low=places.inner_low,
        inner_high=places.inner_high,
        shift=places.shift,
    )


def _sum(
    device: Device, source: GraphValue, out: GraphValue, *, floats: int, out_floats: int, hop: int, radius: int
) -> None:
    """Write the means of ``2*radius + 1`` neighbours, ``hop`` floats apart, level by level of the tree."""
    size = 2 * radius + 1
    spare = [device.empty((floats,)), device.empty((floats,))] if radius else [source, source]
    sums, done, block = source, 0, 1
    while done < size:
        has_digit = bool(size & block)
        is_last = has_digit and done + block == size
        arguments: list[Argument] = [
            sums,
            spare[0],
            out,
            *[np.int64(each) for each in (floats, out_floats, hop, block, done)],
            int(has_digit),
            int(done == 0),
            int(is_last),
            float(np.float32(1.0 / size)),
        ]
        _level(device, arguments, floats)
        done += block if has_digit else 0
        sums, block = spare[0], 2 * block
        spare.reverse()


def _level(device: Device, arguments: list[Argument], floats: int) -> None:
    source = source_of("runs.cl", "box.cl")
    if device.is_cpu:
        share = max(-(-floats // device.work_items), _LEAST_FLOATS)
        items = (-(-floats // share),)
        device.launch(
            source, "us_level", arguments=(*arguments, np.int64(share)), global_size=items, defines={"US_CPU": 1}
        )
        return
    device.launch(
        source, "us_level", arguments=(*arguments, np.int64(1)), global_size=(floats,), local_size=(4 * GROUP,)
    )
