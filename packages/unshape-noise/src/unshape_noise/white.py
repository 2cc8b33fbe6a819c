"""White noise: definitions.

Every unit cell has one value, an odd multiple of ``2**-24`` in (-1, 1) from the upper 25 bits of the scrambled hash of
the cell's lower corner; cells are independent of each other. NaN for a coordinate that is not finite.
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr import build as e
from unshape_expr.build import ExprLike
from unshape_expr.ir import Expr
from unshape_expr.vectors import components
from unshape_noise.lattice import axis_hash, mix32, point_hash, scramble, wrap

WHITE_BITS = 24
"""Values are odd multiples of ``2**-WHITE_BITS``."""


def white_expression(position: Expr, seed: Expr, periods: Sequence[ExprLike] | None = None) -> Expr:
    """Return the value of the cell that holds a vec2 or vec3 position, in (-1, 1).

    Parameters
    ----------
    position : vec2 or vec3
        In cells.
    seed : u32
        Which noise.
    periods : sequence of i32, optional
        For each axis the number of cells after which the values repeat, at least 1.
    """
    hashed_seed = mix32(seed)
    hashes = []
    distance: Expr | None = None
    for number, coordinate in enumerate(components(position)):
        index = wrap(e.to_i32(e.floor(coordinate)), None if periods is None else periods[number])
        hashes.append(axis_hash(number, index, hashed_seed))
        magnitude = e.abs(coordinate)
        distance = magnitude if distance is None else e.max(distance, magnitude)
    assert distance is not None
    value = e.to_f32((e.to_i32(scramble(point_hash(hashes))) >> (31 - WHITE_BITS)) | 1) * 2.0**-WHITE_BITS
    return e.select(e.lt(distance, float("inf")), value, float("nan"))
