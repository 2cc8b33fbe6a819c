"""The hash of the integer lattice, in u32, equal on every backend.

::

    s = mix32(seed)
    X = mix(i*0x9E3779B1 + s)    Y = mix(j*0x85EBCA77 ^ s)    Z = mix(k*0xC2B2AE3D - s)
    mix(a) = (a ^ a >> 15) * 0x846CA68B
    H = (X ^ Y ^ Z) * 0x7FEB352D                        2-D: without Z

All arithmetic is modulo 2**32. The column's part depends on the column alone and the row's on the row alone, so a grid
computes them once for each lattice column and row, and one exclusive or and one product remain for each lattice point.
The upper bits of ``H`` are the good ones (the lowest bit of a product is that of its factors): users take them from the
top, or mix once more with :func:`scramble`. The seed is hashed and enters both axes in different ways, so that the
lattices of two seeds share no rows. ``mix32`` is Chris Wellons' lowbias32 (https://nullprogram.com/blog/2018/07/31/),
whose two multipliers are used here as well; the axes' multipliers are the primes of xxHash32.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from unshape_expr import build as e
from unshape_expr.build import ExprLike
from unshape_expr.ir import Expr
from unshape_expr.types import Type

AXIS_MULTIPLIERS = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
MIX_MULTIPLIER = 0x846CA68B
POINT_MULTIPLIER = 0x7FEB352D
SCRAMBLE_MULTIPLIER = 0xC2B2AE3D


def u32(value: int) -> Expr:
    """Return a u32 literal."""
    return e.literal(value, Type.U32)


def mix32(value: Expr) -> Expr:
    """Return a u32 hashed to a u32, one to one; zero to zero."""
    value = (value ^ (value >> 16)) * u32(0x7FEB352D)
    value = (value ^ (value >> 15)) * u32(0x846CA68B)
    return value ^ (value >> 16)


def axis_hash(axis: int, index: Expr, hashed_seed: Expr) -> Expr:
    """Return the part of the hash that belongs to one axis.

    Parameters
    ----------
    axis : int
        0, 1 or 2.
    index : i32
        Column, row or layer of the lattice.
    hashed_seed : u32
        What :func:`mix32` gives.
    """
    product = e.to_u32(index) * u32(AXIS_MULTIPLIERS[axis])
    salted = (product + hashed_seed, product ^ hashed_seed, product - hashed_seed)[axis]
    return (salted ^ (salted >> 15)) * u32(MIX_MULTIPLIER)


def point_hash(axis_hashes: Sequence[Expr]) -> Expr:
    """Return the hash of a lattice point from those of its axes; take bits from the top."""
    return reduce(e.bit_xor, axis_hashes) * u32(POINT_MULTIPLIER)


def scramble(value: Expr) -> Expr:
    """Return the hash of a lattice point mixed once more, so that its lower half is as good as its upper one."""
    value = (value ^ (value >> 16)) * u32(SCRAMBLE_MULTIPLIER)
    return value ^ (value >> 15)


def wrap(index: Expr, period: ExprLike | None) -> Expr:
    """Return an i32 lattice index modulo a period; without one, itself."""
    return index if period is None else e.mod(index, period)
