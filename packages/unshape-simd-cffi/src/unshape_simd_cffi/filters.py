"""Filters of pictures in C: dense and symmetric weights, means of squares, taps for each pixel.

They know no nodes and no borders: which source pixel stands at which place is told by indices, so that a window is the
same part of the whole. The order of operations is stated in ``csrc/kernels/filter.inc``; the bits are those of the same
order in NumPy, with every instruction set and any number of threads.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_core.context import EvalContext
from unshape_simd_cffi import filter_checks as checks
from unshape_simd_cffi import native
from unshape_simd_cffi.pixels import with_adjacent_channels

if TYPE_CHECKING:
    from unshape_simd_cffi.backend import SimdBackend

F32Array = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]


class _Kind(IntEnum):
    DENSE = 0
    SYMMETRIC = 1
    BOX = 2
    TAPS = 3


class Filters:
    """The filters, with the instruction set, threads and memory of a backend.

    In all of them ``pixels`` is ``float32[height, width, channel]`` of any layout and is left as it is; the result is a
    new array. Indices count in ``pixels``. What does not fit together is refused with InvalidArgumentError.

    Parameters
    ----------
    backend : SimdBackend
        Whose.
    """

    def __init__(self, backend: SimdBackend) -> None:
        self._backend = backend

    def dense(
        self, pixels: F32Array, weights: F32Array, *, columns: Indices, rows: Indices, ctx: EvalContext
    ) -> F32Array:
        """Return weighted sums of neighbourhoods: the product of the upper left tap, then the others row by row.

        Parameters
        ----------
        pixels : float32[height, width, channel]
            The picture.
        weights : float32[odd, odd]
            At most 63 rows.
        columns, rows : intp[n]
            Source pixel of each place of a padded row and column, -1 for zeros; longer than the result by one less
            than the weights are wide and high.
        ctx : EvalContext
            Asked for precision and cancellation.
        """
        checks.check_dense_weights(weights)
        height, width = weights.shape
        return self._run(_Kind.DENSE, pixels, columns, rows, weights, ctx=ctx, reach_px=(width // 2, height // 2))

    def symmetric(
        self, pixels: F32Array, weights: F32Array, *, columns: Indices, rows: Indices, ctx: EvalContext
    ) -> F32Array:
        """Return ``w[0]*x[0]``, then for each distance ``+ w[d]*(x[-d] + x[d])``, along x, then along y.

        Parameters are those of :meth:`dense`, but ``weights`` is float32[radius + 1], by distance.
        """
        checks.check_distance_weights(weights)
        reach = len(weights) - 1
        return self._run(_Kind.SYMMETRIC, pixels, columns, rows, weights, ctx=ctx, reach_px=(reach, reach))

    def box(self, pixels: F32Array, radius_px: int, *, columns: Indices, rows: Indices, ctx: EvalContext) -> F32Array:
        """Return the mean of squares of ``2*radius_px + 1`` pixels, along x, then along y, added by a tree.

        Other parameters are those of :meth:`dense`.
        """
        checks.check_radius(radius_px)
        factor = np.array([1.0 / (2 * radius_px + 1)], np.float32)
        return self._run(_Kind.BOX, pixels, columns, rows, factor, ctx=ctx, reach_px=(radius_px, radius_px))

    def taps(
        self,
        pixels: F32Array,
        *,
        columns: Indices,
        column_weights: F32Array,
        rows: Indices,
        row_weights: F32Array,
        ctx: EvalContext,
    ) -> F32Array:
        """Return weighted sums of texels that are listed for each pixel, along x, then along y.

        Parameters
        ----------
        pixels : float32[height, width, channel]
            The picture.
        columns, rows : intp[tap, n]
            The texels of each column and row of the result; those of a row lie within as many rows as it has taps.
        column_weights, row_weights : float32[tap, n]
            Their weights.
        ctx : EvalContext
            Asked for precision and cancellation.
        """
        return self._run(_Kind.TAPS, pixels, columns, rows, column_weights, ctx=ctx, row_weights=row_weights)

    def _run(
        self,
        kind: _Kind,
        pixels: F32Array,
        columns: Indices,
        rows: Indices,
        weights: F32Array,
        *,
        ctx: EvalContext,
        reach_px: tuple[int, int] = (0, 0),
        row_weights: F32Array | None = None,
    ) -> F32Array:
        library, backend = native.load(), self._backend
        if row_weights is None:
            checks.check_places(pixels, columns, rows, reach_px=reach_px)
        else:
            checks.check_taps(pixels, columns, weights, rows, row_weights)
        width, height = columns.shape[-1] - 2 * reach_px[0], rows.shape[-1] - 2 * reach_px[1]
        pixels = with_adjacent_channels(pixels)
        out = backend.buffers.empty((height, width, pixels.shape[2]))
        if out.size == 0:
            return out
        words = [np.ascontiguousarray(indices, np.int32) for indices in (columns, rows)]
        floats = [
            np.ascontiguousarray(w, np.float32) for w in (weights, weights if row_weights is None else row_weights)
        ]
        call: Any = library.ffi.new("struct us_filter *")
        call.data, call.out = native.floats_at(pixels), native.floats_at(out)
        call.row_stride, call.pixel_stride = pixels.strides[0] // 4, pixels.strides[1] // 4
        call.channels, call.width, call.height = pixels.shape[2], width, height
        call.kind, call.reach_x, call.reach_y = kind, *reach_px
        call.columns, call.rows = (library.ffi.cast("int32_t *", w.ctypes.data) for w in words)
        call.weights, call.row_weights = (native.floats_at(w) for w in floats)
        call.x_taps, call.y_taps = (len(indices) if indices.ndim == 2 else 0 for indices in (columns, rows))
        call.isa, call.threads, call.is_fast = backend.isa.number, backend.threads, ctx.precision == "fast"
        if ctx.cancellation is not None:
            ctx.cancellation.raise_if_cancelled()
            flag = library.ffi.from_buffer("int32_t[]", ctx.cancellation.flag)
            call.cancel = flag
        status = library.lib.us_filter(call)
        if status == 1 and ctx.cancellation is not None:
            ctx.cancellation.raise_if_cancelled()
        if status:
            msg = "no memory for the rows of a filter"
            raise MemoryError(msg)
        return out
