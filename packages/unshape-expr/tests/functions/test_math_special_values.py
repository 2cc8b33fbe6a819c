"""Special arguments of the mathematical functions: those of IEEE 754 and of C's mathematical library."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest

from unshape_expr import build as b
from unshape_expr import math_functions as mf
from unshape_expr.functions import Function
from unshape_expr.types import Type
from unshape_testing.picture_evaluator import PictureCase

INF, NAN, PI = math.inf, math.nan, math.pi
SMALLEST_NORMAL = 2.0**-126
LARGEST = (2 - 2.0**-23) * 2.0**127


def bits(value: float) -> str:
    return "nan" if math.isnan(value) else struct.pack("<f", value).hex()


def one(function: Function, *arguments: float) -> float:
    """Return a function's value over pixels."""
    env: dict[str, Any] = {f"a{k}": np.array([[[v]]], np.float32) for k, v in enumerate(arguments)}
    (result,) = PictureCase(env, width=1, height=1).run([function(*[b.input_pixel(n, Type.F32) for n in env])])
    return float(result.item())


CASES: dict[Function, list[tuple[float, float]]] = {
    mf.exp2: [(0, 1), (-0.0, 1), (1, 2), (10, 1024), (-126, SMALLEST_NORMAL), (-126.5, 0), (128, INF), (INF, INF)],
    mf.exp: [(0, 1), (-0.0, 1), (89, INF), (-88, 0), (INF, INF), (-INF, 0)],
    mf.log2: [(1, 0), (2, 1), (0.5, -1), (1024, 10), (2.0**-149, -149), (2.0**127, 127), (0, -INF), (-0.0, -INF)],
    mf.log: [(1, 0), (0, -INF), (-0.0, -INF), (INF, INF)],
    mf.log10: [(1, 0), (10, 1), (1000, 3), (0, -INF), (INF, INF)],
    mf.sin: [(0, 0), (-0.0, -0.0), (5e6, 0), (-5e6, -0.0), (3e38, 0)],
    mf.cos: [(0, 1), (-0.0, 1), (5e6, 1), (3e38, 1)],
    mf.tan: [(0, 0), (-0.0, -0.0), (5e6, 0)],
    mf.asin: [(0, 0), (-0.0, -0.0), (1, PI / 2), (-1, -PI / 2)],
    mf.acos: [(1, 0), (-1, PI), (0, PI / 2)],
    mf.atan: [(0, 0), (-0.0, -0.0), (INF, PI / 2), (-INF, -PI / 2)],
    mf.sinh: [(0, 0), (-0.0, -0.0), (90, INF), (-90, -INF), (INF, INF), (-INF, -INF)],
    mf.cosh: [(0, 1), (-0.0, 1), (90, INF), (-90, INF), (INF, INF), (-INF, INF)],
    mf.tanh: [(0, 0), (-0.0, -0.0), (20, 1), (-20, -1), (INF, 1), (-INF, -1)],
    mf.cbrt: [(0, 0), (-0.0, -0.0), (8, 2), (-27, -3), (2.0**-147, 2.0**-49), (INF, INF), (-INF, -INF)],
    mf.expm1: [(0, 0), (-0.0, -0.0), (2.0**-140, 2.0**-140), (89, INF), (-200, -1), (INF, INF), (-INF, -1)],
    mf.log1p: [(0, 0), (-0.0, -0.0), (-(2.0**-140), -(2.0**-140)), (-1, -INF), (INF, INF)],
    mf.asinh: [(0, 0), (-0.0, -0.0), (2.0**-140, 2.0**-140), (INF, INF), (-INF, -INF)],
    mf.acosh: [(1, 0), (INF, INF)],
    mf.atanh: [(0, 0), (-0.0, -0.0), (1, INF), (-1, -INF)],
}
NAN_OF: dict[Function, list[float]] = {
    mf.log2: [-1, -INF, -1e-40],
    mf.log: [-1, -INF],
    mf.log10: [-1, -INF],
    mf.sin: [INF, -INF],
    mf.cos: [INF, -INF],
    mf.tan: [INF, -INF],
    mf.asin: [1.0000001, -2, INF],
    mf.acos: [1.0000001, -2, -INF],
    mf.log1p: [-1.0000001, -2, -INF],
    mf.acosh: [0.9999999, 0, -1, -INF],
    mf.atanh: [1.0000001, -2, INF, -INF],
}


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.name)
def test_exact_and_special_arguments(function: Function) -> None:
    for argument, expected in CASES[function]:
        assert bits(expected) == bits(one(function, argument)), argument


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.name)
def test_nan_and_arguments_outside_of_the_domain_give_nan(function: Function) -> None:
    for argument in (NAN, *NAN_OF.get(function, [])):
        assert math.isnan(one(function, argument)), argument


