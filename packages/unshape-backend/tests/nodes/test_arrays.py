"""The array nodes against NumPy, exact sums and a second derivation of their order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_backend.nodes import AddArrays, ArrayMaximum, ArrayMinimum, MatrixProduct, Mean, ScaleArray, Sum
from unshape_backend.nodes.arrays import tree_sum
from unshape_core.cancellation import CancellationToken
from unshape_core.context import EvalContext
from unshape_core.errors import Cancelled, InvalidArgumentError
from unshape_core.spec import ValueSpec
from unshape_core.value_type import BOOL, TEXTURE, ArrayType

CTX = EvalContext()


def product_of(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.asarray(MatrixProduct().execute((a, b), CTX)[0])


LINE = ArrayType("float32", ("x",))
LINE64 = ArrayType("float64", ("x",))
BYTES = ArrayType("uint8", ("x",))


def in_order_of_a_tree(values: list[np.float32]) -> np.float32:
    """Add neighbours recursively: another way to write the same order down."""
    if len(values) == 1:
        return values[0]
    paired = [values[k] + values[k + 1] if k + 1 < len(values) else values[k] for k in range(0, len(values), 2)]
    return in_order_of_a_tree(paired)


@given(st.lists(st.floats(-1000, 1000, width=32), min_size=1, max_size=70))
@settings(deadline=None)
def test_a_sum_is_taken_as_a_tree_over_neighbours(values: list[float]) -> None:
    array = np.array(values, np.float32)
    assert in_order_of_a_tree(list(array)) == tree_sum(array)


@pytest.mark.parametrize("size", [1, 2, 3, 255, 256, 257, 100_003])
def test_a_sum_is_near_the_exact_one(size: int) -> None:
    values = np.random.default_rng(1).normal(size=size).astype(np.float32)
    exact = math.fsum(map(float, values))
    bound = math.fsum(map(abs, map(float, values))) * 2.0**-24 * (math.log2(size) + 1)
    assert abs(Sum(LINE).execute((values,), CTX)[0] - exact) <= bound  # type: ignore[operator]


def test_reductions_of_pictures_take_all_elements() -> None:
    picture = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert Sum().execute((picture,), CTX) == (276.0,)
    assert Mean().execute((picture,), CTX) == (11.5,)
    assert (ArrayMinimum().execute((picture,), CTX), ArrayMaximum().execute((picture,), CTX)) == ((0.0,), (23.0,))


def test_reductions_of_float64_keep_its_digits() -> None:
    values = np.array([1.0, 2.0**-50], np.float64)
    assert Sum(LINE64).execute((values,), CTX) == (1.0 + 2.0**-50,)


@pytest.mark.parametrize("node", [ArrayMinimum(LINE), ArrayMaximum(LINE), Sum(LINE), Mean(LINE)])
def test_nan_is_not_lost_in_a_reduction(node: Sum) -> None:
    result = node.execute((np.array([1.0, np.nan, 3.0], np.float32),), CTX)[0]
    assert isinstance(result, float)
    assert math.isnan(result)


def test_the_sum_of_nothing_is_zero_and_the_mean_of_nothing_is_refused() -> None:
    empty = np.zeros(0, np.float32)
    assert Sum(LINE).execute((empty,), CTX) == (0.0,)
    for node in (Mean(LINE), ArrayMinimum(LINE), ArrayMaximum(LINE)):
        with pytest.raises(InvalidArgumentError, match="at least one element"):
            node.execute((empty,), CTX)


def test_sums_of_arrays_wrap_as_their_elements_do() -> None:
    a = np.array([250, 3], np.uint8)
    result = np.asarray(AddArrays(BYTES).execute((a, np.array([10, 3], np.uint8)), CTX)[0])
    assert np.array_equal(np.array([4, 6], np.uint8), result)


def test_a_factor_is_rounded_to_the_element_type_first() -> None:
    a = np.array([3.0], np.float32)
    assert ScaleArray(LINE).execute((a, 0.1), CTX)[0] == np.float32(3.0) * np.float32(0.1)


def test_arrays_of_different_shapes_are_refused() -> None:
    specs = [ValueSpec(LINE, (3,)), ValueSpec(LINE, (4,))]
    with pytest.raises(InvalidArgumentError, match=r"\[3\] and \[4\]"):
        AddArrays(LINE).infer(specs, CTX)


@pytest.mark.parametrize("value_type", [BYTES, BOOL])
def test_reductions_are_of_floats(value_type: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="float32 or float64"):
        Sum(value_type)


def one_after_the_other(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> npt.NDArray[Any]:
    product = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total = np.float32(total + np.float32(a[i, k] * b[k, j]))
            product[i, j] = total
    return product


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 2), (2, 0, 3), (0, 2, 2), (17, 9, 13)])
def test_a_matrix_product_adds_in_the_order_of_the_inner_index(shape: tuple[int, int, int]) -> None:
    rows, inner, columns = shape
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(rows, inner)).astype(np.float32), rng.normal(size=(inner, columns)).astype(np.float32)
    assert np.array_equal(one_after_the_other(a, b), product_of(a, b))


def test_a_matrix_product_is_the_same_in_one_block_and_in_many() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(40, 7)).astype(np.float32), rng.normal(size=(7, 3000)).astype(np.float32)
    product = product_of(a, b)
    assert np.allclose(a.astype(np.float64) @ b, product, atol=1e-5)
    assert np.array_equal(product_of(a[31:], b), product[31:])


def test_matrices_that_do_not_fit_are_refused() -> None:
    matrix = ArrayType("float32", ("row", "column"))
    with pytest.raises(InvalidArgumentError, match="2 x 3 and 4 x 5"):
        MatrixProduct().infer([ValueSpec(matrix, (2, 3)), ValueSpec(matrix, (4, 5))], CTX)


def test_a_long_matrix_product_can_be_cancelled() -> None:
    token = CancellationToken()
    token.cancel()
    a = np.ones((4, 4), np.float32)
    with pytest.raises(Cancelled):
        MatrixProduct().execute((a, a), EvalContext(cancellation=token))


def test_unknown_shapes_stay_unknown() -> None:
    assert AddArrays(LINE).infer([ValueSpec(LINE), ValueSpec(LINE, (3,))], CTX) == (ValueSpec(LINE),)
    assert Sum(TEXTURE).infer([ValueSpec(TEXTURE)], CTX)[0].elements == 1
