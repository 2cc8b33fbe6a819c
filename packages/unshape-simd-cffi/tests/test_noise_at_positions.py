"""Noise at positions of pictures: smooth ones, whose cells are shared, scattered ones, and what is no number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.single_task import make_job
from unshape_core.context import EvalContext
from unshape_core.window import Window
from unshape_noise import PerlinAt, SimplexAt, ValueAt
from unshape_noise.fractal import Fractal
from unshape_simd_cffi import code_writer
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.noise_terms import find_noise_terms
from unshape_testing.laws.numbers import definition
from unshape_testing.tasks import run_job
from unshape_testing.tolerance import assert_same_bits

F32Array = npt.NDArray[np.float32]

NODES = (
    PerlinAt(scale=8.0, seed=3),
    ValueAt(scale=8.0, seed=4),
    SimplexAt(scale=8.0, seed=5),
    PerlinAt(scale=5.0, octaves=4, persistence=0.6),
    ValueAt(scale=5.0, octaves=3, mode=Fractal.RIDGED),
    SimplexAt(scale=5.0, octaves=3, lacunarity=3.0, mode=Fractal.BILLOW),
)
UNUSUAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-42, -1e-42, 3e38, -3e38, 2.0**31, 2.0**21, -1e9, -5.0)


def turned(width_px: int, height_px: int, *, angle_rad: float, cells_per_px: float, start: float = 0.0) -> F32Array:
    """Return positions along lines at an angle, for a scale of 8."""
    y, x = np.mgrid[:height_px, :width_px] * (cells_per_px / 8.0)
    sine, cosine = np.sin(angle_rad), np.cos(angle_rad)
    return (np.stack([cosine * x - sine * y, sine * x + cosine * y], axis=-1) + start).astype(np.float32)


def check(backend: SimdBackend, node: Any, positions: F32Array, window: Window | None = None) -> None:
    ctx = EvalContext(resolution=(positions.shape[1], positions.shape[0]))
    job = make_job(node, (positions,), ctx, window=window)
    assert_same_bits(definition(job), run_job(backend, job), what=backend.isa.name)


@pytest.mark.parametrize("node", NODES)
@pytest.mark.parametrize("cells_per_px", [0.004, 0.05, 0.3, 2.0])
def test_smooth_positions_in_any_direction(backend: SimdBackend, node: Any, cells_per_px: float) -> None:
    for angle_rad in (0.0, 0.7, np.pi / 2, 2.5, np.pi, 4.0):
        check(backend, node, turned(600, 3, angle_rad=angle_rad, cells_per_px=cells_per_px, start=-0.5))


@pytest.mark.parametrize("node", NODES)
@pytest.mark.parametrize("width_px", [1, 15, 16, 17, 63, 64, 65, 127, 129, 257, 4097])
def test_widths_around_those_of_vectors_and_groups(backend: SimdBackend, node: Any, width_px: int) -> None:
    check(backend, node, turned(width_px, 2, angle_rad=0.3, cells_per_px=0.02))


@pytest.mark.parametrize("node", NODES)
def test_scattered_positions_and_what_is_no_number_among_smooth_ones(backend: SimdBackend, node: Any) -> None:
    generator = np.random.default_rng(1)
    check(backend, node, generator.uniform(-9.0, 9.0, (5, 700, 2)).astype(np.float32))
    positions = turned(2000, 4, angle_rad=0.4, cells_per_px=0.01, start=-1.0)
    places = generator.integers(0, positions.size, 40)
    positions.reshape(-1)[places] = generator.choice(np.array(UNUSUAL, np.float32), 40)
    check(backend, node, positions)


@pytest.mark.parametrize("node", NODES)
@pytest.mark.parametrize("start", [2.0**20, -(2.0**24), 2.0**27, 2.0**28, -(2.0**28), 2.0**30])
def test_positions_far_away_and_at_the_bounds(backend: SimdBackend, node: Any, start: float) -> None:
    check(backend, node, turned(300, 2, angle_rad=0.4, cells_per_px=0.02, start=start))


@pytest.mark.parametrize("node", NODES[:4])
def test_zeros_of_either_sign(backend: SimdBackend, node: Any) -> None:
    positions = np.zeros((2, 200, 2), np.float32)
    positions[:, ::3] = -0.0
    check(backend, node, positions)


TAKEN: dict[str, Callable[[F32Array], F32Array]] = {
    "every second pixel": lambda a: a[:, ::2],
    "two channels of three": lambda a: np.concatenate([a, a[:, :, :1]], axis=2)[:, :, :2],
    "mirrored": lambda a: a[:, ::-1],
    "one row for all": lambda a: np.broadcast_to(a[:1], a.shape),
}


@pytest.mark.parametrize("layout", TAKEN)
@pytest.mark.parametrize("node", NODES[:4])
def test_pixels_that_do_not_lie_side_by_side(backend: SimdBackend, node: Any, layout: str) -> None:
    check(backend, node, TAKEN[layout](turned(777, 3, angle_rad=0.4, cells_per_px=0.02)))


@pytest.mark.parametrize("node", NODES[:4])
def test_windows(backend: SimdBackend, node: Any) -> None:
    positions = turned(331, 60, angle_rad=0.4, cells_per_px=0.02)
    check(backend, node, positions, Window(x_px=5, y_px=7, width_px=301, height_px=50))


def test_results_too_large_for_the_caches(backend: SimdBackend) -> None:
    check(backend, NODES[0], turned(2**18 + 9, 17, angle_rad=0.4, cells_per_px=0.02))


def test_what_comes_before_and_after_is_part_of_the_instruction(
    backend: SimdBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[int] = []

    def counting(ops: Any, *arguments: Any, **named: Any) -> Any:
        terms = find_noise_terms(ops, *arguments, **named)
        left.append(len(ops) - len(terms))
        return terms

    monkeypatch.setattr(code_writer, "find_noise_terms", counting)
    check(backend, PerlinAt(scale=8.0, octaves=3), turned(50, 3, angle_rad=0.4, cells_per_px=0.02))
    assert set(left) == {0}
