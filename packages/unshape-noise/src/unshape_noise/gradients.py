"""The gradients of lattice points: directions looked up by the upper bits of a hash.

2-D: 16 directions, 22.5 degrees apart, none of them along an axis or a diagonal. Bits 28 and 29 choose the angle
(11.25, 33.75, 56.25, 78.75 degrees), bit 30 is the sign of y, bit 31 that of x. So a table of eight entries, indexed by
bits 28 to 30, and one sign serve registers of eight lanes; a table of sixteen serves registers of sixteen.

3-D: 64 directions. Bits 26 and 27 choose one of four, bit 28 exchanges x and y, bits 29, 30 and 31 are the signs of z,
y and x. The four are chosen so that all moments up to degree 7 are those of the sphere (a spherical 7-design), with a
smallest angle of 18.9 degrees.

The lengths are not 1 but what makes the noise reach nearly, and never exceed, 1: see the kinds of noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from unshape_expr import build as e
from unshape_expr.ir import Expr
from unshape_expr.literal import round_to_f32
from unshape_noise.lattice import u32

COSINES = tuple(math.cos(math.radians(11.25 + 22.5 * k)) for k in range(4))
"""Cosines of the four angles; the sines are the same numbers in reverse."""

DIRECTIONS_3D = (
    (0.1762592, 0.40955282, 0.8950973),
    (0.3129653, 0.72032882, 0.61901462),
    (0.50844108, 0.82216187, 0.25600298),
    (0.93573009, 0.202464, 0.28882092),
)
"""The four directions of the first octant that all others are made of."""


def table_2d(length: float) -> tuple[float, ...]:
    """Return the x components of the four gradients of that length, as float32."""
    return tuple(round_to_f32(length * c) for c in COSINES)


def table_3d(length: float) -> tuple[tuple[float, ...], ...]:
    """Return the x, the y and the z components of the four gradients of that length, as float32."""
    return tuple(tuple(round_to_f32(length * d[axis]) for d in DIRECTIONS_3D) for axis in range(3))


def gradient_2d(hash_: Expr, table: Sequence[float]) -> tuple[Expr, Expr]:
    """Return the components of the gradient that a hash chooses."""
    low, high = _bit(hash_, 28), _bit(hash_, 29)
    x = _look_up(low, high, table)
    y = _look_up(low, high, table[::-1])
    return _signed(x, hash_, 31), _signed(y, hash_, 30)


def gradient_3d(hash_: Expr, table: Sequence[Sequence[float]]) -> tuple[Expr, Expr, Expr]:
    """Return the components of the gradient that a hash chooses."""
    low, high, swapped = _bit(hash_, 26), _bit(hash_, 27), _bit(hash_, 28)
    x, y, z = (_look_up(low, high, entries) for entries in table)
    first, second = e.select(swapped, y, x), e.select(swapped, x, y)
    return _signed(first, hash_, 31), _signed(second, hash_, 30), _signed(z, hash_, 29)


def _bit(value: Expr, number: int) -> Expr:
    return e.ne(value & u32(1 << number), u32(0))


def _look_up(low: Expr, high: Expr, entries: Sequence[float]) -> Expr:
    a, b, c, d = entries
    return e.select(high, e.select(low, d, c), e.select(low, b, a))


def _signed(magnitude: Expr, hash_: Expr, bit: int) -> Expr:
    """Return the magnitude with a bit of the hash as its sign."""
    shifted = hash_ if bit == 31 else hash_ << (31 - bit)
    return e.bitcast_f32(e.bitcast_u32(magnitude) ^ (shifted & u32(0x80000000)))
