"""Resizing on OpenCL devices: across, then down; on GPUs both in one kernel, with what is between in local memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_core.window import Window
from unshape_image.kernels.opencl.axis import TILE_BYTES
from unshape_image.kernels.opencl.device import Device, launch_rows, source_of
from unshape_image.kernels.opencl.places import Held, held_input
from unshape_image.nodes.resize import Resize
from unshape_image.picture_shape import PictureShape

_WIDE = 64
"""A group's work-items along a row; it has four rows of them."""
_TALL = (32, 16, 8, 4)
"""Rows of the result that a group may compute: the more, the fewer rows are resized across twice."""


def resize(node: Resize, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Resize to a window of the result."""
    held = held_input(ctx)
    assert ctx.region is not None  # else there would be no held input
    output = ctx.region.output
    plan = device.prepared(node, lambda: _Plan.of(device, node, held, ctx, output))
    result = device.empty((output.height_px, output.width_px, held.channels))
    if plan.tiles is not None:
        _in_tiles(device, inputs[0], result, plan, plan.tiles, held=held, output=output)
    else:
        _by_rows(device, inputs[0], result, plan, held=held, output=output)
    return (result,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tiles:
    """How a result is divided into bands of rows, one for a group: their height, and the rows that each needs."""

    tall: int
    spans: GraphValue
    most_rows: int

    @classmethod
    def of(cls, device: Device, lines: npt.NDArray[np.intp]) -> _Tiles | None:
        """Return the tallest bands whose rows fit local memory; None if there are none, or a CPU plays the device."""
        if device.is_cpu or device.max_group < 4 * _WIDE or not lines.size:
            return None
        most_rows = min(TILE_BYTES, device.local_bytes) // (4 * _WIDE)
        for tall in _TALL:
            starts = np.arange(0, lines.shape[1], tall)
            first = np.minimum.reduceat(lines.min(axis=0), starts)
            count = np.maximum.reduceat(lines.max(axis=0), starts) + 1 - first
            if count.max() <= most_rows:
                spans = device.table(np.stack([first, count], axis=1).astype(np.int32))
                return cls(tall=tall, spans=spans, most_rows=int(count.max()))
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What the kernels are given: for each place and tap the float or row, and its weight; the rows that are read.

    Rows are counted from the first one at hand.
    """

    columns: GraphValue
    weights_across: GraphValue
    taps_across: int
    lines: GraphValue
    weights_down: GraphValue
    taps_down: int
    first: int
    stop: int
    tiles: _Tiles | None

    @classmethod
    def of(cls, device: Device, node: Resize, held: Held, ctx: EvalContext, output: Window) -> _Plan:
        channels = held.channels
        shape = PictureShape(width_px=held.width_px, height_px=held.height_px, channels=channels)
        columns, rows = node.tables(shape, ctx)
        across, down = columns.part(output.x_px, output.right_px), rows.part(output.y_px, output.bottom_px)
        first, stop = down.texels
        taps = len(across.indices)
        texels = (across.indices - held.window.x_px)[:, :, None] * channels + np.arange(channels)
        lines = down.indices - held.window.y_px
        tiles = _Tiles.of(device, lines)
        return cls(
            columns=device.table(texels.reshape(taps, -1).astype(np.int32)),
            weights_across=device.table(np.repeat(across.weights, channels, axis=1)),
            taps_across=taps,
            lines=device.table((lines if tiles is not None else down.indices - first).astype(np.int32)),
            weights_down=device.table(np.ascontiguousarray(down.weights)),
            taps_down=len(down.indices),
            first=first - held.window.y_px,
            stop=stop - held.window.y_px,
            tiles=tiles,
        )


def _in_tiles(
    device: Device,
    source: GraphValue,
    result: GraphValue,
    plan: _Plan,
    tiles: _Tiles,
    *,
    held: Held,
    output: Window,
) -> None:
    row_floats, rows = output.width_px * held.channels, output.height_px
    arrays = (source, plan.columns, plan.weights_across, plan.lines, plan.weights_down, tiles.spans, result)
    device.launch(
        source_of("resize_tile.cl"),
        "us_resize",
        arguments=(*arrays, held.row_floats, row_floats, rows, plan.taps_across, plan.taps_down),
        global_size=(row_floats, 4 * min(-(-rows // tiles.tall), 65535)),
        local_size=(_WIDE, 4),
        defines={"US_WIDE": _WIDE, "US_TALL": tiles.tall},
        local_floats=_WIDE * tiles.most_rows,
    )


def _by_rows(
    device: Device, source: GraphValue, result: GraphValue, plan: _Plan, *, held: Held, output: Window
) -> None:
    row_floats, rows = output.width_px * held.channels, plan.stop - plan.first
    between = device.empty((rows, output.width_px, held.channels))
    launch_rows(
        device,
        "resize.cl",
        "us_across",
        arrays=(source, plan.columns, plan.weights_across, between),
        before_sizes=(held.row_floats,),
        sizes=(row_floats, rows),
        after=(plan.first, plan.taps_across),
    )
    launch_rows(
        device,
        "resize.cl",
        "us_down",
        arrays=(between, plan.lines, plan.weights_down, result),
        sizes=(row_floats, output.height_px),
        after=(plan.taps_down,),
    )
