"""Borders against numpy.pad."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import NUMPY_MODES

from unshape_image import Border
from unshape_image.borders import border_indices, border_range


@given(size=st.integers(1, 9), before=st.integers(0, 40), after=st.integers(0, 40), border=st.sampled_from(Border))
def test_indices_are_those_of_numpy_pad(size: int, before: int, after: int, border: Border) -> None:
    texels = np.arange(1, size + 1)
    expected = np.pad(texels, (before, after), mode=NUMPY_MODES[border])  # type: ignore[call-overload]
    indices = border_indices(-before, size + after, size, border)
    np.testing.assert_array_equal(np.where(indices < 0, 0, texels[indices]), expected)


@given(start=st.integers(-30, 30), length=st.integers(0, 30), size=st.integers(1, 9), border=st.sampled_from(Border))
def test_the_range_holds_exactly_the_texels_that_are_read(start: int, length: int, size: int, border: Border) -> None:
    indices = border_indices(start, start + length, size, border)
    inside = indices[indices >= 0].tolist()
    low, high = border_range(start, start + length, size, border)
    assert (low, high) == ((min(inside), max(inside) + 1) if inside else (0, 0))


@pytest.mark.parametrize("border", list(Border))
def test_an_empty_picture_is_not_read(border: Border) -> None:
    assert border_range(-3, 3, 0, border) == (0, 0)
