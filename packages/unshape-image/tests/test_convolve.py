"""Convolve against scipy, OpenCV and a second derivation of its bits."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import scipy.ndimage
from references import SCIPY_MODES, Array, convolved, hdr_patch
from running import run_one

from unshape_core.errors import InvalidArgumentError
from unshape_image import Border, Convolve, KernelPreset

RNG = np.random.default_rng(4)
PICTURE = RNG.normal(0.0, 1.0, (29, 23, 3)).astype(np.float32)
KERNELS: dict[str, Array] = {
    "3x3": RNG.normal(0.0, 1.0, (3, 3)),
    "5x1": RNG.normal(0.0, 1.0, (5, 1)),
    "1x7": RNG.normal(0.0, 1.0, (1, 7)),
    "31x31": RNG.normal(0.0, 1.0, (31, 31)),
    "1x1": np.array([[0.3]]),
}


def rows(kernel: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in kernel.tolist())


@pytest.mark.parametrize("border", list(Border))
@pytest.mark.parametrize("name", KERNELS)
def test_convolution_is_the_correlation_of_scipy_in_float64(border: Border, name: str) -> None:
    kernel = KERNELS[name]
    expected = scipy.ndimage.correlate(PICTURE.astype(np.float64), kernel[:, :, None], mode=SCIPY_MODES[border])
    bound = 2e-7 * np.abs(kernel).sum() * np.abs(PICTURE).max()
    np.testing.assert_allclose(run_one(Convolve(rows(kernel), border), PICTURE), expected, atol=bound, rtol=0.0)


@pytest.mark.parametrize(
    ("border", "theirs"),
    [(Border.CLAMP, cv2.BORDER_REPLICATE), (Border.MIRROR, cv2.BORDER_REFLECT), (Border.ZERO, cv2.BORDER_CONSTANT)],
)
def test_convolution_is_that_of_opencv(border: Border, theirs: int) -> None:
    kernel = KERNELS["3x3"]
    expected = cv2.filter2D(PICTURE, -1, kernel.astype(np.float32), borderType=theirs)
    np.testing.assert_allclose(run_one(Convolve(rows(kernel), border), PICTURE), expected, atol=5e-6, rtol=0.0)


@pytest.mark.parametrize("border", list(Border))
def test_an_impulse_shows_the_kernel_turned_by_half_a_turn_at_every_border(border: Border) -> None:
    kernel = np.arange(1.0, 10.0).reshape(3, 3)
    for y, x in ((0, 0), (0, 4), (4, 0), (4, 4), (2, 2)):
        impulse = np.zeros((5, 5, 1), np.float32)
        impulse[y, x] = 1.0
        expected = scipy.ndimage.correlate(impulse[..., 0], kernel, mode=SCIPY_MODES[border])
        np.testing.assert_array_equal(run_one(Convolve(rows(kernel), border), impulse)[..., 0], expected)


@pytest.mark.parametrize("name", ["3x3", "5x1", "1x7"])
@pytest.mark.parametrize("border", list(Border))
def test_bits_are_those_of_the_stated_order(name: str, border: Border) -> None:
    picture = RNG.normal(0.0, 100.0, (5, 6, 2)).astype(np.float32)
    kernel = KERNELS[name]
    expected = convolved(picture, kernel.astype(np.float32), border)
    np.testing.assert_array_equal(run_one(Convolve(rows(kernel), border), picture), expected, strict=True)


def test_columns_first_gives_other_bits() -> None:
    picture = RNG.normal(0.0, 100.0, (5, 6, 2)).astype(np.float32)
    kernel = KERNELS["3x3"].astype(np.float32)
    turned = convolved(picture.transpose(1, 0, 2), kernel.T, Border.CLAMP).transpose(1, 0, 2)
    assert not np.array_equal(run_one(Convolve(rows(KERNELS["3x3"])), picture), turned)


@pytest.mark.parametrize("border", list(Border))
def test_an_hdr_patch_is_filtered_exactly(border: Border) -> None:
    patch = hdr_patch()
    expected = scipy.ndimage.correlate(
        patch.astype(np.float64), np.array(KernelPreset.SHARPEN.weights)[:, :, None], mode=SCIPY_MODES[border]
    )
    np.testing.assert_array_equal(run_one(Convolve(KernelPreset.SHARPEN, border), patch), expected)


@pytest.mark.parametrize("preset", list(KernelPreset))
def test_smoothing_presets_sum_to_one_and_edge_presets_to_zero(preset: KernelPreset) -> None:
    edges = {KernelPreset.LAPLACIAN, KernelPreset.SOBEL_X, KernelPreset.SOBEL_Y}
    total = sum(sum(row) for row in preset.weights)
    assert total == pytest.approx(0.0 if preset in edges else 1.0, abs=1e-15)


def test_gaussian_presets_are_binomial_and_sobel_is_that_of_opencv() -> None:
    binomial = cv2.getGaussianKernel(5, -1) @ cv2.getGaussianKernel(5, -1).T
    np.testing.assert_allclose(KernelPreset.GAUSSIAN_5X5.weights, binomial)
    impulse = np.zeros((5, 5), np.float32)
    impulse[2, 2] = 1.0
    gradient = cv2.Sobel(impulse, cv2.CV_32F, 1, 0, ksize=3)
    np.testing.assert_array_equal(run_one(Convolve(KernelPreset.SOBEL_X), impulse[..., None])[..., 0], gradient)


@pytest.mark.parametrize("shape", [(0, 5, 3), (5, 0, 3)])
def test_an_empty_picture_gives_an_empty_picture(shape: tuple[int, int, int]) -> None:
    assert run_one(Convolve(), np.empty(shape, np.float32)).shape == shape


@pytest.mark.parametrize(
    "kernel",
    [(), ((),), ((1.0, 2.0),), ((1.0,), (2.0,)), ((1.0,), (1.0, 2.0, 3.0), (1.0,)), ((0.0,) * 33,) * 33],
)
def test_a_kernel_of_another_shape_is_refused(kernel: tuple[tuple[float, ...], ...]) -> None:
    with pytest.raises(InvalidArgumentError, match="expected 1 to 31 rows of equally many weights, both counts odd"):
        Convolve(kernel)


def test_a_weight_that_is_no_finite_number_is_named() -> None:
    with pytest.raises(InvalidArgumentError, match=r"kernel\[0\]\[2\]: expected a finite number, got nan"):
        Convolve(((1.0, 2.0, float("nan")),))


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidArgumentError, match="kernel: expected one of 'identity', 'box'"):
        Convolve("blurry")  # type: ignore[arg-type]
