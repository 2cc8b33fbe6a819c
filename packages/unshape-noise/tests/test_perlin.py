"""Perlin noise against a float64 derivation of the published algorithm, and its stated properties."""

from __future__ import annotations

import noise_reference as reference
import numpy as np
import pytest

from unshape_noise.fast.perlin import perlin


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("seed", [0, 1, 500, 10000, 2**31 - 1, 2**32 - 1])
def test_perlin_equals_the_textbook_in_float64(dimensions: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    positions = rng.normal(0.0, 20.0, (dimensions, 200)).astype(np.float32)
    expected = np.array([reference.perlin(p.tolist(), seed) for p in positions.T])
    # The length of our gradients is 2**-16 below the reciprocal of the reference's largest value.
    np.testing.assert_allclose(perlin(tuple(positions), seed).ravel(), expected, atol=2.0**-16 + 2.0**-20, rtol=0.0)
