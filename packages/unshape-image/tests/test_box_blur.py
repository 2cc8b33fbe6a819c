"""BoxBlur against scipy and a second derivation of its bits."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import scipy.ndimage
from hypothesis import given, settings
from hypothesis import strategies as st
from references import SCIPY_MODES, box_mean, hdr_patch, separable
from running import run_one

from unshape_core.errors import InvalidArgumentError
from unshape_image import Border, BoxBlur

RNG = np.random.default_rng(3)
PICTURE = RNG.normal(0.0, 1.0, (29, 23, 3)).astype(np.float32)


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("radius_px", [0, 1, 2, 3, 7, 11, 64])
def test_blur_is_that_of_scipy_in_float64(border: Border, radius_px: int) -> None:
    size = (2 * radius_px + 1, 2 * radius_px + 1, 1)
    expected = scipy.ndimage.uniform_filter(PICTURE.astype(np.float64), size, mode=SCIPY_MODES[border])
    np.testing.assert_allclose(run_one(BoxBlur(radius_px, border), PICTURE), expected, atol=1e-6, rtol=0.0)


def test_blur_is_that_of_opencv() -> None:
    expected = cv2.blur(PICTURE, (9, 9), borderType=cv2.BORDER_REFLECT)
    np.testing.assert_allclose(run_one(BoxBlur(4, Border.MIRROR), PICTURE), expected, atol=1e-6, rtol=0.0)


@pytest.mark.parametrize("radius_px", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("border", list(Border))
def test_bits_are_those_of_the_stated_tree(radius_px: int, border: Border) -> None:
    picture = RNG.normal(0.0, 100.0, (5, 6, 1)).astype(np.float32)
    expected = separable(picture, radius_px, box_mean, border)
    np.testing.assert_array_equal(run_one(BoxBlur(radius_px, border), picture), expected, strict=True)


def test_a_running_sum_gives_other_bits() -> None:
    picture = RNG.normal(0.0, 100.0, (1, 400, 1)).astype(np.float32)
    running = np.cumsum(np.pad(picture[0, :, 0], 20, mode="edge"), dtype=np.float32)
    sums = np.float32((running[40:] - np.concatenate([[0.0], running[:-41]]).astype(np.float32)) / 41)
    assert not np.array_equal(run_one(BoxBlur(20), picture)[0, :, 0], sums)


@given(radius_px=st.integers(0, 4096), width=st.integers(1, 60), height=st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_a_constant_picture_stays_constant(radius_px: int, width: int, height: int) -> None:
    picture = np.full((height, width, 1), 0.7, np.float32)
    np.testing.assert_allclose(run_one(BoxBlur(radius_px), picture), picture, rtol=5e-7)


@pytest.mark.parametrize("border", list(Border))
def test_an_hdr_patch_stays_within_its_range(border: Border) -> None:
    patch = hdr_patch()
    blurred = run_one(BoxBlur(2, border), patch)
    expected = scipy.ndimage.uniform_filter(patch.astype(np.float64), (5, 5, 1), mode=SCIPY_MODES[border])
    np.testing.assert_allclose(blurred, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("shape", [(0, 5, 3), (5, 0, 3)])
def test_an_empty_picture_gives_an_empty_picture(shape: tuple[int, int, int]) -> None:
    assert run_one(BoxBlur(3), np.empty(shape, np.float32)).shape == shape


@pytest.mark.parametrize("radius_px", [-1, 4097, 1.5, True])
def test_a_radius_outside_its_range_is_refused(radius_px: int) -> None:
    with pytest.raises(InvalidArgumentError, match=r"radius_px: expected an integer in \[0, 4096\]"):
        BoxBlur(radius_px)
