"""Passes of separable filters in tiles, on GPUs: along rows, a float32 array between, along columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unshape_core.protocols import GraphValue
from unshape_core.window import Window
from unshape_image.kernels.opencl.device import Argument, Device, source_of
from unshape_image.kernels.opencl.places import Held, Places

ITEMS = 256
"""Work-items of a group."""
TILE_BYTES = 32 * 1024
"""Local memory that a group takes, so that several groups share a processor's."""
STRIP_FLOATS = 32
"""Floats beside each other that a group takes down the columns."""
_MOST_GROUPS = 65535
"""Along a second axis; a group goes on to further strips."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TileFilter:
    """A filter along an axis.

    Parameters
    ----------
    file, entry : str
        Its kernel.
    radius : int
        How far it reaches to each side.
    arguments : sequence of Argument
        What it takes after the arguments of every pass.
    levels : int
        How many floats of local memory it needs for each that it reads.
    is_padded : bool
        Whether a float in four is left out there.
    """

    file: str
    entry: str
    radius: int
    arguments: Sequence[Argument]
    levels: int = 1
    is_padded: bool = False

    def places(self, strip: int, blocks: int) -> int:
        """Return how many places a group computes."""
        return 4 * (ITEMS // strip) * blocks

    def local_floats(self, strip: int, blocks: int) -> int:
        """Return how many floats of local memory a group needs."""
        read = self.places(strip, blocks) + 2 * self.radius
        return self.levels * strip * (read + (read // 4 + 1 if self.is_padded else 0))

    def blocks(self, device: Device, strip: int, most: int) -> int:
        """Return how many times a work-item computes four places: as often as there is room, 0 if there is none."""
        room = min(TILE_BYTES, device.local_bytes) // 4 if device.max_group >= ITEMS else 0
        fitting = [blocks for blocks in range(1, most + 1) if self.local_floats(strip, blocks) <= room]
        return max(fitting, default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What stands at each place of a window, on the device.

    Parameters
    ----------
    columns, lines : GraphValue
        The column at hand, and the row among those that are read; -1 for 0.
    first, rows : int
        The rows at hand that are read.
    """

    columns: GraphValue
    lines: GraphValue
    first: int
    rows: int

    @classmethod
    def of(cls, device: Device, places: Places, channels: int) -> Tables:
        """Return the tables for the places of a window and its surroundings."""
        first, stop = places.rows_read()
        lines = np.where(places.lines < 0, -1, places.lines - first).astype(np.int32)
        return cls(
            columns=device.table(places.pixels(channels)), lines=device.table(lines), first=first, rows=stop - first
        )


def fits(device: Device, how: TileFilter, channels: int) -> bool:
    """Return whether a device has room for the tiles of a filter."""
    strips = (channels, STRIP_FLOATS)
    return not device.is_cpu and all(how.blocks(device, strip, 1) for strip in strips)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pass:
    """One pass: what its kernel is, and what it is given after its arrays."""

    source: str
    entry: str
    arguments: tuple[Argument, ...]
    global_size: tuple[int, int]
    defines: Mapping[str, int]
    local_floats: int

    @classmethod
    def of(cls, how: TileFilter, *, hops: Sequence[int], sizes: tuple[int, int, int], strip: int, blocks: int) -> _Pass:
        length, strips, _ = sizes
        tiles = -(-length // how.places(strip, blocks))
        return cls(
            source=source_of("axis_tile.cl", how.file),
            entry=how.entry,
            arguments=(
                *map(np.int64, hops),
                *sizes,
                how.radius,
                *how.arguments,
                *([blocks] if how.is_padded else []),
            ),
            global_size=(tiles * ITEMS, min(strips, _MOST_GROUPS)),
            defines={"US_ITEMS": ITEMS, "US_STRIP": strip},
            local_floats=how.local_floats(strip, blocks),
        )

    def run(self, device: Device, *arrays: GraphValue) -> None:
        device.launch(
            self.source,
            self.entry,
            arguments=[*arrays, *self.arguments],
            global_size=self.global_size,
            local_size=(ITEMS, 1),
            defines=self.defines,
            local_floats=self.local_floats,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparableFilter:
    """A filter made ready for a window: what both passes are given but for the picture."""

    tables: Tables
    across: _Pass
    down: _Pass
    between_shape: tuple[int, int, int]
    shape: tuple[int, int, int]

    @classmethod
    def of(
        cls,
        device: Device,
        how: TileFilter,
        *,
        held: Held,
        output: Window,
        tables: Tables,
        most_blocks: int = 1,
    ) -> SeparableFilter:
        """Return a filter for a window.

        Parameters
        ----------
        device : Device
            Runs the kernels.
        how : TileFilter
            The filter.
        held : Held
            Where the source lies.
        output : Window
            What is computed.
        tables : Tables
            What stands around it.
        most_blocks : int
            How many times a work-item may compute four places down the columns.
        """
        channels, row_floats = held.channels, output.width_px * held.channels
        across = _Pass.of(
            how,
            hops=(tables.first * held.row_floats, held.row_floats, channels, row_floats, channels),
            sizes=(output.width_px, tables.rows, tables.rows * channels),
            strip=channels,
            blocks=1,
        )
        down = _Pass.of(
            how,
            hops=(0, STRIP_FLOATS, row_floats, STRIP_FLOATS, row_floats),
            sizes=(output.height_px, -(-row_floats // STRIP_FLOATS), row_floats),
            strip=STRIP_FLOATS,
            blocks=how.blocks(device, STRIP_FLOATS, most_blocks),
        )
        return cls(
            tables=tables,
            across=across,
            down=down,
            between_shape=(max(tables.rows, 1), output.width_px, channels),
            shape=(output.height_px, output.width_px, channels),
        )

    def filtered(self, device: Device, source: GraphValue) -> GraphValue:
        """Return the filtered window of what is at hand."""
        between = device.empty(self.between_shape)
        self.across.run(device, source, self.tables.columns, between)
        result = device.empty(self.shape)
        self.down.run(device, between, self.tables.lines, result)
        return result
