"""White noise in NumPy: the operations of white.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unshape_noise.fast.arrays import F32Array, U32Array, as_f32, mix32, to_i32
from unshape_noise.fast.axis import axis_hash, point_hash
from unshape_noise.lattice import SCRAMBLE_MULTIPLIER
from unshape_noise.white import WHITE_BITS


def white(position: Sequence[npt.ArrayLike], seed: int, periods: Sequence[int] | None = None) -> F32Array:
    """Return white noise at positions; the parameters are those of ``fast.perlin.perlin``."""
    components = as_f32(position)
    hashed_seed = mix32(int(seed))
    hashes = [
        axis_hash(number, to_i32(np.floor(c)), hashed_seed, None if periods is None else periods[number])
        for number, c in enumerate(components)
    ]
    signed = scramble(point_hash(hashes)).view(np.int32)
    signed >>= np.int32(31 - WHITE_BITS)
    signed |= np.int32(1)
    result = signed.astype(np.float32)
    result *= np.float32(2.0**-WHITE_BITS)
    for c in components:
        is_finite = np.isfinite(c)
        if not is_finite.all():
            result[np.broadcast_to(~is_finite, result.shape)] = np.nan
    return result


def scramble(hashes: U32Array) -> U32Array:
    """Return hashes of lattice points mixed once more, in place; see lattice.py."""
    hashes ^= hashes >> np.uint32(16)
    hashes *= np.uint32(SCRAMBLE_MULTIPLIER)
    hashes ^= hashes >> np.uint32(15)
    return hashes
