"""The difference of two results counts bits, ulp and levels as defined."""

from __future__ import annotations

import numpy as np
import pytest

from unshape_backend.difference import difference

F = np.float32


def test_equal_bits_and_equal_nans_are_no_difference() -> None:
    a = np.array([1.0, np.nan, np.inf, -0.0], F)
    assert difference(a, a.copy()).is_equal


def test_signed_zeros_differ_by_one_step() -> None:
    found = difference(np.array([0.0], F), np.array([-0.0], F))
    assert (found.differing, found.max_ulp, found.max_absolute) == (1, 1, 0.0)


@pytest.mark.parametrize("start", [1.0, -1.0, 0.0, 1e-40, -3e38])
def test_three_steps_of_nextafter_are_three_ulp(start: float) -> None:
    a = np.array([start], F)
    b = a
    for _ in range(3):
        b = np.nextafter(b, F(np.inf))
    expected = 3 + (start <= 0.0 < float(b[0]) and start < 0.0)
    assert difference(a, b).max_ulp == expected


def test_a_lonely_nan_is_infinitely_far() -> None:
    found = difference(np.array([np.nan, 1.0], F), np.array([0.0, 1.0], F))
    assert (found.differing, found.max_absolute, found.first) == (1, np.inf, (0,))


def test_levels_are_those_of_an_8_bit_picture() -> None:
    found = difference(np.array([0.5, 2.0], F), np.array([0.5 + 1.01 / 255, 3.0], F))
    assert (found.differing_8bit, found.max_8bit) == (1, 1)


def test_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="equal shape"):
        difference(np.zeros(3, F), np.zeros(4, F))
