"""Separable filters in NumPy: a horizontal pass, a float32 intermediate, a vertical pass.

Both passes apply the same :class:`AxisFilter` along their axis. The picture is worked through in bands of rows and
tiles that stay in the cache; they have no influence on the result, since every pixel is computed from absolute
coordinates in one stated order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.window import Window
from unshape_expr.ir import Border
from unshape_image.held_picture import F32Array, HeldPicture, PaddedRows

_TILE_FLOATS = 32 * 1024
_STRIP_FLOATS = 4096
_MIN_STRIP_FLOATS = 64
_BAND_ROWS = 32


class AxisFilter(Protocol):
    """A filter along one axis of a two-dimensional array of floats."""

    @property
    def radius(self) -> int:
        """How far it reaches to each side."""

    @property
    def rows_at_once(self) -> int:
        """How many rows a vertical pass should give it at least for it to be efficient."""

    def scratch_floats(self, source_floats: int, out_floats: int) -> int:
        """Return how many floats of working memory it wants."""

    def apply(self, source: F32Array, out: F32Array, scratch: F32Array, *, axis: int, step: int) -> None:
        """Write the filtered array to ``out``.

        ``out`` is shorter than ``source`` along ``axis`` by ``2*radius*step``; ``step`` is how far neighbours lie
        apart along it.
        """


_FillRows: TypeAlias = Callable[[int, int, F32Array], None]
"""Writes the padded rows from one number up to another, filtered, into the first rows of an array."""


def filter_separable(
    source: HeldPicture, axis_filter: AxisFilter, *, output: Window, border: Border, ctx: EvalContext
) -> F32Array:
    """Return the filtered pixels of a window.

    Parameters
    ----------
    source : HeldPicture
        Covers what the window needs.
    axis_filter : AxisFilter
        Applied horizontally, then vertically.
    output : Window
        What to compute.
    border : Border
        What lies outside the whole picture.
    ctx : EvalContext
        Asked for cancellation.

    Returns
    -------
    float32[output.height_px, output.width_px, channel]
    """
    channels = source.pixels.shape[2]
    result = np.empty((output.height_px, output.width_px, channels), np.float32)
    if result.size == 0:
        return result
    radius = axis_filter.radius
    overlap = 2 * radius
    flat = result.reshape(output.height_px, -1)
    rows = PaddedRows.around(source, output, reach_px=(radius, radius), border=border)
    fill = _filtered_rows(axis_filter, rows, row_floats=flat.shape[1], step=channels, ctx=ctx)
    band_rows = min(max(_BAND_ROWS, overlap), output.height_px)
    band = np.empty((band_rows + overlap, flat.shape[1]), np.float32)
    filled = 0
    with np.errstate(all="ignore"):
        for top in range(0, output.height_px, band_rows):
            height = min(band_rows, output.height_px - top)
            if filled:
                band[:overlap] = band[band_rows:]
            fill(top + filled, top + height + overlap, band[filled:])
            _filter_vertically(axis_filter, band[: height + overlap], flat[top : top + height], ctx)
            filled = overlap
    return result


def _filtered_rows(
    axis_filter: AxisFilter, rows: PaddedRows, *, row_floats: int, step: int, ctx: EvalContext
) -> _FillRows:
    """Return what gives padded rows after the horizontal pass."""
    distinct, places = np.unique(rows.rows, return_inverse=True)
    if len(rows.rows) <= 2 * len(distinct):
        return _HorizontalPass.prepare(axis_filter, rows, row_floats=row_floats, step=step, ctx=ctx)
    # The reach is larger than the picture: the same few rows stand there again and again.
    filtered = np.empty((len(distinct), row_floats), np.float32)
    once = _HorizontalPass.prepare(axis_filter, replace(rows, rows=distinct), row_floats=row_floats, step=step, ctx=ctx)
    with np.errstate(all="ignore"):
        once(0, len(distinct), filtered)

    def fill(first: int, stop: int, out: F32Array) -> None:
        np.take(filtered, places[first:stop], 0, out[: stop - first], mode="clip")

    return fill


@dataclass(frozen=True, slots=True)
class _HorizontalPass:
    axis_filter: AxisFilter
    rows: PaddedRows
    padded: F32Array
    scratch: F32Array
    step: int
    ctx: EvalContext

    @classmethod
    def prepare(
        cls, axis_filter: AxisFilter, rows: PaddedRows, *, row_floats: int, step: int, ctx: EvalContext
    ) -> _HorizontalPass:
        count = min(max(1, _TILE_FLOATS // rows.row_floats), len(rows.rows))
        scratch = axis_filter.scratch_floats(count * rows.row_floats, count * row_floats)
        return cls(
            axis_filter=axis_filter,
            rows=rows,
            padded=np.empty((count, rows.row_floats), np.float32),
            scratch=np.empty(scratch, np.float32),
            step=step,
            ctx=ctx,
        )

    def __call__(self, first: int, stop: int, out: F32Array) -> None:
        for start in range(first, stop, len(self.padded)):
            self.ctx.raise_if_cancelled()
            count = min(len(self.padded), stop - start)
            padded = self.padded[:count]
            self.rows.load(start, start + count, padded)
            tile = out[start - first : start - first + count]
            self.axis_filter.apply(padded, tile, self.scratch, axis=1, step=self.step)


def _filter_vertically(axis_filter: AxisFilter, band: F32Array, out: F32Array, ctx: EvalContext) -> None:
    height, row_floats = out.shape
    tile_rows = min(height, max(axis_filter.rows_at_once, _TILE_FLOATS // min(_STRIP_FLOATS, row_floats)))
    strip = min(max(_TILE_FLOATS // tile_rows, _MIN_STRIP_FLOATS), _STRIP_FLOATS, row_floats)
    overlap = 2 * axis_filter.radius
    scratch_floats = axis_filter.scratch_floats((tile_rows + overlap) * strip, tile_rows * strip)
    scratch = np.empty(scratch_floats, np.float32)
    for left in range(0, row_floats, strip):
        ctx.raise_if_cancelled()
        columns = slice(left, min(left + strip, row_floats))
        for top in range(0, height, tile_rows):
            stop = min(top + tile_rows, height)
            axis_filter.apply(band[top : stop + overlap, columns], out[top:stop, columns], scratch, axis=0, step=1)
