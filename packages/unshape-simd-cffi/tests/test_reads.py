"""Each way in which C reads pictures at positions equals the definition; where texels lie decides which one it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.window import Window
from unshape_expr.ir import Border
from unshape_image.nodes import MapPixels, RemapUv
from unshape_simd_cffi.backend import SimdBackend
from unshape_testing.laws.numbers import definition
from unshape_testing.tasks import make_job, run_job
from unshape_testing.tolerance import assert_same_bits

F32Array = npt.NDArray[np.float32]

SPECIAL = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-40, 3e38], np.float32)
Bend = Callable[[F32Array, F32Array], tuple[npt.NDArray[Any], npt.NDArray[Any]]]
BENDS: dict[str, Bend] = {
    "whole texels": lambda x, y: (x + 3, y - 2),
    "parts of texels": lambda x, y: (x + np.float32(0.3), y + np.float32(0.7)),
    "rows apart": lambda x, y: (x + np.floor(y * np.float32(1.7)), y),
    "weights down the rows apart": lambda x, y: (x + np.float32(0.3), y + np.sin(x) * np.float32(0.01)),
    "stretched": lambda x, y: (x * np.float32(1.03), y * np.float32(0.97)),
    "mirrored": lambda x, y: (x[:, ::-1], y),
    "turned": lambda x, y: (x * np.float32(0.8) - y * np.float32(0.6), x * np.float32(0.6) + y * np.float32(0.8)),
    "far outside": lambda x, y: (x * 3 - 200, y * 3 - 20),
}
SIZES = [(1, 1), (2, 2), (15, 3), (16, 2), (17, 4), (63, 2), (65, 3)]


def picture(height_px: int, width_px: int, channels: int) -> F32Array:
    """Return ordinary numbers with some others among them."""
    rng = np.random.default_rng(height_px * 1000 + width_px)
    pixels = rng.normal(0.0, 1.0, (height_px, width_px, channels)).astype(np.float32)
    chosen = rng.random(pixels.shape) < 0.002
    pixels[chosen] = rng.choice(SPECIAL, int(chosen.sum()))
    return pixels


def positions(name: str, width_px: int, height_px: int) -> F32Array:
    """Return where texels are read, for a result of the size of the picture."""
    y, x = np.mgrid[0:height_px, 0:width_px].astype(np.float32)
    across, down = BENDS[name](x, y)
    half = np.float32(0.5)
    return np.stack([(across + half) / np.float32(width_px), (down + half) / np.float32(height_px)], axis=2)


def check(backend: SimdBackend, node: Node, *inputs: F32Array, window: Window | None = None) -> None:
    height_px, width_px = inputs[1].shape[:2]
    with np.errstate(all="ignore"):
        job = make_job(node, inputs, EvalContext(resolution=(width_px, height_px)), window=window)
        expected = definition(job)
    assert_same_bits(expected, run_job(backend, job), what=f"{node} of {width_px}x{height_px} in {window}")


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("name", BENDS)
def test_texels_in_every_arrangement(backend: SimdBackend, name: str, channels: int, border: Border) -> None:
    node = RemapUv("warp.xy", pictures=("warp",), border=border)
    for width_px, height_px in SIZES if border is Border.CLAMP else SIZES[:2]:
        check(backend, node, picture(height_px, width_px, channels), positions(name, width_px, height_px))
    for window in (None, Window(37, 3, 259, 11)):
        check(backend, node, picture(21, 333, channels), positions(name, 333, 21), window=window)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("width_px", [1152, 1151])
def test_results_that_are_stored_past_the_caches(backend: SimdBackend, width_px: int, channels: int) -> None:
    height_px = 16 * 2**20 // (4 * channels * width_px) + 3
    for name in ("parts of texels", "turned"):
        where = positions(name, width_px, height_px)
        check(backend, RemapUv("warp.xy", pictures=("warp",)), picture(height_px, width_px, channels), where)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "text",
    [
        "sample(image, warp)",
        "sample(image, warp.yx)",
        "sample(image, warp) + sample(image, warp*0.5)",
        "sample(image, warp)*warp.x",
        "sample(image, vec2(warp.x, 0.5))",
        "sample(image, fract(warp + 0.25))",
        "vec3(length(sample(image, warp)), warp)",
        "sample(image, sample(warp, warp))",
        "sample(image, vec2(0.25, 0.75)) + warp.x*0.0",
        "fetch(image, to_i32(warp.x*333.0), to_i32(warp.y*21.0))",
    ],
)
def test_reads_among_other_operations(backend: SimdBackend, text: str, channels: int) -> None:
    node = MapPixels(text, pictures=("image", "warp"))
    for name in ("parts of texels", "turned", "far outside"):
        check(backend, node, picture(21, 333, channels), positions(name, 333, 21))


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_positions_and_pictures_of_other_layouts(backend: SimdBackend, channels: int) -> None:
    node = RemapUv("warp.xy", pictures=("warp",))
    for name in BENDS:
        where = positions(name, 333, 21)
        apart = np.repeat(where, 2, axis=1)[:, ::2]
        wide = np.ascontiguousarray(np.concatenate([where, where], axis=2))
        pixels = picture(21, 333, channels)
        check(backend, node, pixels, apart)
        check(backend, node, pixels, wide)
        check(backend, node, pixels, np.asfortranarray(where))
        check(backend, node, np.repeat(pixels, 2, axis=1)[:, ::2], where)
        check(backend, node, pixels[::-1], where)
        check(backend, node, pixels[:, ::-1], where)
