"""Resize against OpenCV, Pillow, and exact fractions."""

from __future__ import annotations

from fractions import Fraction

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from references import layouts
from running import run_one

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_image import Resize, ResizeMethod
from unshape_image.resize_table import resize_table, tap_count, texel_range

RNG = np.random.default_rng(5)
PICTURE = RNG.normal(0.0, 1.0, (24, 36, 3)).astype(np.float32)
SIDES = st.integers(1, 40)


@pytest.mark.parametrize("size", [(36, 24), (72, 48), (12, 8), (50, 7), (35, 25), (200, 5)])
def test_nearest_is_that_of_opencv(size: tuple[int, int]) -> None:
    # Where a centre lies on the edge between two texels, ours is the right one, theirs either.
    decided = [(2 * np.arange(new) + 1) * old % (2 * new) != 0 for new, old in zip(size, (36, 24), strict=True)]
    inside = np.ix_(decided[1], decided[0])
    expected = cv2.resize(PICTURE, size, interpolation=cv2.INTER_NEAREST_EXACT)
    result = run_one(Resize(*size, ResizeMethod.NEAREST), PICTURE)
    np.testing.assert_array_equal(result[inside], expected[inside])
    assert expected[inside].size > 0


@pytest.mark.parametrize("size", [(36, 24), (72, 48), (18, 12), (50, 7), (1, 1), (35, 25), (200, 3)])
def test_bilinear_is_that_of_opencv(size: tuple[int, int]) -> None:
    expected = cv2.resize(PICTURE, size, interpolation=cv2.INTER_LINEAR)
    np.testing.assert_allclose(run_one(Resize(*size, ResizeMethod.BILINEAR), PICTURE), expected, atol=2e-6)


