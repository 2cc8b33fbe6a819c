"""Gradients looked up in tables: the NumPy counterpart of gradients.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_noise.fast.arrays import F32Array, U32Array


def full_table_2d(table: Sequence[float]) -> tuple[F32Array, F32Array]:
    """Return the x and y components of all 16 gradients, in the order of bits 28 to 31 of the hash."""
    number = np.arange(16)
    angle = number & 3
    x = np.asarray(table, np.float32)[angle]
    y = np.asarray(table[::-1], np.float32)[angle]
    return np.where(number & 8, -x, x), np.where(number & 4, -y, y)


def full_table_3d(table: Sequence[Sequence[float]]) -> tuple[F32Array, F32Array, F32Array]:
    """Return the components of all 64 gradients, in the order of bits 26 to 31 of the hash."""
    number = np.arange(64)
    x, y, z = (np.asarray(entries, np.float32)[number & 3] for entries in table)
    x, y = np.where(number & 4, y, x), np.where(number & 4, x, y)
    return np.where(number & 32, -x, x), np.where(number & 16, -y, y), np.where(number & 8, -z, z)


def look_up(hashes: U32Array, tables: Sequence[F32Array]) -> tuple[F32Array, ...]:
    """Return the components of the gradients that hashes choose."""
    index = (hashes >> np.uint32(32 - (tables[0].size - 1).bit_length())).astype(np.intp)
    return tuple(table.take(index) for table in tables)
