"""The axes of lattice cells, as arrays: the NumPy counterpart of cell.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unshape_noise.fast.arrays import F32Array, I32Array, U32Array, to_i32
from unshape_noise.lattice import AXIS_MULTIPLIERS, MIX_MULTIPLIER, POINT_MULTIPLIER

_FIFTEEN = np.uint32(15)


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of the cells of an array of positions.

    Parameters
    ----------
    number : int
        0 for x, 1 for y, 2 for z.
    index : i32 array
        Lower end of the cell.
    offset : f32 array
        Position in the cell.
    """

    number: int
    index: I32Array
    offset: F32Array


def axis_of(number: int, coordinate: F32Array) -> Axis:
    """Return the axis of the cells that hold those coordinates."""
    lower = np.floor(coordinate)
    with np.errstate(invalid="ignore"):
        return Axis(number, to_i32(lower), np.subtract(coordinate, lower, out=lower if lower.ndim else None))


def axis_hash(number: int, index: I32Array, hashed_seed: int, period: int | None = None) -> U32Array:
    """Return the axis' part of the lattice hash."""
    if period is not None:
        index = wrapped(index, period)
    product = index.view(np.uint32) * np.uint32(AXIS_MULTIPLIERS[number])
    match number:
        case 0:
            product += np.uint32(hashed_seed)
        case 1:
            product ^= np.uint32(hashed_seed)
        case _:
            product -= np.uint32(hashed_seed)
    product ^= product >> _FIFTEEN
    product *= np.uint32(MIX_MULTIPLIER)
    return product


def axis_hashes(axis: Axis, hashed_seed: int, periods: Sequence[int] | None) -> tuple[U32Array, U32Array]:
    """Return the parts of the lattice hash at the lower and the upper end of cells."""
    period = None if periods is None else periods[axis.number]
    upper = axis.index + np.int32(1)
    return axis_hash(axis.number, axis.index, hashed_seed, period), axis_hash(axis.number, upper, hashed_seed, period)


def wrapped(index: I32Array, period: int) -> I32Array:
    """Return indices modulo a period, with the sign of the period; 0 for a period of 0."""
    return np.mod(index, np.int32(period)) if period else np.zeros_like(index)


def point_hash(axis_hashes: Sequence[U32Array]) -> U32Array:
    """Return the hash of lattice points; the parts of the axes broadcast against each other."""
    result = axis_hashes[0] ^ axis_hashes[1]
    for more in axis_hashes[2:]:
        result = result ^ more
    result *= np.uint32(POINT_MULTIPLIER)
    return result
