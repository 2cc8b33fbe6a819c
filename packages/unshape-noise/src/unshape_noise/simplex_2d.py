"""Simplex noise of two coordinates; simplex.py has the formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence

from unshape_expr import build as e
from unshape_expr.build import ExprLike
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_noise.gradients import gradient_2d, table_2d
from unshape_noise.lattice import axis_hash, mix32, point_hash

LENGTH_2D = 16.03388
TABLE_2D = table_2d(LENGTH_2D)

COLUMNS_PER_UNIT = math.sqrt(1.5)
ROWS_PER_UNIT = math.sqrt(2.0)
ROW_HEIGHT = math.sqrt(0.75)


def simplex_2d(position: Sequence[Expr], seed: Expr, periods: Sequence[ExprLike] | None) -> Expr:
    """Return simplex noise at a position of two components."""
    x, y = position
    hashed_seed = mix32(seed)
    if periods is None:
        counts = None
        v = y * ROWS_PER_UNIT
        u = x * COLUMNS_PER_UNIT + v * 0.5
    else:
        columns, rows = lattice_counts(periods)
        counts = columns, rows
        v = y * (e.to_f32(rows) / e.to_f32(e.lift(periods[1], Type.I32, where="period_y")))
        u = x * (e.to_f32(columns) / e.to_f32(e.lift(periods[0], Type.I32, where="period_x"))) + v * 0.5
    low_u, low_v = e.floor(u), e.floor(v)
    u, v = u - low_u, v - low_v
    hashes = _lattice_hashes(e.to_i32(low_u), e.to_i32(low_v), hashed_seed, counts)
    is_lower = e.gt(u, v)
    second = [e.select(is_lower, a, b) for a, b in zip(hashes[0][1], hashes[1][0], strict=True)]
    dx, dy = u - v * 0.5, v * ROW_HEIGHT
    near = _contribution(dx, dy, hashes[0][0])
    middle = _contribution(dx - e.select(is_lower, 1.0, -0.5), dy - e.select(is_lower, 0.0, ROW_HEIGHT), second)
    far = _contribution(dx - 0.5, dy - ROW_HEIGHT, hashes[1][1])
    return (near + middle) + far


def lattice_counts(periods: Sequence[ExprLike]) -> tuple[Expr, Expr]:
    """Return how many lattice columns and rows a period holds, at least 1 and 2; the rows are an even number."""
    width, height = (e.to_f32(e.lift(period, Type.I32, where="period")) for period in periods)
    columns = e.max(e.to_i32(e.round(width * COLUMNS_PER_UNIT)), 1)
    pairs = e.max(e.to_i32(e.round(height * (ROWS_PER_UNIT / 2.0))), 1)
    return columns, pairs * 2


def _lattice_hashes(
    i: Expr, j: Expr, hashed_seed: Expr, counts: tuple[Expr, Expr] | None
) -> list[list[tuple[Expr, Expr]]]:
    """Return by row and column of the cell's corners the hashes of both axes."""
    rows: list[list[tuple[Expr, Expr]]] = []
    plain = [axis_hash(0, i + k, hashed_seed) for k in (0, 1)] if counts is None else []
    for row in (j, j + 1):
        if counts is None:
            y = axis_hash(1, row, hashed_seed)
            rows.append([(x, y) for x in plain])
        else:
            # Going around once along y moves lattice points by half a column for each row.
            wrapped = e.mod(row, counts[1])
            shifted = i - ((row - wrapped) >> 1)
            y = axis_hash(1, wrapped, hashed_seed)
            rows.append([(axis_hash(0, e.mod(shifted + k, counts[0]), hashed_seed), y) for k in (0, 1)])
    return rows


def _contribution(dx: Expr, dy: Expr, hashes: Sequence[Expr]) -> Expr:
    gx, gy = gradient_2d(point_hash(hashes), TABLE_2D)
    falloff = e.max((0.75 - dx * dx) - dy * dy, 0.0)
    squared = falloff * falloff
    return (squared * squared) * (gx * dx + gy * dy)
