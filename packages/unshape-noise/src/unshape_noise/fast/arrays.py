"""Types and small array helpers of the NumPy implementations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

F32Array: TypeAlias = npt.NDArray[np.float32]
U32Array: TypeAlias = npt.NDArray[np.uint32]
I32Array: TypeAlias = npt.NDArray[np.int32]

_MASK = 0xFFFFFFFF
_I32_LIMIT = np.float32(2147483648.0)


def mix32(value: int) -> int:
    """Return a u32 hashed to a u32; see lattice.py."""
    value = ((value ^ (value >> 16)) * 0x7FEB352D) & _MASK
    value = ((value ^ (value >> 15)) * 0x846CA68B) & _MASK
    return value ^ (value >> 16)


def to_i32(whole: F32Array) -> I32Array:
    """Return whole numbers as i32, saturating, NaN as 0: the expression language's conversion."""
    with np.errstate(invalid="ignore"):
        result = whole.astype(np.int32)
    if whole.size and not bool(np.max(np.abs(whole)) < _I32_LIMIT):
        result[whole >= _I32_LIMIT] = 2147483647
        result[whole < -_I32_LIMIT] = -2147483648
        result[np.isnan(whole)] = 0
    return result


def as_f32(components: Sequence[npt.ArrayLike]) -> tuple[F32Array, ...]:
    """Return components as float32 arrays of one number of dimensions, at least 2."""
    arrays = [np.asarray(c, np.float32) for c in components]
    dimensions = max(2, *(a.ndim for a in arrays))
    return tuple(a.reshape((1,) * (dimensions - a.ndim) + a.shape) for a in arrays)