POW: list[tuple[float, float, float]] = [
    *[(x, 0.0, 1.0) for x in (0.0, -0.0, 1.0, -2.0, INF, -INF, NAN)],
    *[(x, -0.0, 1.0) for x in (0.0, 3.0, NAN)],
    *[(1.0, y, 1.0) for y in (0.5, -7.0, INF, -INF, NAN)],
    *[(-1.0, y, 1.0) for y in (INF, -INF, 2.0)],
    (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (0.0, 2.5, 0.0), (-0.0, 2.0, 0.0), (-0.0, 2.5, 0.0),
    (0.0, -3.0, INF), (-0.0, -3.0, -INF), (0.0, -2.0, INF), (-0.0, -2.0, INF), (-0.0, -0.5, INF),
    (0.0, INF, 0.0), (0.0, -INF, INF), (-0.0, -INF, INF),
    (0.5, INF, 0.0), (0.5, -INF, INF), (2.0, INF, INF), (2.0, -INF, 0.0), (-2.0, INF, INF), (-0.5, INF, 0.0),
    (INF, 0.1, INF), (INF, -0.1, 0.0), (INF, INF, INF), (INF, -INF, 0.0),
    (-INF, 3.0, -INF), (-INF, 2.0, INF), (-INF, 0.5, INF), (-INF, -3.0, -0.0), (-INF, -2.0, 0.0), (-INF, -0.5, 0.0),
    (-2.0, 3.0, -8.0), (-2.0, 2.0, 4.0), (-2.0, -1.0, -0.5), (-8.0, 16777217.0, INF), (-1.0, 16777215.0, -1.0),
    (2.0, 10.0, 1024.0), (2.0, -125.0, 2.0**-125), (4.0, 0.5, 2.0), (2.0, 127.0, 2.0**127),
    (2.0, 128.0, INF), (10.0, 39.0, INF), (10.0, -39.0, 0.0), (2.0**-149, 0.5, 2.0**-74.5), (LARGEST, 1.0, INF),
]  # fmt: skip
POW_NAN = [(-2.0, 0.5), (-1.0, 1.5), (NAN, 1.0), (2.0, NAN), (0.0, NAN), (INF, NAN), (-1e-40, 0.5), (NAN, NAN)]


@pytest.mark.parametrize(("x", "y", "expected"), POW)
def test_powers_of_special_arguments(x: float, y: float, expected: float) -> None:
    got = one(mf.pow, x, y)
    if math.isfinite(expected) and expected not in {0.0, 1.0, -1.0}:
        assert got == pytest.approx(expected, rel=4e-7)
    else:
        assert bits(expected) == bits(got)


@pytest.mark.parametrize(("x", "y"), POW_NAN)
def test_powers_without_a_real_value_are_nan(x: float, y: float) -> None:
    assert math.isnan(one(mf.pow, x, y))


@pytest.mark.parametrize("y", [0.0, -0.0, 1.0, -1.0, INF, -INF])
@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -1.0, INF, -INF])
def test_angles_of_special_points_are_those_of_the_c_library(y: float, x: float) -> None:
    expected, got = math.atan2(y, x), one(mf.atan2, y, x)
    if abs(x) == abs(y) and x != 0:  # an odd multiple of pi/4
        assert got == pytest.approx(expected, rel=2.0**-23)
    else:
        assert bits(float(np.float32(expected))) == bits(got)


@pytest.mark.parametrize(("y", "x"), [(NAN, 1.0), (1.0, NAN), (NAN, NAN)])
def test_the_angle_of_nan_is_nan(y: float, x: float) -> None:
    assert math.isnan(one(mf.atan2, y, x))


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.name)
def test_no_result_is_below_the_smallest_normal_number_but_zero_and_odd_functions_of_subnormal_ones(
    function: Function,
) -> None:
    values = np.concatenate([np.linspace(-200, 200, 4001), np.geomspace(1e-37, 1e38, 997)]).astype(np.float32)
    (result,) = PictureCase({"x": values.reshape(1, -1, 1)}, width=len(values), height=1).run(
        [function(b.input_pixel("x", Type.F32))]
    )
    magnitude = np.abs(result[np.isfinite(result)])
    assert not np.any((magnitude > 0) & (magnitude < SMALLEST_NORMAL))


@pytest.mark.parametrize("function", [mf.sin, mf.cos, mf.tanh], ids=lambda f: f.name)
def test_results_stay_in_range_for_every_magnitude(function: Function) -> None:
    values = np.geomspace(1e-38, 3e38, 20011).astype(np.float32)
    (result,) = PictureCase({"x": values.reshape(1, -1, 1)}, width=len(values), height=1).run(
        [function(b.input_pixel("x", Type.F32))]
    )
    assert np.all(np.abs(result) <= 1.0 + 1e-6)


@pytest.mark.parametrize(
    "function", [mf.sin, mf.tan, mf.asin, mf.atan, mf.sinh, mf.tanh, mf.cbrt], ids=lambda f: f.name
)
def test_odd_functions_are_odd_bit_for_bit(function: Function) -> None:
    values = np.geomspace(1e-45, 1.0, 5003).astype(np.float32).reshape(1, -1, 1)
    x = b.input_pixel("x", Type.F32)
    positive, negative = PictureCase({"x": values}, width=5003, height=1).run([function(x), function(-x)])
    assert np.array_equal(positive.view(np.uint32) ^ 0x80000000, negative.view(np.uint32))


@pytest.mark.parametrize("function", [mf.exp2, mf.log2, mf.atan, mf.cbrt], ids=lambda f: f.name)
def test_neighbouring_arguments_are_never_more_than_two_ulp_out_of_order(function: Function) -> None:
    values = np.linspace(0.5, 2.0, 100001).astype(np.float32).reshape(1, -1, 1)
    (result,) = PictureCase({"x": values}, width=100001, height=1).run([function(b.input_pixel("x", Type.F32))])
    steps = np.diff(result[0, :, 0].astype(np.float64))
    assert float(steps.min()) > -2.0 * 2.0**-23


def test_vectors_are_computed_component_by_component() -> None:
    values = np.array([[[0.1, 0.5, 2.0, 7.0]]], np.float32)
    (vector,) = PictureCase({"v": values}, width=1, height=1).run([mf.pow(b.input_pixel("v", Type.VEC4), 2.2)])
    for component, argument in zip(vector[0, 0], values[0, 0], strict=True):
        assert bits(one(mf.pow, float(argument), 2.2)) == bits(float(component))
