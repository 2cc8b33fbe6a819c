"""Gaussian blur on OpenCL devices: across, then down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_core.window import Window
from unshape_image.gaussian_weights import gaussian_radius, gaussian_weights
from unshape_image.kernels.opencl.axis import SeparableFilter, Tables, TileFilter, fits
from unshape_image.kernels.opencl.device import Device, launch_rows
from unshape_image.kernels.opencl.places import Held, Places, held_input
from unshape_image.nodes.gaussian_blur import GaussianBlur

_BLOCKS = 4
"""Down the columns, tiles of so many times 32 rows read few of them twice."""


def gaussian_blur(
    node: GaussianBlur, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device
) -> tuple[GraphValue]:
    """Blur a window."""
    held = held_input(ctx)
    assert ctx.region is not None  # else there would be no held input
    output, radius = ctx.region.output, gaussian_radius(node.sigma_px)
    plan = device.prepared((node.sigma_px, node.border), lambda: _plan(device, node, held, output, radius))
    if isinstance(plan, SeparableFilter):
        return (plan.filtered(device, inputs[0]),)
    return (_by_rows(device, inputs[0], plan, held=held, output=output, radius=radius),)


def _plan(device: Device, node: GaussianBlur, held: Held, output: Window, radius: int) -> SeparableFilter | _Rows:
    """Return tiles where they fit, else rows."""
    how = TileFilter(file="symmetric_tile.cl", entry="us_symmetric", radius=radius, arguments=(), is_padded=True)
    if not fits(device, how, held.channels):
        return _Rows.of(device, node, held, output, radius)
    places = Places.around(held, output, reach_px=(radius, radius), border=node.border)
    tables = Tables.of(device, places, held.channels)
    how = replace(how, arguments=(device.table(gaussian_weights(node.sigma_px)),))
    return SeparableFilter.of(device, how, held=held, output=output, tables=tables, most_blocks=_BLOCKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """What the kernels that go along rows are given."""

    places: Places
    columns: GraphValue
    lines: GraphValue
    weights: GraphValue
    first: int
    stop: int
    count: int

    @classmethod
    def of(cls, device: Device, node: GaussianBlur, held: Held, output: Window, radius: int) -> _Rows:
        places = Places.around(held, output, reach_px=(radius, radius), border=node.border)
        first, stop = places.rows_read()
        lines = places.lines - first
        lines[places.lines < 0] = stop - first  # a row of zeros after the others
        return cls(
            places=places,
            columns=device.table(places.columns),
            lines=device.table(lines),
            weights=device.table(gaussian_weights(node.sigma_px)),
            first=first,
            stop=stop,
            count=int(lines.max()) + 1,
        )


def _by_rows(device: Device, source: GraphValue, rows: _Rows, *, held: Held, output: Window, radius: int) -> GraphValue:
    channels, row_floats = held.channels, output.width_px * held.channels
    across = device.empty((rows.count, row_floats))
    launch_rows(
        device,
        "symmetric.cl",
        "us_across",
        arrays=(source, rows.columns, rows.weights, across),
        before_sizes=(held.row_floats,),
        sizes=(row_floats, rows.count),
        after=(
            rows.places.inner_low,
            rows.places.inner_high - 2 * radius * channels,
            rows.places.shift,
            rows.first,
            radius,
            channels,
            rows.stop - rows.first,
        ),
    )
    result = device.empty((output.height_px, output.width_px, channels))
    launch_rows(
        device,
        "symmetric.cl",
        "us_down",
        arrays=(across, rows.lines, rows.weights, result),
        sizes=(row_floats, output.height_px),
        after=(radius,),
    )
    return result
