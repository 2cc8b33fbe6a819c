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
"""Largest values of Perlin noise with unit gradients of these sets; proved in test_bounds.py."""


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


def value(position: Sequence[float], seed: int = 0, periods: Sequence[int] | None = None) -> float:
    def corner(point: tuple[int, ...], _offset: tuple[float, ...]) -> float:
        bits = lattice_hash(wrapped(point, periods), seed)
        signed = bits - 2**32 if bits >> 31 else bits
        return ((signed >> 11) | 1) / 2**20

    return interpolate(position, corner)


def scrambled_hash(point: Sequence[int], seed: int) -> int:
    bits = lattice_hash(point, seed)
    bits ^= bits >> 16
    bits = bits * 0xC2B2AE3D & MASK
    return bits ^ bits >> 15


def white(position: Sequence[float], seed: int = 0, periods: Sequence[int] | None = None) -> float:
    bits = scrambled_hash(wrapped([math.floor(c) for c in position], periods), seed)
    signed = bits - 2**32 if bits >> 31 else bits
    return ((signed >> 7) | 1) / 2**24


SIMPLEX_LARGEST = {2: 0.06236695, 3: 0.00923567}
"""Largest values with unit gradients; proved in test_bounds.py."""


def simplex(position: Sequence[float], seed: int = 0, periods: Sequence[int] | None = None) -> float:
    """Sum over *all* lattice points nearby, so that no choice of simplex is involved."""
    terms = simplex_2d(position, seed, periods) if len(position) == 2 else simplex_3d(position, seed, periods)
    return math.fsum(terms) / SIMPLEX_LARGEST[len(position)]


def simplex_2d(position: Sequence[float], seed: int, periods: Sequence[int] | None) -> list[float]:
    """Triangles of unit side, lattice point (i, j) at (i - j/2, j*sqrt(3)/2)."""
    x, y = position
    columns, rows = math.sqrt(1.5), math.sqrt(2.0)
    counts: tuple[int, int] | None = None
    if periods is not None:
        counts = max(round(periods[0] * columns), 1), 2 * max(round(periods[1] * rows / 2), 1)
        columns, rows = counts[0] / periods[0], counts[1] / periods[1]
    height = math.sqrt(0.75)
    v = y * rows
    u = x * columns + v / 2
    at = u - v / 2, v * height
    terms = []
    for di, dj in itertools.product(range(-1, 3), repeat=2):
        i, j = math.floor(u) + di, math.floor(v) + dj
        offset = at[0] - (i - j / 2), at[1] - j * height
        falloff = 0.75 - offset[0] ** 2 - offset[1] ** 2
        if falloff <= 0.0:
            continue
        if counts is not None:
            turns = j // counts[1]
            i, j = (i - turns * counts[1] // 2) % counts[0], j % counts[1]
        g = gradient((i, j), seed)
        terms.append(falloff**4 * (g[0] * offset[0] + g[1] * offset[1]))
    return terms


def simplex_3d(position: Sequence[float], seed: int, periods: Sequence[int] | None) -> list[float]:
    """Two cubic lattices, the second moved by half a cell; radius sqrt(1/2)."""
    x, y, z = position
    if periods is None:
        third = math.sqrt(1.0 / 3.0)
        aside = (x + y) * (third - 1.0) / 2.0
        position = x + aside + z * third, y + aside + z * third, z * third - (x + y) * third
    terms = []
    for lattice, corner in itertools.product((0, 1), itertools.product(range(-1, 3), repeat=3)):
        point = [math.floor(c) + d for c, d in zip(position, corner, strict=True)]
        offset = [c - p - lattice / 2 for c, p in zip(position, point, strict=True)]
        falloff = 0.5 - math.fsum(d * d for d in offset)
        if falloff > 0.0:
            # The second lattice has the first one's hashed seed plus a constant: undo the seed's hash to ask for it.
            salted = seed if lattice == 0 else inverse_lowbias32((lowbias32(seed & MASK) + 0x9E3779B9) & MASK)
            g = gradient(wrapped(point, periods), salted)
            terms.append(falloff**4 * math.fsum(a * b for a, b in zip(g, offset, strict=True)))
    return terms


def inverse_lowbias32(value: int) -> int:
    value ^= value >> 16
    value = value * pow(0x846CA68B, -1, 2**32) & MASK
    value ^= value >> 15 ^ value >> 30
    value = value * pow(0x7FEB352D, -1, 2**32) & MASK
    return value ^ value >> 16


METRICS: dict[str, Callable[[Sequence[float]], float]] = {
    "euclidean": lambda d: math.sqrt(math.fsum(c * c for c in d)),
    "manhattan": lambda d: math.fsum(abs(c) for c in d),
    "chebyshev": lambda d: max(abs(c) for c in d),
}

WORLEY_LARGEST = {
    ("f1", 2): {"euclidean": math.sqrt(2.0), "manhattan": 2.0, "chebyshev": 1.0},
    ("f2", 2): {"euclidean": math.sqrt(2.5), "manhattan": 2.0, "chebyshev": 1.5},
    ("f1", 3): {"euclidean": math.sqrt(3.0), "manhattan": 3.0, "chebyshev": 1.0},
    ("f2", 3): {"euclidean": math.sqrt(3.0), "manhattan": 3.0, "chebyshev": 1.5},
}


def feature_distances(
    position: Sequence[float],
    seed: int,
    *,
    metric: str,
    jitter: float,
    reach: int = 1,
    periods: Sequence[int] | None = None,
) -> list[float]:
    """Distances to the feature points of the cells within reach, ascending."""
    distances = []
    for corner in itertools.product(range(-reach, reach + 1), repeat=len(position)):
        point = [math.floor(c) + d for c, d in zip(position, corner, strict=True)]
        bits = scrambled_hash(wrapped(point, periods), seed)
        parts = (bits >> 16, bits & 0xFFFF, (bits * 0x27D4EB2F & MASK) >> 16)
        feature = [p + 0.5 + jitter * (r / 65536 - 0.5) for p, r in zip(point, parts, strict=False)]
        distances.append(METRICS[metric]([f - c for f, c in zip(feature, position, strict=True)]))
    return sorted(distances)


def worley(
    position: Sequence[float],
    seed: int,
    *,
    feature: str,
    metric: str,
    jitter: float,
    periods: Sequence[int] | None = None,
) -> float:
    first, second = feature_distances(position, seed, metric=metric, jitter=jitter, periods=periods)[:2]
    distance = {"f1": first, "f2": second, "f2_f1": second - first}[feature]
    largest = WORLEY_LARGEST["f1" if feature == "f1" else "f2", len(position)][metric]
    return 2.0 * distance / largest - 1.0
