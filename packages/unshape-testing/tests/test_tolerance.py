"""Results that are equal pass; a result that differs in a bit, a sign, a shape or a type does not."""

from __future__ import annotations

import numpy as np
import pytest

from unshape_core.value import Value, Vec2
from unshape_testing.tolerance import assert_same_bits, assert_within, is_same_bits

ONE = np.float32(1.0)
NEXT = np.nextafter(ONE, np.float32(2.0), dtype=np.float32)


def test_nan_equals_nan_of_another_pattern() -> None:
    quiet, other = np.array([0x7FC00000, 0xFFC01234], np.uint32).view(np.float32)
    assert_same_bits([np.array([quiet])], [np.array([other])])


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        pytest.param(np.array([ONE]), np.array([NEXT]), id="one-ulp"),
        pytest.param(np.array([0.0], np.float32), np.array([-0.0], np.float32), id="sign-of-zero"),
        pytest.param(np.array([np.nan], np.float32), np.array([ONE]), id="nan-beside-a-number"),
        pytest.param(np.zeros((2, 1)), np.zeros((1, 2)), id="shape"),
        pytest.param(np.zeros((1,)), np.zeros((3,)), id="broadcast"),
        pytest.param(np.zeros(2, np.float32), np.zeros(2, np.float64), id="dtype"),
        pytest.param(1.0, 1, id="float-and-int"),
        pytest.param(True, 1, id="bool-and-int"),
        pytest.param(0.0, -0.0, id="scalar-zeros"),
        pytest.param(Vec2(1.0, 2.0), np.array([1.0, 2.0], np.float32), id="vector-and-array"),
    ],
)
def test_a_difference_is_noticed(expected: Value, actual: Value) -> None:
    assert not is_same_bits(expected, actual)


def test_a_missing_output_is_noticed() -> None:
    with pytest.raises(AssertionError, match="expected 2 outputs, got 1"):
        assert_same_bits([1.0, 2.0], [1.0])


def test_the_message_names_the_first_element_that_differs() -> None:
    left = np.zeros((2, 3), np.float32)
    right = left.copy()
    right[1, 2] = 0.5
    with pytest.raises(AssertionError, match=r"blur: .* 1 of 6 elements .* first at \[1, 2\]"):
        assert_same_bits([left], [right], what="blur")


def test_a_bound_in_ulp_includes_the_bound_and_not_one_more() -> None:
    assert_within([np.array([ONE])], [np.array([NEXT])], ulp=1, absolute=0.0)
    with pytest.raises(AssertionError, match="at most 0 ulp"):
        assert_within([np.array([ONE])], [np.array([NEXT])], ulp=0, absolute=0.0)


def test_an_absolute_distance_is_allowed_element_by_element() -> None:
    expected = np.array([1e-30, 1.0], np.float32)
    assert_within([expected], [np.array([-1e-30, 1.0], np.float32)], ulp=0, absolute=1e-20)
    with pytest.raises(AssertionError):
        assert_within([expected], [np.array([-1e-30, NEXT], np.float32)], ulp=0, absolute=1e-20)


def test_nan_is_within_no_bound_of_a_number() -> None:
    with pytest.raises(AssertionError):
        assert_within([np.array([ONE])], [np.array([np.nan], np.float32)], ulp=10**6, absolute=10.0)


def test_two_levels_of_8_bits_are_too_many_whatever_the_ulp() -> None:
    near = np.array([0.5 + 2 / 255], np.float32)
    with pytest.raises(AssertionError, match="8-bit"):
        assert_within([np.array([0.5], np.float32)], [near], ulp=10**8, absolute=0.0)


def test_integers_must_be_equal_within_any_bound() -> None:
    with pytest.raises(AssertionError):
        assert_within([np.array([1])], [np.array([2])], ulp=10, absolute=10.0)
