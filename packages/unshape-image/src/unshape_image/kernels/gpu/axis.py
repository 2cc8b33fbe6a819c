"""Separable filters: a pass along rows, a float32 array between, a pass along columns, both in tiles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from unshape_core.protocols import GraphValue
from unshape_expr.ir import Border
from unshape_image.kernels.gpu.device import TILE_BYTES, Device, Held, Table, constants, places_of, shape_of, source_of

_STRIPS = {1: (8, 4), 4: (32, 16)}
"""Widths of the strips in which columns are walked, by the floats in 16 bytes over those of an element."""
_ROWS = 64
_MOST_ELEMENTS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter along an axis.

    Parameters
    ----------
    shader : str
        Name of its shader.
    held_shader : str
        Name of the shader that goes with workgroup memory.
    weights : GraphValue
        What the shader makes of them.
    radius : int
        How far it reaches to each side.
    border : Border
        What lies outside.
    """

    shader: str
    held_shader: str
    weights: GraphValue
    radius: int
    border: Border


@dataclass(frozen=True, slots=True)
class _Tiling:
    """How a pass is cut: elements of a strip, blocks of ``4 * lanes // strip`` places in a tile, room for elements."""

    strip: int
    lanes: int
    blocks: int
    capacity: int = 0

    @property
    def places(self) -> int:
        return 4 * (self.lanes // self.strip) * self.blocks


def filter_separable(device: Device, source: GraphValue, held: Held, how: Filter) -> GraphValue:
    """Return a filtered window.

    Parameters
    ----------
    device : Device
        Runs the shader.
    source : GraphValue
        What is at hand.
    held : Held
        Where it lies.
    how : Filter
        The filter.
    """
    output, channels, step, radius = held.output, held.channels, held.step, how.radius
    row, held_row = output.width_px * step, held.window.width_px * step
    columns = held.columns(output.x_px - radius, output.right_px + radius, how.border)
    origin = held.window.y_px
    rows = _rows_of(output.y_px - radius, output.bottom_px + radius, held.height_px, how.border, origin)
    first, stop = rows.first, rows.stop
    between = device.empty((stop - first, output.width_px, channels))
    across = _Pass(device, how, columns, length=output.width_px, strips=stop - first, limit=_MOST_ELEMENTS)
    across.run(
        (source, between),
        _tiling((step,), channels, radius, blocks=1),
        channels=channels,
        source_words=(step, held_row, first * held_row),
        result_words=(step, row),
    )
    result = device.empty(shape_of(output, channels))
    tiling = _tiling(_STRIPS[1 if channels == 4 else 4], channels, radius, blocks=0)
    down = _Pass(device, how, rows.places, length=output.height_px, strips=-(-row // tiling.strip), limit=row)
    down.run(
        (between, result),
        tiling,
        channels=channels,
        source_words=(row, tiling.strip, 0),
        result_words=(row, tiling.strip),
    )
    return result


@dataclass(frozen=True, slots=True)
class _Rows:
    """Every row at hand that some output needs, once, and which of them stands at each place."""

    first: int
    stop: int
    places: Table


@lru_cache(maxsize=256)
def _rows_of(start: int, stop: int, size: int, border: Border, origin: int) -> _Rows:
    lines = places_of(start, stop, size, border, origin)
    used = lines[lines >= 0]
    first, last = (int(used.min()), int(used.max())) if used.size else (0, 0)
    return _Rows(first, last + 1, places_of(start, stop, size, border, origin + first))


@dataclass(frozen=True, slots=True)
class _Pass:
    device: Device
    how: Filter
    places: Table
    length: int
    strips: int
    limit: int

    def run(
        self,
        arrays: tuple[GraphValue, GraphValue],
        tiling: _Tiling,
        *,
        channels: int,
        source_words: tuple[int, int, int],
        result_words: tuple[int, int],
    ) -> None:
        tiles_along = -(-self.length // tiling.places)
        source, result = arrays
        hop, strip_hop = result_words
        self.device.run(
            _text(self.how.held_shader if tiling.capacity else self.how.shader, tiling, channels),
            reads=(source, self.device.table(self.places), self.how.weights),
            writes=(result,),
            words=(self.how.radius, self.length, tiles_along, self.limit, *source_words, hop, strip_hop),
            items=tiles_along * self.strips,
            group_size=1,
        )


def _tiling(strips: tuple[int, ...], channels: int, radius: int, *, blocks: int) -> _Tiling:
    """Return the first way of cutting whose tiles fit into workgroup memory; else one that reads directly."""
    lanes, most = (128, TILE_BYTES // 16) if channels == 4 else (256, TILE_BYTES // 4)
    tilings = [_Tiling(strip, lanes, blocks or max(1, _ROWS // (4 * (lanes // strip)))) for strip in strips]
    for tiling in tilings:
        elements = (tiling.places + 2 * radius) * tiling.strip
        capacity = 1 << (elements + elements // _padding(channels)).bit_length()
        if capacity <= most:
            return replace(tiling, capacity=capacity)
    return tilings[0]


def _padding(channels: int) -> int:
    """Return after how many elements one is left out: those that all banks of workgroup memory hold together."""
    return 8 if channels == 4 else 32


@lru_cache(maxsize=64)
def _text(shader: str, tiling: _Tiling, channels: int) -> str:
    padding = _padding(channels)
    sizes = {"STRIP": tiling.strip, "LANES": tiling.lanes, "BLOCKS": tiling.blocks}
    head = constants(sizes | {"CAPACITY": tiling.capacity, "PADDING": padding})
    reader = "held_tile" if tiling.capacity else "held_direct"
    return head + source_of(reader, shader, "axis", channels=channels)
