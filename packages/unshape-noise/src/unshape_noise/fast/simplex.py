"""Simplex noise in NumPy: the operations of simplex_2d.py and simplex_3d.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_noise import simplex_2d as flat
from unshape_noise import simplex_3d as solid
from unshape_noise.fast.arrays import F32Array, I32Array, as_f32, mix32, to_i32
from unshape_noise.fast.axis import axis_hash, point_hash, wrapped
from unshape_noise.fast.gradients import full_table_2d, full_table_3d, look_up
from unshape_noise.fast.grid import equal_runs, is_grid, row_slices

_TABLE_2D = full_table_2d(flat.TABLE_2D)
_TABLE_3D = full_table_3d(solid.TABLE_3D)
_HALF, _ONE, _ZERO = np.float32(0.5), np.float32(1.0), np.float32(0.0)
_HEIGHT = np.float32(flat.ROW_HEIGHT)
_MIN_PIXELS = 4
"""Pixels for each lattice column from which on a table of gradients pays."""

_Gradient: TypeAlias = tuple[F32Array, ...]


def simplex(position: Sequence[npt.ArrayLike], seed: int, periods: Sequence[int] | None = None) -> F32Array:
    """Return simplex noise at positions; the parameters are those of ``fast.perlin.perlin``."""
    components = as_f32(position)
    hashed_seed = mix32(int(seed))
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        if len(components) == 3:
            return _simplex_3d(components, hashed_seed, periods)
        if is_grid(components):
            x, y = components[0].reshape(1, -1), components[1].reshape(-1, 1)
            out = np.empty((y.size, x.size), np.float32)
            for part in row_slices(y.size, x.size):
                _on_grid(x, y[part], hashed_seed, periods, out[part])
            return out.reshape(np.broadcast_shapes(components[0].shape, components[1].shape))
        cells, counts = _cells(components[0], components[1], periods)
        return _sum_2d(cells, _gradients(cells, hashed_seed, counts))


@dataclass(frozen=True, slots=True)
class _Cells:
    """Where positions lie: cell (i, j), offsets (u, v) in it, and in which of its two triangles."""

    i: I32Array
    j: I32Array
    u: F32Array
    v: F32Array
    is_lower: npt.NDArray[np.bool_]


def _cells(x: F32Array, y: F32Array, periods: Sequence[int] | None) -> tuple[_Cells, tuple[int, int] | None]:
    per_column, per_row, counts = _factors(periods)
    v = y * per_row
    u = x * per_column + v * _HALF
    low_u, low_v = np.floor(u), np.floor(v)
    u -= low_u
    v = v - low_v
    return _Cells(to_i32(low_u), to_i32(low_v), u, v, u > v), counts


def _on_grid(x: F32Array, y: F32Array, hashed_seed: int, periods: Sequence[int] | None, out: F32Array) -> None:
    """Write the noise of rows of pixels; those in one row of triangles look gradients up by lattice column."""
    cells, counts = _cells(x, y, periods)
    for start, stop in equal_runs([cells.j.reshape(-1)]):
        rows = slice(start, stop)
        run = _Cells(cells.i[rows], cells.j[start : start + 1], cells.u[rows], cells.v[rows], cells.is_lower[rows])
        gradients = _table_gradients(run, hashed_seed, counts) or _gradients(run, hashed_seed, counts)
        out[rows] = _sum_2d(run, gradients)


def _table_gradients(cells: _Cells, hashed_seed: int, counts: tuple[int, int] | None) -> Sequence[_Gradient] | None:
    """Return the gradients at the corners of cells of one row, None if there are too many cells for a table."""
    low, high = int(cells.i.min()), int(cells.i.max())
    size = high - low + 2
    if size * _MIN_PIXELS > cells.i.size:
        return None
    lattice = np.arange(low, low + size, dtype=np.int64).astype(np.int32)[None, :]
    columns, rows = _lattice_hashes(lattice, cells.j, hashed_seed, counts)
    lower, upper = (look_up(point_hash((columns[k][0], rows[k])), _TABLE_2D) for k in (0, 1))
    tables = [np.concatenate(both, axis=None) for both in zip(lower, upper, strict=True)]
    first = (cells.i - np.int32(low)).astype(np.intp)
    # The lower row's points come first in the tables: the next column is 1 further on, the upper row a whole row.
    middle = cells.is_lower * np.intp(1 - size)
    middle += size
    middle += first
    places = (first, middle, first + (size + 1))
    return [tuple(table.take(place, mode="clip") for table in tables) for place in places]


def _gradients(cells: _Cells, hashed_seed: int, counts: tuple[int, int] | None) -> Sequence[_Gradient]:
    """Return the gradients at the corners of the triangles of any cells."""
    columns, rows = _lattice_hashes(cells.i, cells.j, hashed_seed, counts)
    corners = (
        (columns[0][0], rows[0]),
        (np.where(cells.is_lower, columns[0][1], columns[1][0]), np.where(cells.is_lower, rows[0], rows[1])),
        (columns[1][1], rows[1]),
    )
    return [look_up(point_hash(corner), _TABLE_2D) for corner in corners]


def _sum_2d(cells: _Cells, gradients: Sequence[_Gradient]) -> F32Array:
    """Return the noise, using the gradients as scratch."""
    dx, dy = cells.u - cells.v * _HALF, cells.v * _HEIGHT
    is_lower = cells.is_lower.astype(np.float32)
    # To the middle corner: (1, 0) or (-1/2, height), exactly.
    middle_x = is_lower * np.float32(1.5)
    middle_x -= _HALF
    np.subtract(dx, middle_x, out=middle_x)
    middle_y = np.subtract(_ONE, is_lower, out=is_lower)
    middle_y *= _HEIGHT
    np.subtract(dy, middle_y, out=middle_y)
    total = _contribution_2d(dx, dy, gradients[0])
    total += _contribution_2d(middle_x, middle_y, gradients[1])
    total += _contribution_2d(dx - _HALF, dy - _HEIGHT, gradients[2])
    return total


def _factors(periods: Sequence[int] | None) -> tuple[np.float32, np.float32, tuple[int, int] | None]:
    """Return lattice columns and rows in a unit, and how many of them a period holds."""
    if periods is None:
        return np.float32(flat.COLUMNS_PER_UNIT), np.float32(flat.ROWS_PER_UNIT), None
    width, height = np.float32(periods[0]), np.float32(periods[1])
    columns = max(_rounded(width * np.float32(flat.COLUMNS_PER_UNIT)), 1)
    rows = max(_rounded(height * np.float32(flat.ROWS_PER_UNIT / 2.0)), 1) * 2
    rows = (rows + 2**31) % 2**32 - 2**31
    return np.float32(columns) / width, np.float32(rows) / height, (columns, rows)


def _rounded(value: np.float32) -> int:
    return int(to_i32(np.rint(np.asarray(value)).reshape(1))[0])


def _lattice_hashes(
    i: I32Array, j: I32Array, hashed_seed: int, counts: tuple[int, int] | None
) -> tuple[list[tuple[npt.NDArray[np.uint32], ...]], list[npt.NDArray[np.uint32]]]:
    """Return for both rows of corners the hashes of both columns, and the hashes of the rows."""
    if counts is None:
        both = tuple(axis_hash(0, i + np.int32(k), hashed_seed) for k in (0, 1))
        return [both, both], [axis_hash(1, j + np.int32(k), hashed_seed) for k in (0, 1)]
    columns, rows = [], []
    for row in (j, j + np.int32(1)):
        inside = wrapped(row, counts[1])
        shifted = i - ((row - inside) >> np.int32(1))
        columns.append(tuple(axis_hash(0, shifted + np.int32(k), hashed_seed, counts[0]) for k in (0, 1)))
        rows.append(axis_hash(1, inside, hashed_seed))
    return columns, rows


def _contribution_2d(dx: F32Array, dy: F32Array, gradient: _Gradient) -> F32Array:
    slope, rest = gradient
    slope *= dx
    rest *= dy
    slope += rest
    falloff = dx * dx
    np.subtract(np.float32(0.75), falloff, out=falloff)
    falloff -= dy * dy
    return _weighted(falloff, slope)


def _weighted(falloff: F32Array, slope: F32Array) -> F32Array:
    """Return ``max(falloff, 0)**4 * slope``, using both as scratch."""
    np.maximum(falloff, _ZERO, out=falloff)
    falloff *= falloff
    falloff *= falloff
    falloff *= slope
    return falloff


def _simplex_3d(components: Sequence[F32Array], hashed_seed: int, periods: Sequence[int] | None) -> F32Array:
    at = _turned(*components) if periods is None else list(np.broadcast_arrays(*components))
    nearest = [np.rint(c) for c in at]
    offsets = [c - r for c, r in zip(at, nearest, strict=True)]
    indices = [to_i32(r) for r in nearest]
    first = _cubic(offsets, indices, hashed_seed, periods)
    is_above = [d >= _ZERO for d in offsets]
    indices = [i - (~above).astype(np.int32) for above, i in zip(is_above, indices, strict=True)]
    # A truth value as a number, 1/2 or -1/2 after the subtraction, takes a quarter of the time of np.where.
    offsets = [d - (above.astype(np.float32) - _HALF) for above, d in zip(is_above, offsets, strict=True)]
    second = _cubic(offsets, indices, (hashed_seed + solid.SECOND_LATTICE) & 0xFFFFFFFF, periods)
    total = first[0]
    for more in (first[1], *second):
        total += more
    return total


def _turned(x: F32Array, y: F32Array, z: F32Array) -> list[F32Array]:
    together = x + y
    turn = np.float32(solid.TURN_Z)
    aside, along = together * np.float32(solid.TURN_XY), z * turn
    return [(x + aside) + along, (y + aside) + along, along - together * turn]


def _cubic(
    offsets: Sequence[F32Array], indices: Sequence[I32Array], hashed_seed: int, periods: Sequence[int] | None
) -> tuple[F32Array, F32Array]:
    ax, ay, az = (np.abs(d) for d in offsets)
    is_x = (ax >= ay) & (ax >= az)
    is_y = ~is_x & (ay >= az)
    near = _contribution_3d(offsets, indices, hashed_seed, periods)
    offsets, indices = list(offsets), list(indices)
    for axis, is_moved in enumerate((is_x, is_y, ~(is_x | is_y))):
        step = (offsets[axis] >= _ZERO).astype(np.int32)
        step *= np.int32(2)
        step -= np.int32(1)
        step *= is_moved
        indices[axis] = indices[axis] + step
        offsets[axis] = offsets[axis] - step.astype(np.float32)
    return near, _contribution_3d(offsets, indices, hashed_seed, periods)


def _contribution_3d(
    offsets: Sequence[F32Array], indices: Sequence[I32Array], hashed_seed: int, periods: Sequence[int] | None
) -> F32Array:
    hashes = [
        axis_hash(number, index, hashed_seed, None if periods is None else periods[number])
        for number, index in enumerate(indices)
    ]
    gx, gy, gz = look_up(point_hash(hashes), _TABLE_3D)
    dx, dy, dz = offsets
    falloff = np.float32(0.5) - dx * dx
    falloff -= dy * dy
    falloff -= dz * dz
    return _weighted(falloff, (gx * dx + gy * dy) + gz * dz)
