"""Noise in float64 with Python integers, written from the published algorithms: the expected values of these tests.

One position at a time, textbook order of operations, no code shared with the package. What it takes over from the
documentation is what defines *which* noise it is: the hash, the set of gradients, the shifts of octaves.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

MASK = 0xFFFFFFFF
AXIS = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)


def lowbias32(value: int) -> int:
    value ^= value >> 16
    value = value * 0x7FEB352D & MASK
    value ^= value >> 15
    value = value * 0x846CA68B & MASK
    return value ^ value >> 16


def lattice_hash(point: Sequence[int], seed: int) -> int:
    salt = lowbias32(seed & MASK)
    mixed = 0
    for axis, (index, multiplier) in enumerate(zip(point, AXIS, strict=False)):
        product = index * multiplier & MASK
        salted = [(product + salt) & MASK, product ^ salt, (product - salt) & MASK][axis]
        mixed ^= (salted ^ salted >> 15) * 0x846CA68B & MASK
    return mixed * 0x7FEB352D & MASK


def gradient(point: Sequence[int], seed: int) -> tuple[float, ...]:
    """The unit gradient of a lattice point."""
    bits = lattice_hash(point, seed)
    sign = [-1.0 if bits >> (31 - k) & 1 else 1.0 for k in range(3)]
    if len(point) == 2:
        angle = math.radians(11.25 + 22.5 * (bits >> 28 & 3))
        return sign[0] * math.cos(angle), sign[1] * math.sin(angle)
    x, y, z = (
        (0.1762592, 0.40955282, 0.8950973),
        (0.3129653, 0.72032882, 0.61901462),
        (0.50844108, 0.82216187, 0.25600298),
        (0.93573009, 0.202464, 0.28882092),
    )[bits >> 26 & 3]
    if bits >> 28 & 1:
        x, y = y, x
    return sign[0] * x, sign[1] * y, sign[2] * z


def fade(t: float) -> float:
    return 6.0 * t**5 - 15.0 * t**4 + 10.0 * t**3


def interpolate(position: Sequence[float], value: Callable[[tuple[int, ...], tuple[float, ...]], float]) -> float:
    """Sum over the cell's corners of ``value(corner, offset from it)`` times the product of faded weights."""
    low = [math.floor(c) for c in position]
    total = 0.0
    for corner in itertools.product((0, 1), repeat=len(position)):
        weight = 1.0
        for c, base, k in zip(position, low, corner, strict=True):
            t = fade(c - base)
            weight *= t if k else 1.0 - t
        point = tuple(base + k for base, k in zip(low, corner, strict=True))
        offset = tuple(c - p for c, p in zip(position, point, strict=True))
        total += weight * value(point, offset)
    return total


def wrapped(point: Sequence[int], periods: Sequence[int] | None) -> tuple[int, ...]:
    return tuple(point) if periods is None else tuple(p % n for p, n in zip(point, periods, strict=True))


PERLIN_LARGEST = {2: 0.6953527036665923, 3: 0.8315481564811691}
"""Largest values of Perlin noise with unit gradients of these sets; proved in test_perlin_bounds.py."""


def perlin(position: Sequence[float], seed: int = 0, periods: Sequence[int] | None = None) -> float:
    def corner(point: tuple[int, ...], offset: tuple[float, ...]) -> float:
        return math.fsum(g * o for g, o in zip(gradient(wrapped(point, periods), seed), offset, strict=True))

    return interpolate(position, corner) / PERLIN_LARGEST[len(position)]


Noise = Callable[[Sequence[float], int, float], float]


def octave_terms(
    noise: Noise, position: Sequence[float], *, octaves: int, lacunarity: float, persistence: float, seed: int
) -> list[tuple[float, float]]:
    """Amplitude and noise of each octave."""
    terms = []
    for k in range(octaves):
        frequency = lacunarity**k
        shifts = [math.fmod(k * s, 1.0) for s in (0.7548777, 0.5698403, 0.4301597)]
        at = [c * frequency + s for c, s in zip(position, shifts, strict=False)]
        terms.append((persistence**k, noise(at, (seed + k * 0x9E3779B9) & MASK, frequency)))
    return terms


def fbm(terms: Sequence[tuple[float, float]]) -> float:
    return math.fsum(a * n for a, n in terms) / math.fsum(a for a, _ in terms)


def billow(terms: Sequence[tuple[float, float]]) -> float:
    return fbm([(a, 2.0 * abs(n) - 1.0) for a, n in terms])


def ridged(terms: Sequence[tuple[float, float]]) -> float:
    weight = 1.0
    signals = []
    for amplitude, noise in terms:
        signal = (1.0 - abs(noise)) ** 2 * weight
        weight = min(2.0 * signal, 1.0)
        signals.append((amplitude, signal))
    return 2.0 * fbm(signals) - 1.0


FRACTALS = {"fbm": fbm, "billow": billow, "ridged": ridged}
