"""Worley noise in NumPy: the operations of worley.py."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unshape_noise.fast.arrays import F32Array, U32Array, as_f32, mix32
from unshape_noise.fast.axis import Axis, axis_hash, axis_of, point_hash
from unshape_noise.fast.grid import equal_runs, is_grid, row_slices
from unshape_noise.fast.white import scramble
from unshape_noise.worley import Z_MULTIPLIER, CellFeature, Metric, distance_factor

_MIN_ROWS = 10
"""Rows of pixels that a row of cells must have on average for sharing to pay."""


def worley(
    position: Sequence[npt.ArrayLike],
    seed: int,
    periods: Sequence[int] | None,
    jitter: float,
    *,
    feature: CellFeature,
    metric: Metric,
) -> F32Array:
    """Return Worley noise at positions; the parameters are those of ``worley_expression``."""
    components = as_f32(position)
    hashed_seed = mix32(int(seed))
    cut = np.clip(np.float32(jitter), np.float32(0.0), np.float32(1.0))
    search = _Search(hashed_seed, periods, np.float32(cut), feature, metric)
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        if is_grid(components):
            return _on_grid(components, search)
        return search.at([axis_of(number, c) for number, c in enumerate(components)])


def _on_grid(components: Sequence[F32Array], search: _Search) -> F32Array:
    shape = np.broadcast_shapes(*(c.shape for c in components))
    x = axis_of(0, components[0].reshape(1, -1))
    rows = [
        axis_of(number, np.ascontiguousarray(c).reshape(-1, 1))
        for number, c in enumerate(np.broadcast_arrays(*components[1:]), start=1)
    ]
    height, width = rows[0].index.size, x.index.size
    out = np.empty((height, width), np.float32)
    runs = equal_runs([axis.index.reshape(-1) for axis in rows])
    if len(runs) * _MIN_ROWS > height:
        for part in row_slices(height, width):
            cells = [Axis(axis.number, axis.index[part], axis.offset[part]) for axis in rows]
            out[part] = search.at([x, *cells])
        return out.reshape(shape)
    for start, stop in runs:
        # All these rows cross the same cells, so that feature points are found once for each column of pixels.
        cells = [Axis(axis.number, axis.index[start : start + 1], axis.offset[start:stop]) for axis in rows]
        out[start:stop] = search.at([x, *cells])
    return out.reshape(shape)


@dataclass(frozen=True, slots=True)
class _Search:
    """What is looked for, and in which lattice."""

    hashed_seed: int
    periods: Sequence[int] | None
    jitter: np.float32
    feature: CellFeature
    metric: Metric

    def at(self, axes: Sequence[Axis]) -> F32Array:
        """Return the noise in cells; indices and offsets of an axis broadcast against each other."""
        nearest: F32Array | None = None
        second: F32Array | None = None
        for offsets, hashes in self._neighbours(axes):
            distance = self._distance(self._feature_point(hashes), offsets)
            if nearest is None:
                nearest = distance
                continue
            if self.feature is not CellFeature.F1:
                farther = np.maximum(nearest, distance)
                second = farther if second is None else np.minimum(second, farther, out=second)
            np.minimum(nearest, distance, out=nearest)
        assert nearest is not None
        result = self._combined(nearest, second)
        result *= np.float32(distance_factor(len(axes), self.feature, self.metric))
        result -= np.float32(1.0)
        return result

    def _neighbours(self, axes: Sequence[Axis]) -> Iterator[tuple[list[F32Array], list[U32Array]]]:
        ends = []
        for axis in axes:
            period = None if self.periods is None else self.periods[axis.number]
            ends.append(
                [
                    (
                        axis.offset - np.float32(o),
                        axis_hash(axis.number, axis.index + np.int32(o), self.hashed_seed, period),
                    )
                    for o in (-1, 0, 1)
                ]
            )
        for cell in itertools.product(*ends):
            yield [offset for offset, _ in cell], [hashed for _, hashed in cell]

    def _feature_point(self, hashes: Sequence[U32Array]) -> list[F32Array]:
        hashed = scramble(point_hash(hashes))
        bits = [hashed >> np.uint32(16), hashed & np.uint32(0xFFFF)]
        if len(hashes) == 3:
            bits.append((hashed * np.uint32(Z_MULTIPLIER)) >> np.uint32(16))
        margin = np.float32(0.5) - self.jitter * np.float32(0.5)
        return [self.jitter * (b.astype(np.float32) * np.float32(2.0**-16)) + margin for b in bits]

    def _distance(self, point: Sequence[F32Array], offsets: Sequence[F32Array]) -> F32Array:
        parts = [q - o for q, o in zip(point, offsets, strict=True)]
        for d in parts:
            if self.metric is Metric.EUCLIDEAN:
                np.multiply(d, d, out=d)
            else:
                np.abs(d, out=d)
        result = parts[0]
        for part in parts[1:]:
            result = np.maximum(result, part) if self.metric is Metric.CHEBYSHEV else result + part
        return result

    def _combined(self, nearest: F32Array, second: F32Array | None) -> F32Array:
        if self.metric is Metric.EUCLIDEAN:
            np.sqrt(nearest, out=nearest)
            if second is not None:
                np.sqrt(second, out=second)
        if self.feature is CellFeature.F1 or second is None:
            return nearest
        return second if self.feature is CellFeature.F2 else np.subtract(second, nearest, out=second)
