"""Colour models and adjustments of expressions, against independent libraries."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from color_science import colour
from PIL import Image
from references import Array
from running import f32, run_one

from unshape_expr.parse import parse
from unshape_image import MapPixels
from unshape_image.color_functions import COLOR_FUNCTIONS

RNG = np.random.default_rng(12)
RGB = RNG.random((30, 40, 3), np.float32)
PRIMARIES = f32([[[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1], [0.5] * 3]])


def mapped(expression: str, picture: Array = RGB) -> Array:
    return run_one(MapPixels(expression), picture)


def test_whiteness_and_blackness_are_the_least_part_and_what_is_missing() -> None:
    for picture in (RGB, PRIMARIES):
        hwb = mapped("rgb_to_hwb(color)", picture)
        np.testing.assert_array_equal(hwb[..., 0], mapped("rgb_to_hsv(color).x", picture)[..., 0])
        np.testing.assert_array_equal(hwb[..., 1], picture.min(axis=-1))
        np.testing.assert_array_equal(hwb[..., 2], 1 - picture.max(axis=-1))
        np.testing.assert_allclose(mapped("hwb_to_rgb(rgb_to_hwb(color))", picture), picture, atol=1e-6)


def test_white_and_black_that_exceed_one_are_gray() -> None:
    np.testing.assert_allclose(mapped("hwb_to_rgb(vec3(0.3, 0.9, 0.6))", PRIMARIES)[0, 0], [0.6] * 3, atol=1e-7)


def test_chroma_and_hue_are_the_polar_coordinates() -> None:
    lab = (RGB * f32([100, 200, 200]) - f32([0, 100, 100])).astype(np.float32)
    found = mapped("lab_to_lch(color)", lab)
    plane = lab[..., 1] + 1j * lab[..., 2].astype(np.float64)
    np.testing.assert_array_equal(found[..., 0], lab[..., 0])
    np.testing.assert_allclose(found[..., 1], np.abs(plane), atol=2e-5)
    np.testing.assert_allclose(found[..., 2], np.angle(plane) / (2 * np.pi) % 1.0, atol=5e-7)
    np.testing.assert_allclose(mapped("lch_to_lab(lab_to_lch(color))", lab), lab, atol=1e-4)


def test_a_neutral_colour_has_no_chroma() -> None:
    assert mapped("lab_to_lch(vec3(50.0, 0.0, 0.0))")[0, 0].tolist() == [50.0, 0.0, 0.0]


def test_luma_and_chroma_are_those_of_colour_science() -> None:
    expected = colour.RGB_to_YCbCr(
        RGB.astype(np.float64), K=colour.WEIGHTS_YCBCR["ITU-R BT.601"], out_range=(0.0, 1.0, 0.0, 1.0)
    )
    np.testing.assert_allclose(mapped("rgb_to_ycbcr(color)"), expected, atol=5e-7)
    np.testing.assert_allclose(mapped("ycbcr_to_rgb(rgb_to_ycbcr(color))"), RGB, atol=1e-6)


def test_luma_and_chroma_are_those_of_jpeg_files() -> None:
    codes = np.round(RGB * 255.0).astype(np.uint8)
    expected = np.asarray(Image.fromarray(codes).convert("YCbCr")).astype(np.float64)
    found = mapped("rgb_to_ycbcr(color)", (codes / np.float32(255)).astype(np.float32)) * 255.0
    # Pillow computes in integers and puts the neutral code at 128.
    np.testing.assert_allclose(found + f32([0, 0.5, 0.5]), expected, atol=1.0)


def test_hue_saturation_and_lightness_are_adjusted_as_by_the_standard_library() -> None:
    found = mapped("adjust_hsl(color, 0.3, saturation=0.6, lightness=0.1)")
    for row, column in [(0, 0), (7, 9), (29, 39), (15, 3)]:
        hue, lightness, saturation = colorsys.rgb_to_hls(*RGB[row, column].tolist())
        expected = colorsys.hls_to_rgb((hue + 0.3) % 1.0, min(lightness + 0.1, 1.0), saturation * 0.6)
        np.testing.assert_allclose(found[row, column], expected, atol=2e-6)


def test_hue_saturation_and_value_are_adjusted_as_by_the_standard_library() -> None:
    found = mapped("adjust_hsv(color, hue=-0.4, saturation=1.5, value=0.8)")
    for row, column in [(0, 0), (7, 9), (29, 39), (15, 3)]:
        hue, saturation, value = colorsys.rgb_to_hsv(*RGB[row, column].tolist())
        expected = colorsys.hsv_to_rgb((hue - 0.4) % 1.0, min(saturation * 1.5, 1.0), value * 0.8)
        np.testing.assert_allclose(found[row, column], expected, atol=2e-6)


@pytest.mark.parametrize("name", ["adjust_hsl", "adjust_hsv"])
def test_no_adjustment_changes_nothing(name: str) -> None:
    np.testing.assert_allclose(mapped(f"{name}(color)"), RGB, atol=2e-6)


def test_contrast_turns_about_the_middle_and_brightness_adds() -> None:
    expected = np.clip((RGB.astype(np.float64) - 0.5) * 1.4 + 0.5 - 0.1, 0.0, 1.0)
    np.testing.assert_allclose(mapped("brightness_contrast(color, -0.1, 0.4)"), expected, atol=2e-7)
    np.testing.assert_array_equal(mapped("brightness_contrast(color, contrast=-3.0)"), np.full_like(RGB, 0.5))


def test_a_colour_matrix_is_the_product_of_numpy() -> None:
    picture = RNG.random((5, 6, 4), np.float32)
    matrix = RNG.normal(size=(4, 4)).astype(np.float32)
    rows = ", ".join(f"vec4({', '.join(repr(float(x)) for x in row)})" for row in matrix)
    expected = picture.astype(np.float64) @ matrix.astype(np.float64).T
    np.testing.assert_allclose(mapped(f"color_matrix(color, {rows})", picture), expected, atol=1e-6)


def test_functions_of_one_picture_are_told_apart() -> None:
    calls = [
        f for f in COLOR_FUNCTIONS if [p.type for p in f.parameters if p.default is None] == [parse("vec3(0)").type]
    ]
    results = [mapped(f"vec3({f.name}(color))") for f in calls if not f.name.startswith("adjust")]
    assert len({result.tobytes() for result in results}) == len(results) > 10
