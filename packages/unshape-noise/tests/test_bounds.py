"""Gradient noise never leaves [-1, 1] and nearly reaches both ends: proved by branch and bound, and searched for."""

from __future__ import annotations

import noise_bounds
import noise_reference as reference
import numpy as np
import pytest
from noise_bounds import GradientNoise, has_bound, largest_found
from noise_runner import at_positions, u32

from unshape_expr import build as e
from unshape_expr.types import Type
from unshape_noise import perlin, simplex_2d, simplex_3d
from unshape_noise.families import Kind
from unshape_noise.fractal import Fractal
from unshape_noise.kinds import KINDS, PERLIN, SIMPLEX, VALUE, functions_of

CLAIMS = [
    pytest.param(noise_bounds.perlin(2), reference.PERLIN_LARGEST[2], perlin.LENGTH_2D, id="perlin-2"),
    pytest.param(noise_bounds.perlin(3), reference.PERLIN_LARGEST[3], perlin.LENGTH_3D, id="perlin-3"),
    pytest.param(noise_bounds.simplex(2), reference.SIMPLEX_LARGEST[2], simplex_2d.LENGTH_2D, id="simplex-2"),
    pytest.param(
        noise_bounds.simplex(3),
        reference.SIMPLEX_LARGEST[3],
        simplex_3d.LENGTH_3D,
        id="simplex-3",
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize(("noise", "largest", "length"), CLAIMS)
def test_the_length_of_gradients_keeps_the_noise_below_1(noise: GradientNoise, largest: float, length: float) -> None:
    # 2**-18 is left for the bound, and 2**-17 for the float32 rounding of tables and arithmetic.
    assert has_bound(noise, largest * (1.0 + 2.0**-18))
    assert length * largest * (1.0 + 2.0**-18) < 1.0 - 2.0**-17


@pytest.mark.parametrize(("noise", "largest", "length"), CLAIMS)
def test_the_bound_is_reached(noise: GradientNoise, largest: float, length: float) -> None:
    assert largest_found(noise) == pytest.approx(largest, rel=2.0**-20)
    assert length * largest > 1.0 - 2.0**-15


@pytest.mark.parametrize(("noise", "largest", "length"), CLAIMS)
def test_too_small_a_bound_is_refuted(noise: GradientNoise, largest: float, length: float) -> None:
    assert not has_bound(noise, largest * 0.999, max_boxes=40_000)
    assert largest_found(noise) > largest * 0.999


@pytest.mark.parametrize("dimensions", [2, 3])
def test_gradients_are_as_evenly_spread_as_a_spherical_design(dimensions: int) -> None:
    """All moments up to degree 7 are those of the circle or sphere: nothing prefers a direction."""
    directions = noise_bounds.unit_gradients(dimensions)
    rng = np.random.default_rng(0)
    for axis in rng.normal(size=(20, dimensions)):
        along = directions @ (axis / np.linalg.norm(axis))
        # Moments of one coordinate on the unit circle and sphere.
        even = {2: (1 / 2, 3 / 8, 5 / 16), 3: (1 / 3, 1 / 5, 1 / 7)}[dimensions]
        for degree, moment in zip((2, 4, 6), even, strict=True):
            assert (along**degree).mean() == pytest.approx(moment, abs=2e-7)
            assert (along ** (degree + 1)).mean() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_million_values_are_in_range(kind: Kind, dimensions: int) -> None:
    rng = np.random.default_rng(3)
    at = rng.uniform(-1000.0, 1000.0, (1000, 1000, dimensions)).astype(np.float32)
    found = at_positions(functions_of(kind, dimensions)[None, False], at, u32(1))
    assert np.abs(found).max() <= 1.0
    if kind in {PERLIN, VALUE, SIMPLEX} and dimensions == 2:
        assert found.min() < -0.95
        assert found.max() > 0.95


@pytest.mark.parametrize("mode", list(Fractal))
@pytest.mark.parametrize("octaves", [1, 2, 30])
def test_fractal_sums_are_in_range(mode: Fractal, octaves: int) -> None:
    rng = np.random.default_rng(4)
    at = rng.uniform(-100.0, 100.0, (300, 300, 2)).astype(np.float32)
    function = functions_of(VALUE, 2)[mode, False]
    found = at_positions(function, at, e.literal(octaves, Type.I32), 2.0, 0.1, u32(1))
    assert np.abs(found).max() <= 1.0
    assert np.ptp(found) > 1.4


@pytest.mark.parametrize("dimensions", [2, 3])
def test_perlin_noise_is_0_at_whole_coordinates(dimensions: int) -> None:
    rng = np.random.default_rng(5)
    at = rng.integers(-(2**23), 2**23, (50, 50, dimensions)).astype(np.float32)
    assert not at_positions(functions_of(PERLIN, dimensions)[None, False], at, u32(77)).any()


def test_value_noise_is_not_0_at_whole_coordinates() -> None:
    at = np.random.default_rng(5).integers(-(2**23), 2**23, (50, 50, 2)).astype(np.float32)
    assert at_positions(functions_of(VALUE, 2)[None, False], at, u32(77)).all()
