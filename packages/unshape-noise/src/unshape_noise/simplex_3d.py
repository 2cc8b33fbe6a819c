"""Simplex noise of three coordinates; simplex.py has the formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence

from unshape_expr import build as e
from unshape_expr.build import ExprLike
from unshape_expr.ir import Expr
from unshape_noise.gradients import gradient_3d, table_3d
from unshape_noise.lattice import axis_hash, mix32, point_hash, u32, wrap

LENGTH_3D = 108.2742
TABLE_3D = table_3d(LENGTH_3D)

SECOND_LATTICE = 0x9E3779B9
"""Added to the hashed seed for the second of the two cubic lattices."""

TURN_Z = math.sqrt(1.0 / 3.0)
TURN_XY = (TURN_Z - 1.0) / 2.0


def simplex_3d(position: Sequence[Expr], seed: Expr, periods: Sequence[ExprLike] | None) -> Expr:
    """Return simplex noise at a position of three components."""
    hashed_seed = mix32(seed)
    at = _turned(position) if periods is None else list(position)
    nearest = [e.round(c) for c in at]
    offsets = [c - r for c, r in zip(at, nearest, strict=True)]
    indices = [e.to_i32(r) for r in nearest]
    first = _cubic(offsets, indices, hashed_seed, periods)
    # The nearest point of the second lattice follows from the offsets, so that it is half a cell away at any distance.
    is_above = [e.ge(d, 0.0) for d in offsets]
    indices = [e.select(above, i, i - 1) for above, i in zip(is_above, indices, strict=True)]
    offsets = [e.select(above, d - 0.5, d + 0.5) for above, d in zip(is_above, offsets, strict=True)]
    second = _cubic(offsets, indices, hashed_seed + u32(SECOND_LATTICE), periods)
    return ((first[0] + first[1]) + second[0]) + second[1]


def _turned(position: Sequence[Expr]) -> list[Expr]:
    """Return a position turned so that the z axis becomes the lattice's threefold one."""
    x, y, z = position
    together = x + y
    aside, along = together * TURN_XY, z * TURN_Z
    return [(x + aside) + along, (y + aside) + along, along - together * TURN_Z]


def _cubic(
    offsets: Sequence[Expr], indices: Sequence[Expr], hashed_seed: Expr, periods: Sequence[ExprLike] | None
) -> tuple[Expr, Expr]:
    """Return what the two points of one cubic lattice contribute that are near enough, from the nearest one."""
    ax, ay, az = (e.abs(d) for d in offsets)
    is_x = e.ge(ax, ay) & e.ge(ax, az)
    is_y = ~is_x & e.ge(ay, az)
    is_moved = (is_x, is_y, ~(is_x | is_y))
    next_indices, next_offsets = [], []
    for index, offset, moved in zip(indices, offsets, is_moved, strict=True):
        is_above = e.ge(offset, 0.0)
        next_indices.append(e.select(moved, e.select(is_above, index + 1, index - 1), index))
        next_offsets.append(e.select(moved, e.select(is_above, offset - 1.0, offset + 1.0), offset))
    return (
        _contribution(offsets, indices, hashed_seed, periods),
        _contribution(next_offsets, next_indices, hashed_seed, periods),
    )


def _contribution(
    offsets: Sequence[Expr], indices: Sequence[Expr], hashed_seed: Expr, periods: Sequence[ExprLike] | None
) -> Expr:
    hashes = [
        axis_hash(number, wrap(index, None if periods is None else periods[number]), hashed_seed)
        for number, index in enumerate(indices)
    ]
    gx, gy, gz = gradient_3d(point_hash(hashes), TABLE_3D)
    dx, dy, dz = offsets
    falloff = e.max(((0.5 - dx * dx) - dy * dy) - dz * dz, 0.0)
    squared = falloff * falloff
    return (squared * squared) * ((gx * dx + gy * dy) + gz * dz)