@pytest.mark.parametrize("size", [(36, 24), (18, 12), (12, 8), (50 // 2, 7), (1, 1), (35, 23)])
def test_area_is_that_of_opencv_when_it_reduces(size: tuple[int, int]) -> None:
    expected = cv2.resize(PICTURE, size, interpolation=cv2.INTER_AREA)
    np.testing.assert_allclose(run_one(Resize(*size, ResizeMethod.AREA), PICTURE), expected, atol=2e-6)


@pytest.mark.parametrize("size", [(72, 48), (37, 25), (100, 31), (361, 24)])
def test_bicubic_is_that_of_pillow_when_it_enlarges(size: tuple[int, int]) -> None:
    # Pillow leaves out taps beyond the edge where ours repeat the edge pixel: compare where no tap is beyond it.
    plane = PICTURE[..., 0]
    expected = np.asarray(Image.fromarray(plane).resize(size, Image.Resampling.BICUBIC))
    mx, my = (-(-3 * new // old) for new, old in zip(size, (36, 24), strict=True))
    result = run_one(Resize(*size, ResizeMethod.BICUBIC), plane[..., None])[..., 0]
    inside = (slice(my, -my), slice(mx, -mx))
    np.testing.assert_allclose(result[inside], expected[inside], atol=3e-6)


@pytest.mark.parametrize("method", ResizeMethod)
@pytest.mark.parametrize(("before", "after"), [(36, 36), (36, 7), (36, 50), (48, 18), (7, 90)])
def test_taps_are_counted_as_most_pixels_have_them(method: ResizeMethod, before: int, after: int) -> None:
    weights = resize_table(method, input_px=before, output_px=after).weights
    counted = tap_count(method, input_px=before, output_px=after)
    assert 0 <= len(weights) - counted <= (1 if method is ResizeMethod.AREA else 0)


def test_arithmetic_of_halving_is_that_of_both_passes() -> None:
    # 18 x 12 of 36 x 24 by area: two products and sums for each of 18 x 24, then for each of 18 x 12.
    node = Resize(18, 12, ResizeMethod.AREA)
    before, after = (ValueSpec(TEXTURE, (height, width, 3)) for height, width in ((24, 36), (12, 18)))
    operations = node.flops_per_element((before,), (after,)) * 18 * 12
    assert operations == 4 * 18 * 24 + 4 * 18 * 12


def test_a_centre_between_two_texels_takes_the_right_one() -> None:
    values = run_one(Resize(1, 1, ResizeMethod.NEAREST), PICTURE)[0, 0]
    np.testing.assert_array_equal(values, PICTURE[12, 18])


def test_bicubic_reproduces_quadratic_functions() -> None:
    x = np.arange(40.0)
    parabola = (0.01 * (x - 11.0) ** 2)[None, :, None].astype(np.float32)
    result = run_one(Resize(120, 1, ResizeMethod.BICUBIC), parabola)[0, :, 0]
    position = (np.arange(120) + 0.5) / 3.0 - 0.5
    np.testing.assert_allclose(result[6:-6], (0.01 * (position - 11.0) ** 2)[6:-6], atol=2e-6)


@given(width=SIDES, new=SIDES)
@settings(max_examples=80, deadline=None)
def test_area_weighs_texels_by_exact_shares(width: int, new: int) -> None:
    table = resize_table(ResizeMethod.AREA, input_px=width, output_px=new)
    for pixel in range(new):
        start, stop = Fraction(pixel * width, new), Fraction((pixel + 1) * width, new)
        expected = {
            texel: float((min(stop, Fraction(texel + 1)) - max(start, Fraction(texel))) / (stop - start))
            for texel in range(width)
            if min(stop, Fraction(texel + 1)) > max(start, Fraction(texel))
        }
        found = {
            int(t): float(w) for t, w in zip(table.indices[:, pixel], table.weights[:, pixel], strict=True) if w != 0.0
        }
        assert found == pytest.approx(expected, rel=1e-6)


@given(method=st.sampled_from(ResizeMethod), width=SIDES, new=SIDES)
@settings(max_examples=150, deadline=None)
def test_weights_sum_to_one_and_texels_lie_in_the_picture_in_order(method: ResizeMethod, width: int, new: int) -> None:
    table = resize_table(method, input_px=width, output_px=new)
    np.testing.assert_allclose(table.weights.astype(np.float64).sum(axis=0), 1.0, atol=3e-7)
    assert table.indices.min() >= 0
    assert table.indices.max() < width
    assert np.all(np.diff(table.indices, axis=0) >= 0)


@pytest.mark.parametrize("method", list(ResizeMethod))
def test_a_range_of_texels_holds_what_the_table_reads_and_at_most_its_reach_more(method: ResizeMethod) -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        width, new = (int(n) for n in rng.integers(1, 70, 2))
        start = int(rng.integers(0, new))
        stop = int(rng.integers(start + 1, new + 1))
        first, last = resize_table(method, input_px=width, output_px=new).part(start, stop).texels
        low, high = texel_range(method, input_px=width, output_px=new, start=start, stop=stop)
        assert 0 <= low <= first < last <= high <= width
        assert first - low <= 2
        assert high - last <= 2


@pytest.mark.parametrize("method", list(ResizeMethod))
def test_the_same_size_gives_the_same_numbers(method: ResizeMethod) -> None:
    special = PICTURE.copy()
    special[3, 4] = [np.inf, np.nan, -0.0]
    result = run_one(Resize(36, 24, method), special)
    np.testing.assert_array_equal(result, special)
    assert not np.shares_memory(result, special)


@pytest.mark.parametrize("method", list(ResizeMethod))
def test_an_integer_factor_keeps_a_constant_exactly(method: ResizeMethod) -> None:
    picture = np.full((8, 8, 1), 3.0, np.float32)
    np.testing.assert_array_equal(run_one(Resize(4, 16, method), picture), np.full((16, 4, 1), 3.0, np.float32))


def test_without_a_size_the_resolution_is_taken() -> None:
    ctx = EvalContext(resolution=(19, 31))
    assert run_one(Resize(), PICTURE, ctx=ctx).shape == (31, 19, 3)
    assert run_one(Resize(width_px=5), PICTURE, ctx=ctx).shape == (31, 5, 3)


def test_the_result_depends_on_the_resolution_only_without_a_size() -> None:
    assert Resize().context_fields == {ContextField.RESOLUTION}
    assert Resize(height_px=3).context_fields == {ContextField.RESOLUTION}
    assert Resize(3, 3).context_fields == frozenset()


def test_a_large_picture_equals_its_rows_resized_one_by_one() -> None:
    picture = RNG.random((9, 3000, 4), np.float32)
    whole = run_one(Resize(1700, 9, ResizeMethod.BICUBIC), picture)
    rows = [run_one(Resize(1700, 1, ResizeMethod.BICUBIC), picture[k : k + 1]) for k in range(9)]
    np.testing.assert_array_equal(whole, np.concatenate(rows))


@pytest.mark.parametrize("layout", ["strided", "transposed", "reversed", "fortran", "big-endian", "read-only"])
@pytest.mark.parametrize("method", list(ResizeMethod))
def test_memory_layout_makes_no_difference(layout: str, method: ResizeMethod) -> None:
    node = Resize(21, 50, method)
    np.testing.assert_array_equal(run_one(node, layouts(PICTURE)[layout]), run_one(node, PICTURE))


def test_nothing_cannot_become_something() -> None:
    with pytest.raises(InvalidArgumentError, match="at least one pixel to resize to 3 x 3, got a picture of 0 x 4"):
        run_one(Resize(3, 3), np.empty((4, 0, 1), np.float32))


def test_an_empty_picture_may_become_an_empty_resolution() -> None:
    result = run_one(Resize(), np.empty((4, 0, 1), np.float32), ctx=EvalContext(resolution=(0, 7)))
    assert result.shape == (7, 0, 1)


@pytest.mark.parametrize(("width_px", "height_px"), [(0, 3), (3, -1), (2**24 + 1, 3), (1.5, 3)])
def test_a_size_outside_its_range_is_refused(width_px: int, height_px: int) -> None:
    with pytest.raises(InvalidArgumentError, match=r"(width|height)_px: expected an integer in \[1, 16777216\]"):
        Resize(width_px, height_px)
