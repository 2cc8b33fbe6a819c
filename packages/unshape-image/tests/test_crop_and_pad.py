"""Crop and Pad against slicing and numpy.pad."""

from __future__ import annotations

import numpy as np
import pytest
from references import NUMPY_MODES
from running import run_one

from unshape_core.errors import InvalidArgumentError
from unshape_image import Border, Crop, Pad

PICTURE = np.random.default_rng(6).normal(0.0, 1.0, (11, 7, 3)).astype(np.float32)


def test_a_crop_is_a_slice_that_owns_its_memory() -> None:
    result = run_one(Crop(x_px=2, y_px=3, width_px=4, height_px=8), PICTURE)
    np.testing.assert_array_equal(result, PICTURE[3:11, 2:6])
    assert result.flags.c_contiguous
    assert not np.shares_memory(result, PICTURE)


@pytest.mark.parametrize("size", [(0, 5), (7, 0), (0, 0)])
def test_a_crop_may_be_empty(size: tuple[int, int]) -> None:
    assert run_one(Crop(0, 0, *size), PICTURE).shape == (size[1], size[0], 3)


@pytest.mark.parametrize("rectangle", [(0, 0, 8, 1), (7, 0, 1, 1), (0, 5, 1, 7), (100, 100, 0, 0)])
def test_a_rectangle_beyond_the_picture_is_refused(rectangle: tuple[int, int, int, int]) -> None:
    with pytest.raises(InvalidArgumentError, match=r"within the picture of 7 x 11, .* put image::Pad before"):
        run_one(Crop(*rectangle), PICTURE)


def test_a_negative_corner_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="x_px: expected an integer in"):
        Crop(-1, 0, 1, 1)


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("widths", [(0, 0, 0, 0), (1, 2, 3, 4), (30, 0, 0, 50), (7, 7, 11, 11)])
def test_padding_is_that_of_numpy(border: Border, widths: tuple[int, int, int, int]) -> None:
    left, right, top, bottom = widths
    amounts = ((top, bottom), (left, right), (0, 0))
    expected = np.pad(PICTURE, amounts, mode=NUMPY_MODES[border])  # type: ignore[call-overload]
    np.testing.assert_array_equal(run_one(Pad(*widths, border), PICTURE), expected)


def test_a_crop_undoes_padding() -> None:
    wide = run_one(Pad(3, 4, 5, 6, Border.MIRROR), PICTURE)
    np.testing.assert_array_equal(run_one(Crop(3, 5, 7, 11), wide), PICTURE)


def test_nothing_is_padded_with_zeros_only() -> None:
    nothing = np.empty((0, 3, 1), np.float32)
    np.testing.assert_array_equal(run_one(Pad(1, 1, 1, 1), nothing), np.zeros((2, 5, 1), np.float32))
    with pytest.raises(InvalidArgumentError, match="expected at least one pixel to continue by 'clamp'"):
        run_one(Pad(1, 1, 1, 1, Border.CLAMP), nothing)
