"""The lattice cell that a position falls into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unshape_expr import build as e
from unshape_expr.build import ExprLike
from unshape_expr.ir import Expr
from unshape_expr.vectors import components
from unshape_noise.lattice import axis_hash, mix32, wrap


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a cell.

    Parameters
    ----------
    offset : f32
        The position in the cell, in [0, 1]: 1 for the smallest negative coordinates, by rounding.
    offsets : (f32, f32)
        The position relative to the cell's lower and upper end: ``offset`` and ``offset - 1``.
    hashes : (u32, u32)
        The axis' parts of the lattice hash at the lower and the upper end.
    """

    offset: Expr
    offsets: tuple[Expr, Expr]
    hashes: tuple[Expr, Expr]


def axes_of(position: Expr, seed: Expr, periods: Sequence[ExprLike] | None) -> tuple[Axis, ...]:
    """Return the axes of the cell that holds a position."""
    hashed_seed = mix32(seed)
    result = []
    for number, coordinate in enumerate(components(position)):
        period = None if periods is None else periods[number]
        lower = e.floor(coordinate)
        index = e.to_i32(lower)
        offset = coordinate - lower
        hashes = (
            axis_hash(number, wrap(index, period), hashed_seed),
            axis_hash(number, wrap(index + 1, period), hashed_seed),
        )
        result.append(Axis(offset, (offset, offset - 1.0), hashes))
    return tuple(result)
