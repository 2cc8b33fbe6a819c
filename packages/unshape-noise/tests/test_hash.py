"""The lattice hash: uniform, without correlation between neighbours, without period, unrelated between seeds.

The bits that choose gradients (28 to 31) and the scrambled hash's lower half are held to what independent random bits
do; each check fails on a weaker hash of the same cost class.
"""

from __future__ import annotations

from collections.abc import Callable

import noise_reference as reference
import numpy as np
import numpy.typing as npt
import pytest

from unshape_noise.fast.arrays import mix32
from unshape_noise.fast.axis import axis_hash, point_hash
from unshape_noise.fast.white import scramble

Hash = Callable[[npt.NDArray[np.int32], npt.NDArray[np.int32], int], npt.NDArray[np.uint32]]
Bits = npt.NDArray[np.int64]

ORIGINS = [(0, 0), (-512, -300), (8_000_000, -8_000_123), (-(2**30), 2**31 - 700)]
SEEDS = [0, 1, 2**31, 2**32 - 1]
LAGS = [(0, 1), (1, 0), (1, 1), (1, -1), (2, 0), (0, 2), (3, 1), (4, 0), (0, 4), (7, 2), (8, 0), (0, 8)]


def ours(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32], seed: int) -> npt.NDArray[np.uint32]:
    salt = mix32(seed)
    return point_hash((axis_hash(0, x, salt), axis_hash(1, y, salt)))


def ours_scrambled_low(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32], seed: int) -> npt.NDArray[np.uint32]:
    return scramble(ours(x, y, seed)) << np.uint32(16)


def sums_of_multiples(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32], seed: int) -> npt.NDArray[np.uint32]:
    """A weak hash: linear in the coordinates before one product, so that it repeats along a lattice vector."""
    mixed = x.view(np.uint32) * np.uint32(0x9E3779B1) + y.view(np.uint32) * np.uint32(0x85EBCA77) + np.uint32(seed)
    return (mixed ^ mixed >> np.uint32(15)) * np.uint32(0x7FEB352D)


def one_product(x: npt.NDArray[np.int32], y: npt.NDArray[np.int32], seed: int) -> npt.NDArray[np.uint32]:
    """A weak hash: multiples of the axes and one product."""
    mixed = x.view(np.uint32) * np.uint32(0x9E3779B1) ^ y.view(np.uint32) * np.uint32(0x85EBCA77) ^ np.uint32(seed)
    return mixed * np.uint32(0x7FEB352D)


def top_bits(hash_: Hash, origin: tuple[int, int], seed: int, side: int) -> Bits:
    x = (np.arange(side, dtype=np.int64) + origin[0]).astype(np.int32)[None, :]
    y = (np.arange(side, dtype=np.int64) + origin[1]).astype(np.int32)[:, None]
    return (hash_(x, y, seed) >> np.uint32(28)).astype(np.int64)


def chi_square_z(values: Bits, bins: int) -> float:
    """How many standard deviations the chi-square statistic of uniformity is from its mean."""
    counts = np.bincount(values.ravel(), minlength=bins)
    expected = values.size / bins
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return (statistic - (bins - 1)) / float(np.sqrt(2 * (bins - 1)))


def pair_z(bits: Bits, lag: tuple[int, int]) -> float:
    dx, dy = lag
    side = bits.shape[0]
    first = bits[max(0, -dy) : side - max(0, dy), : side - dx]
    second = bits[max(0, dy) : side - max(0, -dy), dx:]
    return chi_square_z(first * 16 + second, 256)


def corner_z(bits: Bits) -> float:
    """Independence of the four corners of a cell."""
    four = ((bits[:-1, :-1] * 16 + bits[1:, :-1]) * 16 + bits[:-1, 1:]) * 16 + bits[1:, 1:]
    return chi_square_z(four, 16**4)


def largest_correlation(a: Bits, b: Bits | None = None) -> float:
    """Largest correlation of two fields of directions over all shifts, in standard deviations of chance."""
    first = np.fft.fft2(np.exp(2j * np.pi * a / 16))
    second = first if b is None else np.fft.fft2(np.exp(2j * np.pi * b / 16))
    found = np.abs(np.fft.ifft2(first * np.conj(second))) / a.size
    if b is None:
        found[0, 0] = 0.0
    return float(found.max() * np.sqrt(a.size))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("hash_", [ours, ours_scrambled_low], ids=["upper bits", "scrambled lower bits"])
def test_neighbours_are_independent(hash_: Hash, origin: tuple[int, int], seed: int) -> None:
    bits = top_bits(hash_, origin, seed, 600)
    assert abs(chi_square_z(bits, 16)) < 5.0
    assert max(abs(pair_z(bits, lag)) for lag in LAGS) < 6.0
    assert abs(corner_z(bits)) < 5.0


@pytest.mark.parametrize("hash_", [one_product, sums_of_multiples], ids=["one product", "sums"])
def test_a_weak_hash_has_dependent_neighbours(hash_: Hash) -> None:
    bits = top_bits(hash_, (0, 0), 1, 600)
    assert max(abs(corner_z(bits)), *(abs(pair_z(bits, lag)) for lag in LAGS)) > 8.0


@pytest.mark.parametrize("origin", ORIGINS)
@pytest.mark.parametrize("hash_", [ours, ours_scrambled_low], ids=["upper bits", "scrambled lower bits"])
def test_no_shift_of_the_lattice_onto_itself_correlates(hash_: Hash, origin: tuple[int, int]) -> None:
    # The largest of a million random complex numbers is about sqrt(ln(10**6)) = 3.7; the odds of 6 are 2e-10.
    assert largest_correlation(top_bits(hash_, origin, 5, 1024)) < 6.0


@pytest.mark.parametrize("hash_", [one_product, sums_of_multiples], ids=["one product", "sums"])
def test_a_weak_hash_correlates_with_itself(hash_: Hash) -> None:
    assert largest_correlation(top_bits(hash_, (0, 0), 5, 1024)) > 8.0


@pytest.mark.parametrize("seeds", [(0, 1), (1, 2), (0, 2**31), (500, 10000), (0, 0x9E3779B9), (2**32 - 1, 0)])
def test_no_shift_of_the_lattice_onto_that_of_another_seed_correlates(seeds: tuple[int, int]) -> None:
    first, second = (top_bits(ours, (-512, -512), seed, 1024) for seed in seeds)
    assert largest_correlation(first, second) < 6.0


def test_every_bit_of_the_input_flips_half_of_the_bits_that_are_used() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(-(2**23), 2**23, (2, 20_000)).astype(np.int32)
    before = ours(x, y, 9) >> np.uint32(24)
    for bit in range(24):
        for moved in ((x ^ np.int32(1 << bit), y), (x, y ^ np.int32(1 << bit))):
            flipped = np.bitwise_count(before ^ ours(*moved, 9) >> np.uint32(24))
            assert 3.4 < flipped.mean() < 4.6


def test_hashes_equal_the_reference() -> None:
    rng = np.random.default_rng(2)
    for x, y, seed in rng.integers(-(2**31), 2**31, (200, 3)).tolist():
        found = ours(np.array([x], np.int32), np.array([y], np.int32), seed & 0xFFFFFFFF)
        assert reference.lattice_hash((x, y), seed) == int(found[0])
