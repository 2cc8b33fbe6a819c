"""Each way in which C computes filters and bilinear reads equals the definition; sizes decide which one it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.kernel_library import KernelLibrary
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.window import Window
from unshape_expr.ir import Border
from unshape_image.nodes import BoxBlur, Convolve, GaussianBlur, RemapUv, Resize
from unshape_image.resize_table import ResizeMethod
from unshape_simd_cffi.backend import SimdBackend
from unshape_testing.laws.numbers import definition
from unshape_testing.tasks import make_job, run_job
from unshape_testing.tolerance import assert_same_bits

F32Array = npt.NDArray[np.float32]

SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-40, 3e38], np.float32)
LARGE = 300
"""More columns than the strip at an edge has, which are 64."""


def picture(height_px: int, width_px: int, channels: int) -> F32Array:
    """Return ordinary numbers with some others among them."""
    rng = np.random.default_rng(height_px * 1000 + width_px)
    pixels = rng.normal(0.0, 1.0, (height_px, width_px, channels)).astype(np.float32)
    chosen = rng.random(pixels.shape) < 0.002
    pixels[chosen] = rng.choice(SPECIAL, int(chosen.sum()))
    return pixels


@pytest.fixture
def given(backend: SimdBackend) -> SimdBackend:
    """A backend with the kernels of pictures."""
    KernelLibrary().give(backend, "simd")
    return backend


def check(backend: SimdBackend, node: Node, *inputs: F32Array, size_px: tuple[int, int] | None = None) -> None:
    """Compare the whole and some windows."""
    width_px, height_px = size_px or (inputs[0].shape[1], inputs[0].shape[0])
    for window in (None, *_windows(width_px, height_px)):
        with np.errstate(all="ignore"):
            job = make_job(node, inputs, EvalContext(resolution=(width_px, height_px)), window=window)
            expected = definition(job)
        assert_same_bits(expected, run_job(backend, job), what=f"{node} in {window}")


def _windows(width_px: int, height_px: int) -> Iterator[Window]:
    yield Window(width_px // 3, height_px // 4, width_px - width_px // 3, height_px // 2 + 1)
    yield Window(0, height_px - 1, width_px, 1)
    yield Window(width_px // 2, 0, 1, height_px)


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("radius_px", [0, 1, 2, 3, 5, 8, 31, 32, 33, 63, 64, 200])
def test_means_of_squares(given: SimdBackend, radius_px: int, border: Border) -> None:
    check(given, BoxBlur(radius_px, border), picture(37, 61, 4))


@pytest.mark.parametrize("channels", [1, 2, 3])
@pytest.mark.parametrize("radius_px", [4, 40])
def test_means_of_squares_of_other_channels(given: SimdBackend, radius_px: int, channels: int) -> None:
    check(given, BoxBlur(radius_px, Border.MIRROR), picture(19, LARGE, channels))


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize(("height", "width"), [(1, 3), (3, 3), (3, 9), (5, 5), (7, 7), (9, 3)])
def test_weights_read_the_source_itself(
    given: SimdBackend, height: int, width: int, channels: int, border: Border
) -> None:
    weights = np.random.default_rng(3).normal(0.0, 1.0, (height, width)).astype(np.float32)
    node = Convolve(tuple(tuple(float(w) for w in row) for row in weights), border)
    for width_px in (LARGE, 256):  # rows that fight for sets of the cache are copied
        pixels = picture(23, width_px, channels)
        check(given, node, pixels)
        check(given, node, np.ascontiguousarray(pixels.transpose(1, 0, 2)).transpose(1, 0, 2))


@pytest.mark.parametrize("sigma_px", [0.5, 2.0, 9.0])
def test_symmetric_weights(given: SimdBackend, sigma_px: float) -> None:
    check(given, GaussianBlur(sigma_px, Border.CLAMP), picture(41, LARGE, 4))


@pytest.mark.parametrize("method", list(ResizeMethod))
@pytest.mark.parametrize(("width_px", "height_px"), [(74, 50), (2, 2), (36, 7)])
def test_halving(given: SimdBackend, width_px: int, height_px: int, method: ResizeMethod) -> None:
    node = Resize(width_px // 2, height_px // 2, method)
    check(given, node, picture(height_px, width_px, 4), size_px=(width_px // 2, height_px // 2))
    check(
        given, replace(node, height_px=height_px), picture(height_px, width_px, 4), size_px=(width_px // 2, height_px)
    )


@pytest.mark.parametrize("method", list(ResizeMethod))
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize(("width_px", "height_px"), [(1, 1), (16, 30), (40, 3), (64, 23), (107, 51)])
def test_taps(given: SimdBackend, width_px: int, height_px: int, channels: int, method: ResizeMethod) -> None:
    node = Resize(width_px, height_px, method)
    pixels = picture(23, 41, channels)
    for laid_out in (pixels, np.ascontiguousarray(pixels.transpose(1, 0, 2)).transpose(1, 0, 2), pixels[::-1, ::-1]):
        check(given, node, laid_out, size_px=(width_px, height_px))


@pytest.mark.parametrize("side_px", [512, 2048])
def test_large_results_are_stored_past_the_caches(given: SimdBackend, side_px: int) -> None:
    node = Resize(1024, 1024, ResizeMethod.AREA if side_px > 1024 else ResizeMethod.BILINEAR)
    job = make_job(node, (picture(side_px, side_px, 4),), EvalContext(resolution=(1024, 1024)))
    with np.errstate(all="ignore"):
        assert_same_bits(definition(job), run_job(given, job), what=f"{node}")


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("channels", [1, 4])
def test_reads_at_positions(given: SimdBackend, channels: int, border: Border) -> None:
    node = RemapUv("warp.xy", pictures=("warp",), border=border)
    rng = np.random.default_rng(9)
    y, x = np.mgrid[0:31, 0:157]
    straight = np.stack([(x + 0.5) / 157, (y + 0.5) / 31], axis=2).astype(np.float32)
    shaken = (straight * 1.3 - 0.15 + rng.normal(0.0, 0.01, straight.shape)).astype(np.float32)
    chosen = rng.random(shaken.shape) < 0.01
    shaken[chosen] = rng.choice(
        np.append(SPECIAL, np.array([-3e38, 2.0**31, -(2.0**33)], np.float32)), int(chosen.sum())
    )
    for positions in (straight, shaken):
        check(given, node, picture(67, 149, channels), positions, size_px=(157, 31))
