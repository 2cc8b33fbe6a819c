"""Every kind of noise against a float64 derivation from the published algorithms.

Scales differ by the 2**-16 by which values stay below 1; the rest of the tolerance is float32 rounding of coordinates.
"""

from __future__ import annotations

import noise_reference as reference
import numpy as np
import numpy.typing as npt
import pytest
from noise_runner import Picture, at_positions, u32

from unshape_expr import build as e
from unshape_expr.types import Type
from unshape_noise.families import Kind
from unshape_noise.fractal import Fractal
from unshape_noise.kinds import PERLIN, SIMPLEX, VALUE, WHITE, WORLEY, functions_of
from unshape_noise.worley import CellFeature, Metric

SEEDS = [0, 1, 500, 10000, 2**31 - 1, -1]
PERIODS = (7, 5, 3)
NOISES = {"perlin": reference.perlin, "value": reference.value, "simplex": reference.simplex, "white": reference.white}
KINDS = [PERLIN, VALUE, SIMPLEX, WHITE]


def positions(dimensions: int, *, spread: float = 20.0) -> Picture:
    rng = np.random.default_rng(dimensions)
    return rng.normal(0.0, spread, (6, 20, dimensions)).astype(np.float32)


def expected(values: list[float], like: Picture) -> npt.NDArray[np.float64]:
    return np.array(values).reshape(like.shape[:2])


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_noise_equals_the_reference(kind: Kind, seed: int, dimensions: int) -> None:
    at = positions(dimensions)
    found = at_positions(functions_of(kind, dimensions)[None, False], at, u32(seed))[..., 0]
    wanted = [NOISES[kind.name](p.tolist(), seed & 0xFFFFFFFF) for p in at.reshape(-1, dimensions)]
    np.testing.assert_allclose(found, expected(wanted, at), atol=2.0**-15, rtol=0.0)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_repeating_noise_equals_the_reference(kind: Kind, dimensions: int) -> None:
    at, periods = positions(dimensions), PERIODS[:dimensions]
    found = at_positions(functions_of(kind, dimensions)[None, True], at, *periods, u32(3))[..., 0]
    wanted = [NOISES[kind.name](p.tolist(), 3, periods) for p in at.reshape(-1, dimensions)]
    np.testing.assert_allclose(found, expected(wanted, at), atol=2.0**-15, rtol=0.0)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("jitter", [0.0, 0.5, 0.9, 1.0])
@pytest.mark.parametrize(("feature", "metric"), list(WORLEY), ids=str)
def test_worley_equals_the_reference(feature: CellFeature, metric: Metric, jitter: float, dimensions: int) -> None:
    at = positions(dimensions)
    found = at_positions(functions_of(WORLEY[feature, metric], dimensions)[None, False], at, u32(11), jitter)[..., 0]
    wanted = [
        reference.worley(p.tolist(), 11, feature=feature, metric=metric, jitter=jitter)
        for p in at.reshape(-1, dimensions)
    ]
    np.testing.assert_allclose(found, expected(wanted, at), atol=2.0**-15, rtol=0.0)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_repeating_worley_equals_the_reference(dimensions: int) -> None:
    at, periods = positions(dimensions), PERIODS[:dimensions]
    function = functions_of(WORLEY[CellFeature.F1, Metric.EUCLIDEAN], dimensions)[None, True]
    found = at_positions(function, at, *periods, u32(4), 0.9)[..., 0]
    wanted = [
        reference.worley(p.tolist(), 4, feature="f1", metric="euclidean", jitter=0.9, periods=periods)
        for p in at.reshape(-1, dimensions)
    ]
    np.testing.assert_allclose(found, expected(wanted, at), atol=2.0**-15, rtol=0.0)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("octaves", [1, 3, 7])
@pytest.mark.parametrize("mode", list(Fractal))
@pytest.mark.parametrize("kind", [PERLIN, VALUE, SIMPLEX], ids=lambda kind: kind.name)
def test_fractal_sum_equals_the_reference(kind: Kind, mode: Fractal, octaves: int, dimensions: int) -> None:
    at = positions(dimensions, spread=3.0)
    arguments = (e.literal(octaves, Type.I32), 2.0, 0.5, u32(99))
    found = at_positions(functions_of(kind, dimensions)[mode, False], at, *arguments)[..., 0]
    noise = NOISES[kind.name]
    wanted = [
        reference.FRACTALS[mode](
            reference.octave_terms(
                lambda q, seed, _: noise(q, seed), p.tolist(), octaves=octaves, lacunarity=2.0, persistence=0.5, seed=99
            )
        )
        for p in at.reshape(-1, dimensions)
    ]
    # The fourth octave and later ones multiply the rounding of coordinates; their amplitude falls as fast.
    np.testing.assert_allclose(found, expected(wanted, at), atol=2.0**-12, rtol=0.0)


@pytest.mark.parametrize(
    ("metric", "jitter"), [("euclidean", 0.65), ("chebyshev", 1.0)], ids=["euclidean-0.65", "chebyshev-1"]
)
def test_the_nearest_feature_point_is_among_the_neighbours(metric: str, jitter: float) -> None:
    rng = np.random.default_rng(6)
    for position in rng.uniform(-50.0, 50.0, (1500, 2)).tolist():
        near, all_ = (
            reference.feature_distances(position, 3, metric=metric, jitter=jitter, reach=reach)[0] for reach in (1, 2)
        )
        assert near == all_


def test_the_reference_tells_kinds_seeds_and_modes_apart() -> None:
    at = [0.37, 1.61]
    values = [noise(at, seed) for noise in NOISES.values() for seed in (0, 1)]
    terms = reference.octave_terms(
        lambda q, seed, _: reference.perlin(q, seed), at, octaves=3, lacunarity=2.0, persistence=0.5, seed=0
    )
    values += [fractal(terms) for fractal in reference.FRACTALS.values()]
    assert len({round(v, 4) for v in values}) == len(values)
