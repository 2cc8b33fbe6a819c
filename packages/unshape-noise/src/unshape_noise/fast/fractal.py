"""Fractal sums in NumPy: the operations of fractal.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_noise.fast.arrays import F32Array, as_f32
from unshape_noise.fractal import MAX_DISTANCE, MAX_FACTOR, MAX_OCTAVES, SEED_STEP, SHIFTS, Fractal

ArrayBase: TypeAlias = Callable[[Sequence[F32Array], int, np.float32], F32Array]
"""``base(position, seed, frequency)`` returns a new array."""

_ZERO, _ONE, _TWO = np.float32(0.0), np.float32(1.0), np.float32(2.0)
_FAR, _MOST = np.float32(MAX_DISTANCE), np.float32(MAX_FACTOR)


def fractal(
    kind: Fractal,
    base: ArrayBase,
    position: Sequence[npt.ArrayLike],
    *,
    octaves: int,
    lacunarity: float,
    persistence: float,
    seed: int,
) -> F32Array:
    """Return a fractal sum; the parameters are those of ``fractal_expression``."""
    components = [np.clip(c, -_FAR, _FAR) for c in as_f32(position)]
    factor, gain = (np.float32(np.clip(np.float32(f), _ZERO, _MOST)) for f in (lacunarity, persistence))
    total, amplitude, frequency = _ZERO, _ONE, _ONE
    with np.errstate(all="ignore"):
        result: F32Array | None = None
        weight: F32Array | None = None
        for octave in range(min(max(int(octaves), 1), MAX_OCTAVES)):
            at = [c * frequency + _shift(octave, axis) for axis, c in enumerate(components)]
            noise = base(at, (int(seed) + octave * SEED_STEP) & 0xFFFFFFFF, frequency)
            term = _shaped(kind, noise)
            if kind is Fractal.RIDGED:
                if weight is not None:
                    term *= weight
                weight = np.minimum(term * _TWO, _ONE)
            term *= amplitude
            term = np.add(term, _ZERO if result is None else result, out=term)
            result = term
            total, amplitude, frequency = total + amplitude, amplitude * gain, frequency * factor
        assert result is not None
        result *= _ONE / total
        if kind is Fractal.RIDGED:
            result *= _TWO
            result -= _ONE
    return result


def _shaped(kind: Fractal, noise: F32Array) -> F32Array:
    """Return what one octave contributes, using the array as scratch."""
    match kind:
        case Fractal.FBM:
            return noise
        case Fractal.BILLOW:
            np.abs(noise, out=noise)
            noise *= _TWO
            noise -= _ONE
            return noise
        case Fractal.RIDGED:
            np.abs(noise, out=noise)
            np.subtract(_ONE, noise, out=noise)
            noise *= noise
            return noise


def _shift(octave: int, axis: int) -> np.float32:
    at = np.float32(octave) * np.float32(SHIFTS[axis])
    return np.float32(at - np.floor(at))
