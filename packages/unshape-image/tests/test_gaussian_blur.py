"""GaussianBlur against scipy, OpenCV and a second derivation of its bits."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import scipy.ndimage
import scipy.signal.windows
from hypothesis import given, settings
from hypothesis import strategies as st
from references import SCIPY_MODES, hdr_patch, layouts, separable, symmetric_sum
from running import f32, run_one

from unshape_core.cancellation import CancellationToken
from unshape_core.context import EvalContext
from unshape_core.errors import Cancelled, InvalidArgumentError
from unshape_image import Border, GaussianBlur
from unshape_image.gaussian_weights import gaussian_radius, gaussian_weights

RNG = np.random.default_rng(2)
PICTURE = RNG.normal(0.0, 1.0, (29, 23, 3)).astype(np.float32)


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("sigma_px", [0.3, 0.8, 2.0, 5.5, 40.0])
def test_blur_is_that_of_scipy_in_float64(border: Border, sigma_px: float) -> None:
    sigmas = (sigma_px, sigma_px, 0.0)
    expected = scipy.ndimage.gaussian_filter(PICTURE.astype(np.float64), sigmas, mode=SCIPY_MODES[border])
    np.testing.assert_allclose(run_one(GaussianBlur(sigma_px, border), PICTURE), expected, atol=1e-6, rtol=0.0)


@pytest.mark.parametrize("sigma_px", [0.8, 2.0, 3.0])
def test_blur_is_that_of_opencv(sigma_px: float) -> None:
    side = 2 * gaussian_radius(sigma_px) + 1
    expected = cv2.GaussianBlur(PICTURE, (side, side), sigma_px, borderType=cv2.BORDER_REPLICATE)
    np.testing.assert_allclose(run_one(GaussianBlur(sigma_px), PICTURE), expected, atol=2e-6, rtol=0.0)


@pytest.mark.parametrize("border", list(Border))
def test_bits_are_those_of_the_stated_order(border: Border) -> None:
    picture = RNG.normal(0.0, 100.0, (6, 7, 2)).astype(np.float32)
    expected = separable(picture, 5, symmetric_sum(gaussian_weights(1.25)), border)
    np.testing.assert_array_equal(run_one(GaussianBlur(1.25, border), picture), expected, strict=True)


def test_another_order_gives_other_bits() -> None:
    picture = RNG.normal(0.0, 100.0, (6, 7, 2)).astype(np.float32)
    weights = gaussian_weights(1.25)

    def left_to_right(x: list[np.float32]) -> np.float32:
        total = np.float32(0.0)
        for distance, value in zip(range(-5, 6), x, strict=True):
            total = np.float32(total + weights[abs(distance)] * value)
        return total

    other = separable(picture, 5, left_to_right, Border.CLAMP)
    assert not np.array_equal(run_one(GaussianBlur(1.25), picture), other)


@pytest.mark.parametrize("shape", [(2, 300, 4), (300, 2, 1), (100, 1000, 4), (1, 1, 1)])
def test_bits_do_not_depend_on_tiles(shape: tuple[int, int, int]) -> None:
    picture = RNG.random(shape, np.float32)
    weights = gaussian_weights(3.0)
    padded = np.pad(picture, ((12, 12), (12, 12), (0, 0)), mode="edge")
    for axis in (1, 0):
        length = shape[axis]
        taps = [padded.take(range(d, d + length), axis) for d in range(25)]
        padded = weights[0] * taps[12]
        for distance in range(1, 13):
            padded = padded + weights[distance] * (taps[12 - distance] + taps[12 + distance])
    np.testing.assert_array_equal(run_one(GaussianBlur(3.0), picture), padded, strict=True)


@pytest.mark.parametrize("border", list(Border))
def test_an_hdr_patch_has_no_holes_and_no_bands(border: Border) -> None:
    patch = hdr_patch()
    blurred = run_one(GaussianBlur(2.5, border), patch)
    expected = scipy.ndimage.gaussian_filter(patch.astype(np.float64), (2.5, 2.5, 0.0), mode=SCIPY_MODES[border])
    np.testing.assert_allclose(blurred, expected, rtol=1e-5, atol=0.0)
    assert blurred.min() >= 0.0
    assert blurred.max() <= 1000.0


@pytest.mark.parametrize("border", list(Border))
def test_the_radius_may_exceed_the_picture(border: Border) -> None:
    picture = RNG.random((3, 5, 1), np.float32)
    expected = scipy.ndimage.gaussian_filter(picture.astype(np.float64), (50.0, 50.0, 0.0), mode=SCIPY_MODES[border])
    np.testing.assert_allclose(run_one(GaussianBlur(50.0, border), picture), expected, rtol=1e-5)


def test_a_repeated_picture_keeps_its_mean() -> None:
    blurred = run_one(GaussianBlur(4.0, Border.REPEAT), PICTURE)
    np.testing.assert_allclose(blurred.mean(axis=(0, 1)), PICTURE.mean(axis=(0, 1)), atol=1e-6)


def test_no_blur_gives_the_picture_and_owns_it() -> None:
    special = f32([[[np.inf], [np.nan], [-0.0], [1e-45]]])
    result = run_one(GaussianBlur(0.0), special)
    np.testing.assert_array_equal(result, special)
    assert not np.shares_memory(result, special)


def test_infinities_and_nan_reach_no_further_than_the_radius() -> None:
    picture = np.zeros((1, 40, 1), np.float32)
    picture[0, 20] = np.inf
    picture[0, 30] = np.nan
    reached = ~np.isfinite(run_one(GaussianBlur(1.0), picture)[0, :, 0])
    assert np.flatnonzero(reached).tolist() == [*range(16, 25), *range(26, 35)]


@pytest.mark.parametrize("shape", [(0, 5, 3), (5, 0, 3), (0, 0, 1)])
def test_an_empty_picture_gives_an_empty_picture(shape: tuple[int, int, int]) -> None:
    assert run_one(GaussianBlur(3.0), np.empty(shape, np.float32)).shape == shape


@pytest.mark.parametrize("layout", ["strided", "transposed", "reversed", "fortran", "big-endian", "read-only"])
def test_memory_layout_makes_no_difference(layout: str) -> None:
    expected = run_one(GaussianBlur(1.5), PICTURE)
    given_picture = layouts(PICTURE)[layout]
    before = given_picture.copy()
    result = run_one(GaussianBlur(1.5), given_picture)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(given_picture, before)
    assert result.dtype.isnative


@given(sigma_px=st.floats(0.0, 1000.0))
@settings(max_examples=60, deadline=None)
def test_weights_are_a_sampled_gaussian_that_sums_to_one(sigma_px: float) -> None:
    weights = gaussian_weights(sigma_px).astype(np.float64)
    radius = gaussian_radius(sigma_px)
    if radius:
        expected = scipy.signal.windows.gaussian(2 * radius + 1, sigma_px)
        np.testing.assert_allclose(weights, expected[radius:] / expected.sum(), rtol=1e-6, atol=1e-12)
    assert abs(weights[0] + 2.0 * weights[1:].sum() - 1.0) < 1e-6


def test_the_reach_is_four_standard_deviations_as_in_scipy() -> None:
    assert [gaussian_radius(s) for s in (0.0, 0.1, 0.125, 1.0, 2.0, 1000.0)] == [0, 0, 1, 4, 8, 4000]


@pytest.mark.parametrize("sigma_px", [-0.1, 1000.1, float("nan"), float("inf"), True])
def test_a_sigma_outside_its_range_is_refused(sigma_px: float) -> None:
    with pytest.raises(InvalidArgumentError, match=r"GaussianBlur: sigma_px: expected a finite number in \[0, 1000\]"):
        GaussianBlur(sigma_px)


def test_an_unknown_border_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgumentError, match=r"border: expected one of 'clamp', 'repeat', .* got 'wrap'"):
        GaussianBlur(1.0, "wrap")  # type: ignore[arg-type]


def test_a_border_may_be_given_as_text() -> None:
    assert GaussianBlur(1.0, "mirror") == GaussianBlur(1.0, Border.MIRROR)  # type: ignore[arg-type]


def test_a_cancelled_blur_stops() -> None:
    token = CancellationToken()
    token.cancel()
    with pytest.raises(Cancelled):
        run_one(GaussianBlur(2.0), PICTURE, ctx=EvalContext(cancellation=token))
