"""Faults of numbers, through whole graphs on every backend that promises the definition's bits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

Formula = Callable[..., dict[str, npt.NDArray[np.float32]]]


def bits(array: npt.ArrayLike) -> bytes:
    return np.asarray(array, np.float32).tobytes()


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_given_at_run_time_survives_a_product(formula: Formula, value: float) -> None:
    for name, found in formula("x*k", [1.0, -2.0, 0.5], k=value).items():
        assert [value, -value, value] == found.tolist(), name


def test_a_literal_beyond_float32_is_infinite(formula: Formula) -> None:
    for name, found in formula("x + 1e39", [1.0, -1e38]).items():
        assert [np.inf, np.inf] == found.tolist(), name


def test_a_check_for_nan_is_not_optimised_away(formula: Formula) -> None:
    for name, found in formula("select(is_nan(x), 7.0, x)", [1.0, np.nan, -np.nan, np.inf]).items():
        assert [1.0, 7.0, 7.0, np.inf] == found.tolist(), name


def test_the_branch_not_taken_does_not_leak(formula: Formula) -> None:
    for name, found in formula("select(x > 0.0, x, 0.0/(x*0.0))", [1.0, 3.0]).items():
        assert [1.0, 3.0] == found.tolist(), name


def test_floor_of_the_root_of_a_square_is_exact(formula: Formula) -> None:
    k = np.arange(1, 4097, dtype=np.float32)
    for name, found in formula("floor(sqrt(x*x))", k).items():
        assert k.tolist() == found.tolist(), name


def test_products_are_not_contracted(formula: Formula) -> None:
    # a*a is 1.00048834085... exactly, and 1.00048828125 once rounded to float32
    for name, found in formula("x*x - c", [1.000244140625], c=1.00048828125).items():
        assert [0.0] == found.tolist(), name


def test_integers_divide_towards_the_floor_and_by_zero_to_zero(formula: Formula) -> None:
    x = [7.0, -7.0, 7.0, -7.0, 5.0]
    by = [2.0, 2.0, -2.0, -2.0, 0.0]
    expected = [3.0, -4.0, -4.0, 3.0, 0.0]
    for divisor in set(by):
        rows = [i for i, each in enumerate(by) if each == divisor]
        found = formula("to_f32(to_i32(x) // to_i32(k))", [x[i] for i in rows], k=divisor)
        for name, values in found.items():
            assert [expected[i] for i in rows] == values.tolist(), name


def test_the_smallest_integer_divided_by_minus_one_is_itself(formula: Formula) -> None:
    for name, found in formula("to_f32(to_i32(x) // to_i32(k))", [-(2.0**31)], k=-1.0).items():
        assert [-(2.0**31)] == found.tolist(), name


def test_minimum_and_maximum_are_nan_if_an_argument_is(formula: Formula) -> None:
    for operation in ("min", "max"):
        for text in (f"{operation}(x, k)", f"{operation}(k, x)"):
            for name, found in formula(text, [np.nan, 1.0], k=2.0).items():
                assert np.isnan(found[0]), (name, text)
                assert not np.isnan(found[1]), (name, text)


def test_signed_zeros_keep_their_sign(formula: Formula) -> None:
    for name, found in formula("x*k", [0.0, -0.0, 1.0], k=-0.0).items():
        assert bits([-0.0, 0.0, -0.0]) == bits(found), name
