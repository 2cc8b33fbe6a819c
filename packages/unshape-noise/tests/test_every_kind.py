"""What is promised of noise, for every kind: range, zeros, no period, no direction, limits of parameters and seeds."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from noise_runner import Picture, at_positions, run_node, same_bits, u32

from unshape_core.errors import InvalidArgumentError
from unshape_expr import build as e
from unshape_expr.types import Type
from unshape_noise.families import Kind
from unshape_noise.fractal import Fractal
from unshape_noise.kinds import FRACTAL_KINDS, KINDS, PERLIN, SIMPLEX, VALUE, WHITE, WORLEY, functions_of
from unshape_noise.node_types import NODES
from unshape_noise.worley import CellFeature, Metric

EUCLIDEAN = [WORLEY[feature, Metric.EUCLIDEAN] for feature in CellFeature]
FAR = [0.0, 0.25, -0.25, -1.75, 1e5 + 0.5, -1e5 - 0.5, 2.0**20, -(2.0**22) - 0.5, 2.0**23, 2.0**31, -3e9, 1e20, -1e38]
"""Some times beyond, the skewed coordinates of simplex noise are infinite, which gives NaN."""
SEEDS = [0, 1, -1, 2**31 - 1, -(2**31), 2**32 - 1]
MODES: list[Fractal | None] = [None, *Fractal]


def kinds_and_modes() -> Iterator[Any]:
    for kind in KINDS:
        for mode in MODES if kind in FRACTAL_KINDS else [None]:
            yield pytest.param(kind, mode, id=f"{kind.name}-{mode}")


def noise(
    kind: Kind, at: Picture, seed: int, *, mode: Fractal | None = None, octaves: int = 5, jitter: float = 1.0
) -> Picture:
    dimensions = at.shape[2]
    given: list[Any] = [] if mode is None else [e.literal(octaves, Type.I32), 2.0, 0.5]
    extras = [jitter] if kind in WORLEY.values() else []
    return at_positions(functions_of(kind, dimensions)[mode, False], at, *given, u32(seed), *extras)[..., 0]


def far_positions(dimensions: int) -> Picture:
    axes = np.meshgrid(*[np.array(FAR, np.float32)] * dimensions, indexing="ij")
    return np.stack(axes, axis=-1).reshape(1, -1, dimensions)


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize(("kind", "mode"), list(kinds_and_modes()))
def test_values_far_negative_and_huge_are_in_range(kind: Kind, mode: Fractal | None, dimensions: int) -> None:
    at = far_positions(dimensions)
    for seed, octaves in ((0, 1), (-1, 30)) if mode else ((2**31 - 1, 1),):
        values = noise(kind, at, seed, mode=mode, octaves=octaves)
        assert np.isfinite(values).all()
        assert np.abs(values).max() <= 1.0


@pytest.mark.parametrize("dimensions", [2, 3])
def test_perlin_noise_is_0_at_lattice_points_near_far_and_negative(dimensions: int) -> None:
    rng = np.random.default_rng(dimensions)
    for reach in (3, 1000, 2**20, 2**23):
        at = rng.integers(-reach, reach, (1, 400, dimensions)).astype(np.float32)
        for seed in SEEDS:
            assert not noise(PERLIN, at, seed).any()


def test_simplex_noise_is_0_at_the_corners_of_its_triangles() -> None:
    i, j = np.meshgrid(np.arange(-6, 7), np.arange(-6, 7))
    v = j.astype(np.float64)
    corners = np.stack([(i - v / 2) / math.sqrt(1.5), v / math.sqrt(2.0)], axis=-1).astype(np.float32)
    # A corner is met up to a rounding, and the slope there is at most about 7.
    assert np.abs(noise(SIMPLEX, corners, 3)).max() < 2e-5
    assert np.abs(noise(SIMPLEX, corners + np.float32(0.2), 3)).max() > 0.1


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("kind", [k for k in KINDS if k is not WHITE], ids=lambda kind: kind.name)
def test_noise_has_no_step_where_coordinates_change_their_sign(kind: Kind, dimensions: int) -> None:
    at = np.random.default_rng(1).uniform(-2.0, 2.0, (1, 500, dimensions)).astype(np.float32)
    below, above = at.copy(), at.copy()
    below[..., 0], above[..., 0] = -1e-4, 1e-4
    # With more jitter the second nearest feature point by the Manhattan metric may be two cells away and be missed.
    assert np.abs(noise(kind, above, 5, jitter=0.5) - noise(kind, below, 5, jitter=0.5)).max() < 5e-3


def picture(kind: Kind, seed: int, *, dimensions: int, cells: int = 64, side: int = 512) -> npt.NDArray[np.float64]:
    along = ((np.arange(side) + 0.5) * (cells / side)).astype(np.float32)
    position: list[npt.ArrayLike] = [along[None, :], along[:, None]]
    position += [np.float32(0.37)] * (dimensions - 2)
    extras = [1.0] if kind in WORLEY.values() else []
    values: Picture = kind.compute(position, seed, None, *extras)
    return np.broadcast_to(values, (side, side)).astype(np.float64)


def largest_correlation(p: npt.NDArray[np.float64], *, cells: int = 64) -> float:
    """The largest autocorrelation at a shift of three cells or more."""
    power = np.abs(np.fft.fft2(p - p.mean())) ** 2
    correlation = np.fft.fftshift(np.fft.ifft2(power).real / power.mean())
    side = p.shape[0]
    middle, reach = side // 2, 3 * side // cells
    correlation[middle - reach : middle + reach + 1, middle - reach : middle + reach + 1] = 0.0
    return float(np.abs(correlation).max())


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("kind", [PERLIN, VALUE, SIMPLEX, WHITE, *EUCLIDEAN], ids=lambda kind: kind.name)
def test_no_kind_repeats(kind: Kind, dimensions: int) -> None:
    # 64 x 64 cells: chance gives a standard deviation of about 1/64, value noise of twice that.
    assert largest_correlation(picture(kind, 9, dimensions=dimensions)) < 10.0 / 64


def test_noise_that_repeats_is_found() -> None:
    p = picture(WORLEY[CellFeature.F1, Metric.EUCLIDEAN], 9, dimensions=2)
    p[:, 256:] = p[:, :256]
    assert largest_correlation(p) > 0.9


def unevenness(kind: Kind, dimensions: int) -> float:
    """The largest deviation of power between 6 sectors of direction, in a broad band."""
    frequency = np.fft.fftfreq(512) * 512 / 64
    fx, fy = np.meshgrid(frequency, frequency)
    radius, angle = np.hypot(fx, fy), np.arctan2(fy, fx) % np.pi
    power = np.mean([np.abs(np.fft.fft2(picture(kind, s, dimensions=dimensions))) ** 2 for s in range(6)], axis=0)
    band = (radius > 0.3) & (radius < 1.5)
    sectors = (angle[band] / (np.pi / 6)).astype(int) % 6
    share = np.bincount(sectors, power[band], minlength=6) / np.bincount(sectors, minlength=6)
    return float(np.abs(share / share.mean() - 1.0).max())


@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("kind", [PERLIN, VALUE, SIMPLEX, WHITE, EUCLIDEAN[0]], ids=lambda kind: kind.name)
def test_no_kind_has_a_direction(kind: Kind, dimensions: int) -> None:
    assert unevenness(kind, dimensions) < 0.15


def test_a_metric_with_a_direction_is_told() -> None:
    assert unevenness(WORLEY[CellFeature.F2_F1, Metric.CHEBYSHEV], 2) > 0.2


LIMITS: dict[str, tuple[float, float]] = {
    "octaves": (1, 30),
    "persistence": (0.0, 1.0),
    "lacunarity": (1.0, 8.0),
    "offset_x": (-(2.0**20), 2.0**20),
    "offset_y": (-(2.0**20), 2.0**20),
    "z": (-(2.0**20), 2.0**20),
    "speed": (-(2.0**20), 2.0**20),
    "jitter": (0.0, 1.0),
    "strength": (-(2.0**20), 2.0**20),
    "scale": (2.0**-40, 2.0**20),
    "dimensions": (2, 3),
}
PARAMETERS = [(node, field.name) for node in NODES for field in dataclasses.fields(node) if field.name in LIMITS]


@pytest.mark.parametrize(("node", "name"), PARAMETERS, ids=lambda value: getattr(value, "__name__", value))
def test_every_parameter_is_taken_up_to_its_limits_and_refused_beyond(node: type[Any], name: str) -> None:
    low, high = LIMITS[name]
    given = {"dimensions": 3} if name in {"z", "speed"} else {}
    for value in (low, high):
        assert getattr(node(**given, **{name: value}), name) == value
    is_whole = isinstance(low, int)
    below = 0.0 if name == "scale" else low - 1 if is_whole else math.nextafter(low, -math.inf)
    above = high + 1 if is_whole else math.nextafter(high, math.inf)
    for value in (below, above, *(() if is_whole else (math.nan, math.inf, -math.inf))):
        with pytest.raises(ValueError, match=f"noise::{node.__name__}: {name}: expected ") as caught:
            node(**given, **{name: value})
        assert isinstance(caught.value, InvalidArgumentError)


@pytest.mark.parametrize("node", [n for n in NODES if not n.__name__.endswith("At")], ids=lambda n: n.__name__)
def test_every_generator_takes_any_whole_number_as_seed_modulo_2_to_the_32(node: type[Any]) -> None:
    expected = run_node(node(seed=-1), resolution=(24, 16))
    for seed in (2**32 - 1, 2**64 - 1, -(2**70) - 1):
        assert same_bits(expected, run_node(node(seed=seed), resolution=(24, 16)))
    assert not same_bits(expected, run_node(node(seed=2**32), resolution=(24, 16)))


def test_the_limits_are_those_of_every_number_that_a_node_has() -> None:
    free = {"seed", "mode", "feature", "metric", "tileable", "animated"}
    names = {field.name for node in NODES for field in dataclasses.fields(node)}
    assert names - free == set(LIMITS)
