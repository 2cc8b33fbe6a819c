"""Levels, Threshold, Invert, alpha, channels and generators against their formulas in float64."""

from __future__ import annotations

import numpy as np
import pytest
from references import Array
from running import f32, run, run_one

from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_image import (
    Checker,
    ColorConstant,
    Invert,
    Levels,
    MergeChannels,
    Premultiply,
    SplitChannels,
    Threshold,
    Unpremultiply,
    UvGradient,
)

RNG = np.random.default_rng(7)


def picture(channels: int) -> Array:
    return RNG.normal(0.4, 0.5, (12, 16, channels)).astype(np.float32)


def colours(channels: int) -> int:
    return {1: 1, 2: 1, 3: 3, 4: 3}[channels]


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("gamma", [1.0, 2.2, 0.4])
def test_levels_follow_their_formula_and_leave_alpha(channels: int, gamma: float) -> None:
    image = picture(channels)
    result = run_one(Levels(0.1, 0.7, gamma, -1.0, 3.0), image)
    t = np.clip((image.astype(np.float64) - 0.1) / 0.6, 0.0, 1.0) ** (1.0 / gamma)
    n = colours(channels)
    np.testing.assert_allclose(result[..., :n], (-1.0 + 4.0 * t)[..., :n], atol=2e-6)
    np.testing.assert_array_equal(result[..., n:], image[..., n:])


def test_levels_do_nothing_to_what_lies_between_0_and_1_by_default() -> None:
    image = RNG.random((5, 5, 3), np.float32)
    np.testing.assert_array_equal(run_one(Levels(), image), image)


def test_levels_may_turn_the_range_over() -> None:
    np.testing.assert_allclose(run_one(Levels(1.0, 0.0), f32([[[0.0], [0.25], [1.0]]]))[0, :, 0], [1.0, 0.75, 0.0])


def test_equal_levels_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match=r"expected in_low and in_high to differ, got 0.5 and 0.5"):
        Levels(0.5, 0.5 + 1e-12)


@pytest.mark.parametrize("gamma", [0.0, -1.0, 1e9, float("nan")])
def test_a_gamma_outside_its_range_is_refused(gamma: float) -> None:
    with pytest.raises(InvalidArgumentError, match=r"gamma: expected a finite number in \[0.01, 100\]"):
        Levels(gamma=gamma)


def test_threshold_includes_its_value() -> None:
    values = f32(
        [[[0.0], [np.nextafter(np.float32(0.3), np.float32(0.0))], [0.3], [1.0], [-np.inf], [np.inf], [np.nan]]]
    )
    assert run_one(Threshold(0.3), values)[0, :, 0].tolist() == [0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_inverting_twice_gives_the_picture_and_leaves_alpha(channels: int) -> None:
    image = f32(RNG.integers(0, 256, (4, 5, channels)) / 256.0)
    inverted = run_one(Invert(), image)
    n = colours(channels)
    np.testing.assert_array_equal(inverted[..., :n], 1.0 - image[..., :n])
    np.testing.assert_array_equal(run_one(Invert(), inverted), image)


@pytest.mark.parametrize("channels", [2, 4])
def test_colours_are_multiplied_by_alpha_and_divided_again(channels: int) -> None:
    image = RNG.random((6, 6, channels), np.float32) + np.float32(0.1)
    associated = run_one(Premultiply(), image)
    np.testing.assert_array_equal(associated[..., :-1], image[..., :-1] * image[..., -1:])
    np.testing.assert_allclose(run_one(Unpremultiply(), associated), image, rtol=3e-7)


@pytest.mark.parametrize("channels", [1, 3])
def test_a_picture_without_alpha_stays_as_it_is(channels: int) -> None:
    image = picture(channels)
    np.testing.assert_array_equal(run_one(Premultiply(), image), image)
    np.testing.assert_array_equal(run_one(Unpremultiply(), image), image)


def test_the_colour_of_a_transparent_pixel_becomes_zero() -> None:
    assert run_one(Unpremultiply(), f32([[[1.0, 2.0, np.inf, 0.0]]])).tolist() == [[[0.0, 0.0, 0.0, 0.0]]]


@pytest.mark.parametrize("channels", [3, 4])
def test_merging_undoes_splitting(channels: int) -> None:
    image = picture(channels)
    parts = run(SplitChannels(), image)
    assert all(part.shape == (12, 16, 1) for part in parts)
    np.testing.assert_array_equal(run_one(MergeChannels(channels), *parts[:channels]), image)


def test_a_gray_picture_splits_into_equal_colours() -> None:
    red, green, blue, alpha = run(SplitChannels(), f32([[[0.3, 0.7]]]))
    assert [float(p[0, 0, 0]) for p in (red, green, blue, alpha)] == [
        float(np.float32(x)) for x in (0.3, 0.3, 0.3, 0.7)
    ]
    assert run(SplitChannels(), f32([[[0.3]]]))[3].tolist() == [[[1.0]]]


def test_merging_takes_first_channels_and_names_the_ports() -> None:
    image = picture(4)
    np.testing.assert_array_equal(run_one(MergeChannels(2), image, image[..., 1:])[..., 1], image[..., 1])
    assert [port.name for port in MergeChannels(4).inputs] == ["red", "green", "blue", "alpha"]


def test_pictures_of_different_size_name_the_remedy() -> None:
    with pytest.raises(InvalidArgumentError, match=r"expected pictures of one size, got .* Resize"):
        run_one(MergeChannels(2), picture(1), picture(1)[:5])


def test_one_colour_fills_the_resolution() -> None:
    result = run_one(ColorConstant((0.25, 0.5)), ctx=EvalContext(resolution=(5, 3)))
    np.testing.assert_array_equal(result, np.broadcast_to(f32([0.25, 0.5]), (3, 5, 2)))


def test_the_gradient_is_the_position_of_pixel_centres() -> None:
    result = run_one(UvGradient(), ctx=EvalContext(resolution=(5, 4)))
    u, v = np.meshgrid((np.arange(5) + 0.5) / 5, (np.arange(4) + 0.5) / 4)
    np.testing.assert_allclose(result, np.stack([u, v, 0.0 * u], axis=-1), rtol=1e-7)


@pytest.mark.parametrize(("columns", "rows"), [(8, 8), (1, 1), (3, 2), (16, 12)])
def test_cells_of_the_checkerboard_alternate(columns: int, rows: int) -> None:
    result = run_one(Checker(columns, rows, (1.0,), (0.0,)), ctx=EvalContext(resolution=(48, 24)))
    x, y = np.meshgrid(np.arange(48) * columns // 48, np.arange(24) * rows // 24)
    np.testing.assert_array_equal(result[..., 0], 1.0 - (x + y) % 2)


@pytest.mark.parametrize("color", [(), (1.0,) * 5, "red", 3.0, (1.0, float("inf")), (True,)])
def test_a_colour_that_is_none_is_refused(color: tuple[float, ...]) -> None:
    with pytest.raises(InvalidArgumentError, match=r"image::ColorConstant: color.*: expected"):
        ColorConstant(color)


def test_colours_of_different_channels_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="channels, got 1 in first, 3 in second"):
        Checker(first=(1.0,))


@pytest.mark.parametrize("shape", [(0, 5, 3), (5, 0, 3)])
def test_an_empty_picture_gives_an_empty_picture(shape: tuple[int, int, int]) -> None:
    nothing = np.empty(shape, np.float32)
    for node in (Levels(), Invert(), Threshold(), Premultiply()):
        assert run_one(node, nothing).shape == shape
