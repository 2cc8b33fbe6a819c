"""The part of a picture that a filter has at hand, and its rows with the border around them."""

from __future__ import annotations

import itertools
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
        rows, held = self.rows[first:stop], self.source.window
        target = out.reshape(len(rows), len(self.columns), -1)
        for run in _runs(rows):
            if rows[run.start] < 0:
                target[run] = 0.0
                continue
            top = int(rows[run.start]) - held.y_px
            self._load_columns(self.source.pixels[top : top + run.stop - run.start], target[run])

    def _load_columns(self, block: F32Array, target: F32Array) -> None:
        for run in _runs(self.columns):
            if self.columns[run.start] < 0:
                target[:, run] = 0.0
                continue
            left = int(self.columns[run.start]) - self.source.window.x_px
            target[:, run] = block[:, left : left + run.stop - run.start]


def _runs(indices: Indices) -> Sequence[slice]:
    """Return the places where indices count up, or are all -1, as slices."""
    steps = np.diff(indices)
    is_joined = (steps == 1) & (indices[:-1] >= 0) | (indices[:-1] < 0) & (indices[1:] < 0)
    bounds = [0, *(np.flatnonzero(~is_joined) + 1).tolist(), len(indices)]
    return [slice(start, stop) for start, stop in itertools.pairwise(bounds) if stop > start]
