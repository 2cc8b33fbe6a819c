"""Any window of a noise node equals the same part of the whole picture, bit for bit."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from noise_runner import Picture, run_node, same_bits

from unshape_core.window import Window
from unshape_expr.body import SupportsBody
from unshape_noise import CellFeature, DomainWarp, Fractal, Metric, Perlin, PerlinAt, Simplex, Value, White, Worley

WIDTH, HEIGHT = 64, 64


def tiles(side: int) -> Iterator[Window]:
    for y, x in itertools.product(range(0, HEIGHT, side), range(0, WIDTH, side)):
        yield Window(x, y, min(side, WIDTH - x), min(side, HEIGHT - y))


NODES: list[SupportsBody] = [
    Perlin(scale=5.3, octaves=4, seed=3),
    Perlin(scale=200.0, octaves=2, mode=Fractal.RIDGED),
    Perlin(scale=3.0, dimensions=3, z=0.7, speed=2.0, mode=Fractal.BILLOW, octaves=3),
    Perlin(scale=4.0, octaves=3, tileable=True),
    Value(scale=7.7, octaves=3),
    Value(scale=4.0, dimensions=3, z=-3.3),
    Simplex(scale=5.0, octaves=3),
    Simplex(scale=5.0, dimensions=3, z=1.5),
    Simplex(scale=5.0, tileable=True),
    Worley(scale=6.0),
    Worley(scale=6.0, feature=CellFeature.F2_F1, metric=Metric.MANHATTAN, octaves=2),
    Worley(scale=90.0, dimensions=3, feature=CellFeature.F2),
    White(),
    White(animated=True),
    DomainWarp(octaves=3),
]


@pytest.mark.parametrize("side", [16, 37, 1])
@pytest.mark.parametrize("node", NODES, ids=[f"{type(node).__name__}-{number}" for number, node in enumerate(NODES)])
def test_tiles_equal_the_whole(node: SupportsBody, side: int) -> None:
    whole = run_node(node, resolution=(WIDTH, HEIGHT), time_s=1.25, frame=7, seed=5)
    windows = list(tiles(side))
    if side == 1:
        windows = windows[:: len(windows) // 40]
    for window in windows:
        part = run_node(node, resolution=(WIDTH, HEIGHT), window=window, time_s=1.25, frame=7, seed=5)
        rows, columns = window.slices_in(Window.whole(width_px=WIDTH, height_px=HEIGHT))
        assert same_bits(part, whole[rows, columns]), window


def test_tiles_of_driven_noise_equal_the_whole() -> None:
    rng = np.random.default_rng(0)
    at: Picture = rng.normal(0.0, 3.0, (HEIGHT, WIDTH, 2)).astype(np.float32)
    whole = run_node(PerlinAt(octaves=4), [at])
    for window in tiles(16):
        rows, columns = window.slices_in(Window.whole(width_px=WIDTH, height_px=HEIGHT))
        assert same_bits(run_node(PerlinAt(octaves=4), [at], window=window), whole[rows, columns])


def test_a_window_computed_in_its_own_coordinates_is_found_out() -> None:
    whole = run_node(Perlin(scale=5.3), resolution=(WIDTH, HEIGHT))
    local = run_node(Perlin(scale=5.3 / 4), resolution=(16, 16))
    assert not same_bits(local, whole[16:32, 16:32])
