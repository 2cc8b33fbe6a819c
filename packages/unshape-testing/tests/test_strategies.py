"""Awkward arrays hold the same elements in another layout, and the sets of awkward things hold what they say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import GraphCase
from unshape_testing.laws import graphs
from unshape_testing.laws.expect import picture
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.special_cases import SIDES, integer_case, size_cases, special_cases
from unshape_testing.strategies import SPECIAL_VALUES, Layout, graph_cases, laid_out, picture_shapes, pictures


@pytest.mark.parametrize("layout", list(Layout))
def test_a_layout_keeps_the_elements(layout: Layout) -> None:
    array = picture(5, 7, 3)
    result = laid_out(array, layout)
    expected = np.broadcast_to(array[:1], array.shape) if layout is Layout.BROADCAST else array
    np.testing.assert_array_equal(expected, result)
    assert not np.shares_memory(array, result)


def test_layouts_are_what_their_names_say() -> None:
    made = {layout: laid_out(picture(5, 7, 3), layout) for layout in Layout}
    assert made[Layout.PLAIN].flags.c_contiguous
    assert made[Layout.FORTRAN].flags.f_contiguous
    assert made[Layout.TRANSPOSED].strides[0] < made[Layout.TRANSPOSED].strides[2]
    assert made[Layout.REVERSED].strides[0] < 0
    assert made[Layout.BROADCAST].strides[0] == 0
    assert not made[Layout.READ_ONLY].flags.writeable
    assert made[Layout.BIG_ENDIAN].dtype.byteorder == ">"
    assert not made[Layout.OFFSET].flags.aligned
    assert not made[Layout.STRIDED].flags.c_contiguous


@given(pictures())
@settings(max_examples=30, deadline=None)
def test_pictures_are_float32_of_one_to_four_channels(array: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> None:
    assert array.dtype.newbyteorder("=") == np.float32
    assert array.ndim == 3
    assert 1 <= array.shape[2] <= 4


@given(picture_shapes(max_side=16))
@settings(max_examples=30, deadline=None)
def test_shapes_keep_to_the_largest_side(shape: tuple[int, int, int]) -> None:
    assert max(shape[:2]) <= 16


@given(graph_cases())
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_graph_is_the_same_fused_and_on_two_devices(case: GraphCase) -> None:
    graphs.check_policies_agree((LoopbackBackend(), FakeBackend(cost=1)), case)


def test_special_values_discriminate() -> None:
    """Each class of number at which arithmetic goes wrong is there."""
    values = np.array(SPECIAL_VALUES, np.float32)
    assert np.isnan(values).any()
    assert {np.inf, -np.inf} <= set(values.tolist())
    assert np.signbit(values[values == 0]).tolist() == [False, True]
    assert ((values != 0) & (np.abs(values) < np.finfo(np.float32).tiny)).any()
    assert np.finfo(np.float32).max in values
    assert {0.5, 1.5, 2.5, -0.5} <= set(values.tolist())  # ties


def test_special_cases_are_many_and_of_different_names() -> None:
    names = [case.name for case in (*special_cases(), integer_case(), *size_cases())]
    assert len(set(names)) == len(names)
    assert {"special/min", "special/max", "special/sqrt", "special/pow_f32", "special/div"} <= set(names)
    assert {1, 7, 8, 9, 15, 16, 17} <= set(SIDES)
