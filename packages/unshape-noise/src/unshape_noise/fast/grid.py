"""Lattice noise on a grid: x depends on the column of the picture alone, the other coordinates on the row alone.

Lattice points are hashed once for each lattice column and each row of cells; what a lattice column contributes to a row
of pixels is computed once a row and looked up for each pixel.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unshape_noise.fast.arrays import F32Array, I32Array, U32Array
from unshape_noise.fast.axis import Axis, axis_hash, axis_hashes, axis_of

TILE = 32768
"""Pixels that are worked on at a time, so that intermediate arrays stay in cache."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of pixels, and the lattice columns that cross them.

    Parameters
    ----------
    hashes : tuple of u32 arrays ``[distinct rows of cells, 1]``, in pairs
        For each axis but x its parts of the lattice hash, at the lower and the upper end.
    columns : u32[1, lattice columns]
        The x axis' part of the lattice hash.
    which : intp[rows]
        Which of the distinct rows of cells each row of pixels crosses.
    offsets : tuple of f32[rows, 1]
        For each axis but x the position in the cell.
    """

    hashes: tuple[tuple[U32Array, U32Array], ...]
    columns: U32Array
    which: npt.NDArray[np.intp]
    offsets: tuple[F32Array, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Columns of pixels.

    Parameters
    ----------
    which : intp[columns]
        Which lattice column is the lower end of the cell.
    offset : f32[columns]
        The position in the cell.
    """

    which: npt.NDArray[np.intp]
    offset: F32Array


def is_grid(position: Sequence[F32Array]) -> bool:
    """Return whether x depends on the last index alone and the other coordinates do not depend on it."""
    x, *others = position
    return x.size == x.shape[-1] and x.size > 1 and all(other.shape[-1] == 1 for other in others)


def grid_of(
    position: Sequence[F32Array], hashed_seed: int, periods: Sequence[int] | None
) -> tuple[Rows, Columns] | None:
    """Return a grid's rows and columns, None if its cells are too small for tables to pay."""
    x = axis_of(0, position[0].reshape(-1))
    low, high = int(x.index.min()), int(x.index.max())
    if high - low > x.index.size // 2:
        return None
    lattice = np.arange(low, high + 2, dtype=np.int64).astype(np.int32)
    columns = axis_hash(0, lattice, hashed_seed, None if periods is None else periods[0])
    others = [
        axis_of(number, np.ascontiguousarray(c).reshape(-1))
        for number, c in enumerate(np.broadcast_arrays(*position[1:]), start=1)
    ]
    cells, which = _distinct(others)
    hashes = []
    for axis, index in zip(others, cells, strict=True):
        lower, upper = axis_hashes(Axis(axis.number, index, axis.offset), hashed_seed, periods)
        hashes.append((lower[:, None], upper[:, None]))
    offsets = tuple(axis.offset[:, None] for axis in others)
    return Rows(tuple(hashes), columns[None, :], which, offsets), Columns(
        (x.index - np.int64(low)).astype(np.intp), x.offset
    )


def row_slices(rows: int, columns: int) -> Iterator[slice]:
    """Return parts of the rows that hold about :data:`TILE` pixels each."""
    step = max(1, TILE // max(columns, 1))
    return (slice(start, start + step) for start in range(0, rows, step))


def equal_runs(keys: Sequence[I32Array]) -> list[tuple[int, int]]:
    """Return the ranges in which the numbers of all those rows stay the same."""
    stacked = np.stack(keys)
    changes = np.flatnonzero(np.any(stacked[:, 1:] != stacked[:, :-1], axis=0)) + 1
    return list(itertools.pairwise([0, *changes.tolist(), stacked.shape[1]]))


def _distinct(axes: Sequence[Axis]) -> tuple[list[I32Array], npt.NDArray[np.intp]]:
    keys = np.stack([axis.index for axis in axes])
    is_new = np.empty(keys.shape[1], np.bool_)
    is_new[:1] = True
    np.any(keys[:, 1:] != keys[:, :-1], axis=0, out=is_new[1:])
    first = np.flatnonzero(is_new)
    return [key[first] for key in keys], np.cumsum(is_new) - 1
