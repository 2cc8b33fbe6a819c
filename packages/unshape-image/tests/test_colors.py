"""Colour conversions against colour-science, and colour ramps against interpolation in float64."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest
from color_science import WHITE, colour, decoded, encoded, light, xyz
from references import Array
from running import f32, run_one

from unshape_core.errors import InvalidArgumentError
from unshape_expr.parse import parse
from unshape_expr.types import Type
from unshape_image import ColorSpace, Convert, GradientMap, MapPixels, RampInterpolation, RampSpace
from unshape_image.color_functions import COLOR_FUNCTIONS

RNG = np.random.default_rng(9)
RGB = RNG.random((40, 50, 3), np.float32)
RGB[0, :10] = f32(
    [[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 1], [0.5] * 3, [0.2] * 3]
)


def convert(source: ColorSpace, target: ColorSpace, picture: Array) -> Array:
    return run_one(Convert(source, target), picture)


def test_srgb_is_decoded_as_colour_science_does() -> None:
    expected = decoded(RGB)
    np.testing.assert_allclose(convert(ColorSpace.SRGB, ColorSpace.LINEAR, RGB), expected, atol=3e-7)


def test_srgb_is_encoded_as_colour_science_does() -> None:
    expected = encoded(RGB)
    np.testing.assert_allclose(convert(ColorSpace.LINEAR, ColorSpace.SRGB, RGB), expected, atol=3e-7)


def test_lab_is_that_of_colour_science() -> None:
    expected = colour.XYZ_to_Lab(xyz(RGB), WHITE)
    np.testing.assert_allclose(convert(ColorSpace.LINEAR, ColorSpace.LAB, RGB), expected, atol=2e-4)


def test_oklab_is_that_of_colour_science() -> None:
    # Theirs goes through XYZ by matrices of six decimals.
    expected = colour.XYZ_to_Oklab(xyz(RGB))
    np.testing.assert_allclose(convert(ColorSpace.LINEAR, ColorSpace.OKLAB, RGB), expected, atol=3e-4)


@pytest.mark.parametrize(
    ("source", "target", "theirs"),
    [
        (ColorSpace.SRGB, ColorSpace.HSV, colour.RGB_to_HSV),
        (ColorSpace.HSV, ColorSpace.SRGB, colour.HSV_to_RGB),
        (ColorSpace.SRGB, ColorSpace.HSL, colour.RGB_to_HSL),
        (ColorSpace.HSL, ColorSpace.SRGB, colour.HSL_to_RGB),
    ],
)
def test_hue_spaces_are_those_of_colour_science(source: ColorSpace, target: ColorSpace, theirs: object) -> None:
    assert callable(theirs)
    picture = RGB[1:] if target is ColorSpace.HSL else RGB
    expected = theirs(picture.astype(np.float64))
    np.testing.assert_allclose(convert(source, target, picture), expected, atol=3e-6)


@pytest.mark.parametrize("gray", [0.0, 0.25, 1.0])
def test_gray_has_no_saturation(gray: float) -> None:
    pixel = f32([[[gray] * 3]])
    assert convert(ColorSpace.SRGB, ColorSpace.HSV, pixel).ravel().tolist() == [0.0, 0.0, gray]
    assert convert(ColorSpace.SRGB, ColorSpace.HSL, pixel).ravel().tolist() == [0.0, 0.0, gray]


def test_primary_colours_are_those_of_the_standard_library() -> None:
    for rgb in RGB[0, :8].tolist():
        hue, lightness, saturation = colorsys.rgb_to_hls(*rgb)
        found = convert(ColorSpace.SRGB, ColorSpace.HSL, f32([[rgb]])).ravel()
        np.testing.assert_allclose(found, [hue, saturation, lightness], atol=1e-7)


def test_white_is_neutral() -> None:
    white = f32([[[1.0, 1.0, 1.0]]])
    np.testing.assert_allclose(convert(ColorSpace.SRGB, ColorSpace.LAB, white).ravel(), [100.0, 0.0, 0.0], atol=1e-4)
    np.testing.assert_allclose(convert(ColorSpace.SRGB, ColorSpace.OKLAB, white).ravel(), [1.0, 0.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("space", list(ColorSpace))
def test_the_way_to_any_space_and_back_is_the_identity(space: ColorSpace) -> None:
    there = convert(ColorSpace.SRGB, space, RGB)
    np.testing.assert_allclose(convert(space, ColorSpace.SRGB, there), RGB, atol=2e-5)


def test_spaces_of_one_parent_do_not_pass_through_light() -> None:
    direct = convert(ColorSpace.HSV, ColorSpace.HSL, convert(ColorSpace.SRGB, ColorSpace.HSV, RGB))
    np.testing.assert_allclose(direct, convert(ColorSpace.SRGB, ColorSpace.HSL, RGB), atol=2e-5)


def test_hue_wraps_around() -> None:
    turned = f32([[[1.25, 1.0, 1.0], [-0.75, 1.0, 1.0], [0.25, 1.0, 1.0]]])
    first, second, third = convert(ColorSpace.HSV, ColorSpace.SRGB, turned)[0]
    np.testing.assert_allclose(first, third, atol=1e-6)
    np.testing.assert_allclose(second, third, atol=1e-6)


def test_alpha_stays() -> None:
    picture = RNG.random((3, 3, 4), np.float32)
    for space in ColorSpace:
        np.testing.assert_array_equal(convert(ColorSpace.SRGB, space, picture)[..., 3], picture[..., 3])


def test_gray_pictures_have_no_hue() -> None:
    with pytest.raises(InvalidArgumentError, match="expected a picture of 3 or 4 channels, got 1"):
        convert(ColorSpace.SRGB, ColorSpace.HSV, RGB[..., :1])
    gray = convert(ColorSpace.SRGB, ColorSpace.LINEAR, RGB[..., :2])
    np.testing.assert_array_equal(gray[..., 1], RGB[..., 1])


ARGUMENTS = {Type.F32: "0.5", Type.VEC3: "vec3(0.2, 0.5, 0.7)", Type.VEC4: "vec4(0.2, 0.5, 0.7, 1.0)"}


def test_conversions_can_be_called_in_formulas() -> None:
    for function in COLOR_FUNCTIONS:
        arguments = ", ".join(ARGUMENTS[p.type] for p in function.parameters if p.default is None)
        assert parse(f"{function.name}({arguments})").type is function.returns
    result = run_one(MapPixels("oklab_to_linear(linear_to_oklab(color))"), RGB)
    np.testing.assert_allclose(result, RGB, atol=2e-6)


STOPS = ((-1.0, (0.1, 0.9, 0.3)), (0.0, (0.8, 0.1, 0.2)), (0.4, (0.0, 0.5, 1.0)), (2.0, (1.0, 1.0, 0.0)))
VALUES = np.concatenate([np.linspace(-2.0, 3.0, 997), [-1.0, 0.0, 0.4, 2.0, -np.inf, np.inf]]).astype(np.float32)


def ramp(node: GradientMap) -> Array:
    (row,) = run_one(node, VALUES[None, :, None])
    return np.asarray(row)


def interpolated(channels: Array) -> Array:
    positions = [float(np.float32(position)) for position, _ in STOPS]
    return np.stack([np.interp(VALUES.astype(np.float64), positions, c) for c in channels.T], axis=-1)


def test_a_linear_ramp_is_numpy_interp() -> None:
    expected = interpolated(np.array([color for _, color in STOPS]))
    np.testing.assert_allclose(ramp(GradientMap(STOPS)), expected, atol=1e-6)


def test_a_ramp_of_light_is_interpolated_in_light() -> None:
    linear = decoded(np.array([color for _, color in STOPS]))
    expected = encoded(interpolated(linear))
    np.testing.assert_allclose(ramp(GradientMap(STOPS, space=RampSpace.LINEAR)), expected, atol=2e-6)


def test_a_perceptual_ramp_is_interpolated_in_oklab() -> None:
    lab = colour.XYZ_to_Oklab(xyz(decoded(np.array([color for _, color in STOPS]))))
    linear = light(colour.Oklab_to_XYZ(interpolated(lab)))
    inside = linear.min(axis=-1) >= 0.0
    expected = encoded(np.maximum(linear, 0.0))
    assert inside.mean() > 0.5
    np.testing.assert_allclose(ramp(GradientMap(STOPS, space=RampSpace.OKLAB))[inside], expected[inside], atol=2e-3)


def test_a_smooth_ramp_is_level_at_its_stops() -> None:
    t = np.clip((VALUES.astype(np.float64) + 1.0) / 3.0, 0.0, 1.0)
    node = GradientMap(((-1.0, (0.0,)), (2.0, (5.0,))), RampInterpolation.SMOOTH)
    np.testing.assert_allclose(ramp(node)[:, 0], 5.0 * (3.0 * t**2 - 2.0 * t**3), atol=2e-6)


def test_a_constant_ramp_holds_the_stop_before() -> None:
    positions = np.array([position for position, _ in STOPS], np.float32)
    colors = f32([color for _, color in STOPS])
    expected = colors[np.maximum(np.searchsorted(positions, VALUES, side="right") - 1, 0)]
    np.testing.assert_array_equal(ramp(GradientMap(STOPS, RampInterpolation.CONSTANT)), expected)


def test_two_stops_at_one_position_make_an_edge() -> None:
    node = GradientMap(((0.0, (0.0,)), (0.5, (1.0,)), (0.5, (3.0,)), (1.0, (4.0,))))
    below = np.nextafter(np.float32(0.5), np.float32(0.0))
    values = run_one(node, f32([[[0.0], [below], [0.5], [0.75], [1.0]]]))[0, :, 0]
    np.testing.assert_allclose(values, [0.0, 1.0, 3.0, 3.5, 4.0], atol=1e-6)


def test_stops_stay_as_they_were_given() -> None:
    stops = ((0.1, (0.2,)), (0.3, (0.7,)))
    assert GradientMap(stops).stops == stops


def test_nan_stays_nan_on_a_ramp() -> None:
    assert np.isnan(run_one(GradientMap(), f32([[[np.nan]]]))).all()


def test_a_coloured_picture_is_mapped_by_its_luminance() -> None:
    node = GradientMap(((0.0, (0.0,)), (1.0, (1.0,))))
    expected = RGB.astype(np.float64) @ [0.2126, 0.7152, 0.0722]
    np.testing.assert_allclose(run_one(node, RGB)[..., 0], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("stops", "message"),
    [
        (((0.0, (1.0,)),), "expected 2 to 64 stops, got 1"),
        (((1.0, (1.0,)), (0.0, (1.0,))), r"stops\[1\]: expected a position of at least 1.0, got 0.0"),
        (((0.0, (1.0,)), (1.0, (1.0, 1.0))), "expected colours of equally many channels"),
        (((0.0, (1.0,)), (float("inf"), (1.0,))), r"stops\[1\] position: expected a finite number, got inf"),
    ],
)
def test_wrong_stops_are_refused(stops: tuple[tuple[float, tuple[float, ...]], ...], message: str) -> None:
    with pytest.raises(InvalidArgumentError, match=message):
        GradientMap(stops)


def test_a_gray_ramp_cannot_be_perceptual() -> None:
    with pytest.raises(InvalidArgumentError, match="space 'oklab': expected colours of 3 or 4 channels, got 1"):
        GradientMap(((0.0, (0.0,)), (1.0, (1.0,))), space=RampSpace.OKLAB)
