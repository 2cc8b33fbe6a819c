"""Reading pictures: against a scalar model in exact steps, OpenCV and SciPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pytest
from scipy import ndimage

from unshape_core.window import Window
from unshape_expr import build as b
from unshape_expr.ir import Border, Fetching, Filter, Sampling
from unshape_expr.picture_input import PictureInput
from unshape_expr.sampling import fetch, sample
from unshape_expr.types import Type
from unshape_testing.picture_evaluator import PictureCase, same_bits

F32 = np.float32
SPECIAL = [0.0, -0.0, 1.0, 0.5, -0.25, 1.25, 7.3, -7.3, 1e9, -1e9, 3e38, -3e38, math.inf, -math.inf, math.nan, 1e-40]


def picture(height: int, width: int, channels: int) -> Any:
    return np.random.default_rng(height * width + channels).random((height, width, channels), dtype=np.float32)


def saturated(x: Any) -> int:
    exact = float(x)
    if math.isnan(exact):
        return 0
    return int(min(max(exact, -(2.0**31)), 2.0**31 - 1))


def placed(index: int, border: Border, size: int) -> int | None:
    """Return the index inside of the picture, None for zero."""
    index = (index + 2**31) % 2**32 - 2**31
    match border:
        case Border.CLAMP:
            return min(max(index, 0), size - 1)
        case Border.REPEAT:
            return index % size
        case Border.MIRROR:
            inside = index % (2 * size)
            return inside if inside < size else 2 * size - 1 - inside
        case Border.ZERO:
            return index if 0 <= index < size else None


def texel(array: Any, x: int, y: int, border: Border) -> Any:
    column, row = placed(x, border, array.shape[1]), placed(y, border, array.shape[0])
    return np.zeros(array.shape[2], F32) if column is None or row is None else array[row, column]


def axis(u: Any, size: int, border: Border) -> tuple[int, Any]:
    x = F32(u) * F32(size) - F32(0.5)
    low, high = {Border.CLAMP: (0, size - 1), Border.ZERO: (-1, size)}.get(border, (-math.inf, math.inf))
    x = x if math.isnan(x) else F32(min(max(x, F32(low)), F32(high)))
    base = np.floor(x)
    return saturated(base), x - base


def lerp(t: Any, a: Any, b_: Any) -> Any:
    return a + t * (b_ - a)


def model(array: Any, sampling: Sampling, u: float, v: float) -> Any:
    """Return one sample, step by step as the definition says."""
    height, width, _ = array.shape
    with np.errstate(all="ignore"):
        if sampling.filter is Filter.NEAREST:
            x, y = saturated(np.floor(F32(u) * F32(width))), saturated(np.floor(F32(v) * F32(height)))
            return texel(array, x, y, sampling.border)
        (x, tx), (y, ty) = axis(u, width, sampling.border), axis(v, height, sampling.border)
        border = sampling.border
        left = lerp(ty, texel(array, x, y, border), texel(array, x, y + 1, border))
        right = lerp(ty, texel(array, x + 1, y, border), texel(array, x + 1, y + 1, border))
        return lerp(tx, left, right)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("filter_", list(Filter))
def test_samples_equal_the_model_everywhere(filter_: Filter, border: Border, channels: int) -> None:
    array = picture(5, 7, channels)
    rng = np.random.default_rng(3)
    values = np.array([*SPECIAL, *rng.uniform(-2, 3, 14), *np.arange(8) / 7, *((np.arange(7) + 0.5) / 7)], F32)
    u, v = np.meshgrid(values, values)
    sampling = Sampling("p", filter_, border)
    with np.errstate(all="ignore"):
        got = sample(PictureInput.whole(array), sampling, u, v)
    expected = np.array(
        [[model(array, sampling, x, y) for x, y in zip(us, vs, strict=True)] for us, vs in zip(u, v, strict=True)]
    )
    assert same_bits(expected.astype(F32), got)


def test_the_order_of_mixing_shows() -> None:
    array = picture(5, 7, 1)
    values = np.random.default_rng(4).uniform(0.1, 0.9, 200).astype(F32)

    def x_first(u: float, v: float) -> Any:
        (x, tx), (y, ty) = axis(u, 7, Border.CLAMP), axis(v, 5, Border.CLAMP)
        above = lerp(tx, array[y, x], array[y, x + 1])
        return lerp(ty, above, lerp(tx, array[y + 1, x], array[y + 1, x + 1]))

    expected = np.array([[x_first(x, x) for x in values]]).astype(F32)
    got = sample(PictureInput.whole(array), Sampling("p"), values[None], values[None])
    assert not same_bits(expected, got)
    assert np.allclose(expected, got, atol=1e-6)


@pytest.mark.parametrize("border", list(Border))
def test_fetched_texels_equal_the_model(border: Border) -> None:
    array = picture(4, 3, 3)
    values = np.array([*range(-9, 10), 2**31 - 1, -(2**31)], np.int32)
    x, y = np.meshgrid(values, values)
    got = fetch(PictureInput.whole(array), Fetching("p", border), x, y)
    expected = np.array([[texel(array, int(c), int(r), border) for c in values] for r in values])
    assert same_bits(expected, got)


def test_pixel_centres_give_the_texels_themselves() -> None:
    array = picture(6, 5, 4)
    uv = b.uv()
    for filter_ in Filter:
        for border in Border:
            (result,) = PictureCase({"p": array}, width=5, height=6).run(
                [b.sample("p", uv, type=Type.VEC4, filter=filter_, border=border)]
            )
            assert np.allclose(array, result, atol=1e-6)


CV2_BORDERS = {
    Border.CLAMP: cv2.BORDER_REPLICATE,
    Border.REPEAT: cv2.BORDER_WRAP,
    Border.MIRROR: cv2.BORDER_REFLECT,
    Border.ZERO: cv2.BORDER_CONSTANT,
}


@pytest.mark.parametrize("border", list(Border))
def test_bilinear_agrees_with_opencv_within_its_positions_of_one_32nd(border: Border) -> None:
    array = picture(21, 33, 4)
    rng = np.random.default_rng(5)
    x = (rng.integers(-640, 1700, (40, 50)) / 32).astype(F32)  # OpenCV rounds positions to 1/32 pixel
    y = (rng.integers(-640, 1300, (40, 50)) / 32).astype(F32)
    expected = cv2.remap(array, x, y, cv2.INTER_LINEAR, borderMode=CV2_BORDERS[border], borderValue=0)
    got = sample(PictureInput.whole(array), Sampling("p", border=border), (x + 0.5) / 33, (y + 0.5) / 21)
    assert float(np.abs(expected - got).max()) < 2e-5


SCIPY_MODES = {
    Border.CLAMP: "nearest",
    Border.REPEAT: "grid-wrap",
    Border.MIRROR: "reflect",
    Border.ZERO: "grid-constant",
}


@pytest.mark.parametrize(("filter_", "order"), [(Filter.BILINEAR, 1)])
@pytest.mark.parametrize("border", list(Border))
def test_samples_agree_with_scipy(border: Border, filter_: Filter, order: int) -> None:
    array = picture(21, 33, 1)
    rng = np.random.default_rng(6)
    u, v = rng.uniform(-1, 2, (2, 60, 40)).astype(F32)
    got = sample(PictureInput.whole(array), Sampling("p", filter_, border), u, v)[..., 0]
    positions = [v.astype(float) * 21 - 0.5, u.astype(float) * 33 - 0.5]
    expected = ndimage.map_coordinates(array[..., 0].astype(float), positions, order=order, mode=SCIPY_MODES[border])
    assert float(np.abs(expected - got).max()) < 1e-5


@pytest.mark.parametrize("make", [lambda w: w.expand(x_px=0, y_px=0), lambda w: w.expand(x_px=2, y_px=3)])
def test_a_window_that_holds_what_is_read_gives_the_bits_of_the_whole(make: Callable[[Window], Window]) -> None:
    array = picture(40, 50, 4)
    whole = Window.whole(width_px=50, height_px=40)
    held = make(Window(10, 12, 20, 15)).intersect(whole)
    rows, columns = held.slices_in(whole)
    part = PictureInput(array[rows, columns], held, 50, 40)
    rng = np.random.default_rng(7)
    u = rng.uniform(10.5 / 50, 29.4 / 50, (30, 30)).astype(F32)
    v = rng.uniform(12.5 / 40, 26.4 / 40, (30, 30)).astype(F32)
    assert same_bits(sample(PictureInput.whole(array), Sampling("p"), u, v), sample(part, Sampling("p"), u, v))


def test_positions_along_one_axis_each_read_what_a_grid_of_positions_reads() -> None:
    array = picture(9, 8, 3)
    u, v = np.linspace(-0.3, 1.4, 23, dtype=F32)[None, :], np.linspace(-0.2, 1.2, 17, dtype=F32)[:, None]
    for border in Border:
        sampling = Sampling("p", border=border)
        grid = [np.ascontiguousarray(np.broadcast_to(a, (17, 23))) for a in (u, v)]
        assert same_bits(
            sample(PictureInput.whole(array), sampling, *grid), sample(PictureInput.whole(array), sampling, u, v)
        )


@pytest.mark.parametrize(("height", "width"), [(0, 4), (4, 0), (1, 1)])
def test_empty_and_single_pixels_are_read_without_error(height: int, width: int) -> None:
    array = np.full((height, width, 2), 3.0, F32)
    positions = np.array([SPECIAL], F32)
    for border in Border:
        for filter_ in Filter:
            with np.errstate(all="ignore"):
                got = sample(PictureInput.whole(array), Sampling("p", filter_, border), positions, positions)
            assert got.shape == (1, len(SPECIAL), 2)
            if array.size == 0:
                assert not got.any()
