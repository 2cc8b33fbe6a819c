"""Faults of noise, on every backend that promises the definition's bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_noise import Perlin, PerlinAt, Simplex, Value, White

OnEach = Callable[..., dict[str, npt.NDArray[np.float32]]]
SEEDS = [0, 500, 10_000, 2**31 - 1, -1]


def positions(x: npt.ArrayLike, y: float) -> npt.NDArray[np.float32]:
    row = np.asarray(x, np.float32)
    return np.stack([row, np.full_like(row, y)], axis=-1)[np.newaxis]


@pytest.mark.parametrize("node", [Perlin, Simplex, Value])
@pytest.mark.parametrize("offset", [0.0, 1000.0, -1000.0, 2.0**20, -(2.0**20)])
def test_noise_far_away_and_of_many_octaves_is_finite_and_not_zero(on_each: OnEach, node: Any, offset: float) -> None:
    for octaves in (1, 30):
        made = on_each(node(scale=7.3, octaves=octaves, offset_x=offset, offset_y=offset), resolution=(16, 16))
        for name, found in made.items():
            assert np.isfinite(found).all(), (name, octaves)
            assert np.abs(found).max() <= 1.0, (name, octaves)
            assert found.std() > 0.01, (name, octaves)


def test_gradient_noise_is_zero_at_whole_and_smooth_across_negative_coordinates(on_each: OnEach) -> None:
    x = np.arange(-8, 9) / 4.0  # -2 to 2 in quarters
    # the slope of a unit gradient times the length of a pixel, with room for the blend: no jump at the cell's edge
    for name, found in on_each(PerlinAt(scale=1.0), [positions(x, 0.0)]).items():
        values = found[0, :, 0]
        assert [0.0] * 5 == values[::4].tolist(), name
        assert np.abs(np.diff(values)).max() < 0.75, name
    fine = np.linspace(-0.01, 0.01, 21)
    for name, found in on_each(PerlinAt(scale=1.0), [positions(fine, 0.5)]).items():
        assert np.abs(np.diff(found[0, :, 0])).max() < 0.01, name


def test_negative_cells_are_not_the_mirror_of_positive_ones(on_each: OnEach) -> None:
    x = np.arange(1, 64) / 4.0
    for name, right in on_each(PerlinAt(scale=1.0), [positions(x, 0.25)]).items():
        left = on_each(PerlinAt(scale=1.0), [positions(-x, 0.25)])[name]
        assert abs(np.corrcoef(np.stack([right.ravel(), left.ravel()])).ravel()[1]) < 0.5, name


@pytest.mark.parametrize("node", [Perlin, Simplex, Value, White])
def test_large_seeds_give_noise_as_good_as_small_ones(on_each: OnEach, node: Any) -> None:
    options = {} if node is White else {"scale": 9.7}
    made = [on_each(node(seed=seed, **options), resolution=(64, 64)) for seed in SEEDS]
    for name in made[0]:
        rows = np.stack([each[name].ravel() for each in made])
        assert rows.std(axis=1).min() > 0.1, name
        between = np.corrcoef(rows) - np.eye(len(SEEDS))
        assert np.abs(between).max() < 0.5, name


@pytest.mark.parametrize("seed", SEEDS)
def test_seeds_are_taken_modulo_2_to_the_32(on_each: OnEach, seed: int) -> None:
    for name, found in on_each(Perlin(seed=seed), resolution=(8, 8)).items():
        again = on_each(Perlin(seed=seed + 2**32), resolution=(8, 8))[name]
        assert found.tobytes() == again.tobytes(), name
