"""Interpolation between lattice points: the NumPy counterpart of interpolation.py."""

from __future__ import annotations

import numpy as np

from unshape_noise.fast.arrays import F32Array


def fade(t: F32Array) -> F32Array:
    """Return Perlin's quintic."""
    inner = t * np.float32(6.0)
    inner -= np.float32(15.0)
    inner *= t
    inner += np.float32(10.0)
    cubed = t * t
    cubed *= t
    cubed *= inner
    return cubed


def lerp(t: F32Array, a: F32Array, b: F32Array) -> F32Array:
    """Return ``a + t*(b - a)``."""
    return a + t * (b - a)
