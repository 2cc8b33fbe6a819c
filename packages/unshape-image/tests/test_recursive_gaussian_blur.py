"""The recursive blur is close to a Gaussian, by the stated bound, at every border and width."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage
from references import SCIPY_MODES
from running import f32, run_one

from unshape_core.errors import InvalidArgumentError
from unshape_image import Border, RecursiveGaussianBlur
from unshape_image.recursive_gaussian import filter_columns, recursive_sections


def impulse_response(sigma_px: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    half = int(12 * sigma_px) + 20
    impulse = np.zeros((2 * half + 1, 1))
    impulse[half] = 1.0
    return filter_columns(impulse, recursive_sections(sigma_px), skip=0)[:, 0]


def gaussian(sigma_px: float, size: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    distance = np.arange(size) - size // 2
    weights = np.exp(-(distance**2) / (2.0 * sigma_px**2))
    return np.asarray(weights / weights.sum())


@pytest.mark.parametrize("sigma_px", [0.5, 0.6, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 50.0, 200.0, 1000.0])
def test_weights_differ_from_a_gaussian_by_what_is_stated(sigma_px: float) -> None:
    response = impulse_response(sigma_px)
    assert response.sum() == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(response, response[::-1], atol=1e-9 / sigma_px)
    assert 1e-5 < np.abs(response - gaussian(sigma_px, response.size)).sum() < 9e-4


@pytest.mark.parametrize("sigma_px", [0.5, 2.0, 9.0, 40.0])
@pytest.mark.parametrize("border", list(Border))
def test_a_picture_differs_from_that_of_scipy_by_a_thousandth_at_most(border: Border, sigma_px: float) -> None:
    picture = (np.random.default_rng(3).random((61, 83, 2)) > 0.5).astype(np.float32)
    expected = scipy.ndimage.gaussian_filter(
        picture.astype(np.float64), (sigma_px, sigma_px, 0), mode=SCIPY_MODES[border], truncate=8.0
    )
    np.testing.assert_allclose(run_one(RecursiveGaussianBlur(sigma_px, border), picture), expected, atol=1e-3)


def test_another_width_is_further_away_than_that() -> None:
    picture = (np.random.default_rng(3).random((61, 83, 1)) > 0.5).astype(np.float32)
    expected = scipy.ndimage.gaussian_filter(picture.astype(np.float64), (9.3, 9.3, 0), mode="nearest", truncate=8.0)
    assert np.abs(run_one(RecursiveGaussianBlur(9.0), picture) - expected).max() > 1e-3


@pytest.mark.parametrize("border", [Border.CLAMP, Border.REPEAT, Border.MIRROR])
def test_a_constant_picture_stays_constant(border: Border) -> None:
    result = run_one(RecursiveGaussianBlur(7.0, border), f32(np.full((9, 14, 3), 0.7)))
    np.testing.assert_allclose(result, 0.7, rtol=1e-4)


def test_strips_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    picture = np.random.default_rng(5).random((23, 31, 3)).astype(np.float32)
    whole = run_one(RecursiveGaussianBlur(3.0), picture)
    monkeypatch.setattr("unshape_image.nodes.recursive_gaussian_blur._STRIP_FLOATS", 7)
    np.testing.assert_array_equal(run_one(RecursiveGaussianBlur(3.0), picture), whole)


@pytest.mark.parametrize("shape", [(0, 5, 2), (5, 0, 2), (1, 1, 1)])
def test_an_empty_picture_gives_an_empty_picture(shape: tuple[int, int, int]) -> None:
    assert run_one(RecursiveGaussianBlur(1.0), np.ones(shape, np.float32)).shape == shape


@pytest.mark.parametrize("sigma_px", [0.49, -1.0, 1001.0, float("nan")])
def test_a_sigma_outside_its_range_is_refused(sigma_px: float) -> None:
    with pytest.raises(InvalidArgumentError, match=r"RecursiveGaussianBlur: sigma_px: expected .* in \[0\.5, 1000\]"):
        RecursiveGaussianBlur(sigma_px)
