"""HeightToNormal and Shade against planes, numpy.gradient and the cosine of the angle to the light."""

from __future__ import annotations

import numpy as np
import pytest
from references import Array, padded
from running import f32, run_one

from unshape_core.errors import InvalidArgumentError
from unshape_image import Border, HeightToNormal, NormalConvention, Shade

HEIGHT = np.random.default_rng(10).random((20, 30, 1), np.float32)


def decoded(normals: Array) -> Array:
    return normals.astype(np.float64) * 2.0 - 1.0


@pytest.mark.parametrize("width_px", [16, 64, 256])
def test_the_normal_of_a_plane_does_not_depend_on_the_resolution(width_px: int) -> None:
    u = (np.arange(width_px) + 0.5) / width_px
    plane = np.broadcast_to(f32(u)[None, :, None], (8, width_px, 1))
    # One unit of height is 50 percent of the width, so the plane rises by one half.
    normal = decoded(run_one(HeightToNormal(strength=50.0), plane))[4, width_px // 2]
    np.testing.assert_allclose(normal, np.array([-0.5, 0.0, 1.0]) / np.sqrt(1.25), atol=2e-5)


@pytest.mark.parametrize("convention", list(NormalConvention))
@pytest.mark.parametrize("border", list(Border))
def test_slopes_are_central_differences(border: Border, convention: NormalConvention) -> None:
    wide = padded(HEIGHT.astype(np.float64), 1, border)[..., 0]
    down, right = np.gradient(wide)
    down, right = down[1:-1, 1:-1] * 0.03 * 30, right[1:-1, 1:-1] * 0.03 * 30
    sign = 1.0 if convention is NormalConvention.OPENGL else -1.0
    expected = np.stack([-right, sign * down, np.ones_like(right)], axis=-1)
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    result = run_one(HeightToNormal(3.0, border, convention), HEIGHT)
    np.testing.assert_allclose(decoded(result), expected, atol=2e-6)


def test_a_flat_map_points_up() -> None:
    np.testing.assert_array_equal(
        run_one(HeightToNormal(), np.full((3, 3, 1), 7.0, np.float32)), np.broadcast_to(f32([0.5, 0.5, 1.0]), (3, 3, 3))
    )


def test_a_repeated_map_tiles_without_a_seam() -> None:
    node = HeightToNormal(2.0, Border.REPEAT)
    twice = run_one(HeightToNormal(1.0, Border.REPEAT), np.tile(HEIGHT, (1, 2, 1)))
    np.testing.assert_allclose(twice, np.tile(run_one(node, HEIGHT), (1, 2, 1)), atol=1e-6)


def test_only_the_first_channel_counts() -> None:
    coloured = np.concatenate([HEIGHT, HEIGHT[::-1], HEIGHT * 3], axis=2)
    np.testing.assert_array_equal(run_one(HeightToNormal(), coloured), run_one(HeightToNormal(), HEIGHT))


@pytest.mark.parametrize(("azimuth_deg", "towards"), [(0.0, 0), (90.0, 1), (180.0, 2), (-90.0, 3)])
def test_a_slope_that_faces_the_light_is_the_brightest(azimuth_deg: float, towards: int) -> None:
    directions = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    normals = np.array([[[0.6 * x, 0.6 * y, 0.8] for x, y in directions]]) * 0.5 + 0.5
    white = np.ones((1, 4, 1), np.float32)
    lit = run_one(Shade(azimuth_deg, elevation_deg=30.0, ambient=0.0), white, f32(normals))[0, :, 0]
    assert np.argmax(lit) == towards


def test_light_is_the_cosine_of_the_angle() -> None:
    rng = np.random.default_rng(11)
    normals = rng.normal(0.0, 1.0, (6, 6, 3))
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    colours = rng.random((6, 6, 4), np.float32)
    azimuth, elevation = np.radians(50.0), np.radians(20.0)
    light = [np.cos(elevation) * np.sin(azimuth), np.cos(elevation) * np.cos(azimuth), np.sin(elevation)]
    amount = 0.3 + 0.7 * np.maximum(normals @ light, 0.0)
    result = run_one(Shade(50.0, 20.0, 0.3), colours, f32(normals * 0.5 + 0.5))
    np.testing.assert_allclose(result[..., :3], colours[..., :3] * amount[..., None], atol=1e-6)
    np.testing.assert_array_equal(result[..., 3], colours[..., 3])


def test_a_slope_up_and_left_is_lit_from_the_upper_left_by_default() -> None:
    y, x = np.mgrid[0:9, 0:9]
    hill = f32(np.maximum(0.0, 4.0 - np.hypot(x - 4, y - 4)))[..., None]
    lit = run_one(Shade(), np.ones((9, 9, 1), np.float32), run_one(HeightToNormal(20.0), hill))[..., 0]
    assert lit[2, 2] > lit[2, 6] > lit[6, 6]


def test_normals_need_three_channels() -> None:
    with pytest.raises(InvalidArgumentError, match="input 'normals': expected a picture of 3 or 4 channels, got 1"):
        run_one(Shade(), HEIGHT, HEIGHT)


@pytest.mark.parametrize("value", [{"elevation_deg": 91.0}, {"azimuth_deg": 361.0}, {"ambient": -0.1}])
def test_parameters_outside_their_range_are_refused(value: dict[str, float]) -> None:
    with pytest.raises(InvalidArgumentError, match=f"{next(iter(value))}: expected a finite number in"):
        Shade(**value)
