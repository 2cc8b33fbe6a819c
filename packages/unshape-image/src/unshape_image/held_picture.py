"""The part of a picture that a filter has at hand, and its rows with the border around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_core.window import Window
from unshape_expr.ir import Border
from unshape_image.borders import border_indices
from unshape_image.picture_shape import PictureShape

F32Array: TypeAlias = npt.NDArray[np.float32]
Indices: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class HeldPicture:
    """The part of a picture that is at hand.

    Parameters
    ----------
    pixels : float32[window.height_px, window.width_px, channel]
        The part; may be strided or read-only.
    window : Window
        Where it lies.
    shape : PictureShape
        The whole picture.
    """

    pixels: F32Array
    window: Window
    shape: PictureShape


@dataclass(frozen=True, slots=True)
class PaddedRows:
    """Rows of a picture with their border, copied into contiguous memory.

    Parameters
    ----------
    source : HeldPicture
        The picture.
    columns : intp[padded_width_px]
        The absolute column that stands at each place, -1 for zeros.
    rows : intp[padded_height_px]
        The absolute row that stands at each place, -1 for zeros.
    """

    source: HeldPicture
    columns: Indices
    rows: Indices

    @classmethod
    def around(cls, source: HeldPicture, output: Window, *, reach_px: tuple[int, int], border: Border) -> PaddedRows:
        """Return the rows of a window grown by ``reach_px`` (x, y) on each side."""
        grown = output.expand(x_px=reach_px[0], y_px=reach_px[1])
        return cls(
            source=source,
            columns=border_indices(grown.x_px, grown.right_px, source.shape.width_px, border),
            rows=border_indices(grown.y_px, grown.bottom_px, source.shape.height_px, border),
        )

    @property
    def row_floats(self) -> int:
        """Floats of one padded row."""
        return len(self.columns) * self.source.shape.channels

    def load(self, first: int, stop: int, out: F32Array) -> None:
        """Copy the padded rows ``first`` to ``stop`` into ``out``, float32[stop - first, row_floats]."""
        held = self.source.window
        target = out.reshape(stop - first, len(self.columns), -1)
        across = _runs(self.columns, held.x_px)
        for rows, lines in _runs(self.rows[first:stop], held.y_px):
            for columns, texels in across:
                if lines is None or texels is None:
                    target[rows, columns] = 0.0
                else:
                    target[rows, columns] = self.source.pixels[lines, texels]


def _runs(indices: Indices, origin: int) -> Sequence[tuple[slice, slice | None]]:
    """Return the places of indices that go up, go down or stay, and the part of what is at hand to copy there.

    None stands for zeros; a single row or column stands for as many as there are places.
    """
    found: list[tuple[slice, slice | None]] = []
    steps = np.diff(indices)
    breaks = np.flatnonzero(steps[1:] != steps[:-1])
    start = 0
    while start < len(indices):
        step = int(steps[start]) if start < len(steps) else 0
        is_outside = bool(indices[start] < 0)
        # The run goes on to where the step changes, unless it jumps or crosses the edge of the picture.
        place = int(np.searchsorted(breaks, start))
        stop = int(breaks[place]) + 2 if place < len(breaks) else len(indices)
        if abs(step) > 1 or bool(indices[stop - 1] < 0) != is_outside:
            stop = start + 1
        held = None if is_outside else _texels(int(indices[start]) - origin, stop - start, step)
        found.append((slice(start, stop), held))
        start = stop
    return found


def _texels(first: int, count: int, step: int) -> slice:
    if step == 0:
        return slice(first, first + 1)
    if step > 0:
        return slice(first, first + count)
    return slice(first, first - count if first >= count else None, -1)
