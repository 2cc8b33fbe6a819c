"""Kernels without pixels: the same bits as with pixels, in Python numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from unshape_core.errors import InvalidArgumentError
from unshape_core.value import Vec3, Vec4
from unshape_expr import build as b
from unshape_expr import math_functions as mf
from unshape_expr.interpret.scalar_kernel import compile_scalar_kernel
from unshape_expr.ir import Expr
from unshape_expr.lower import lower
from unshape_expr.types import Type
from unshape_testing.picture_evaluator import PictureCase, same_bits

X, Y = b.input_scalar("x", Type.F32), b.input_scalar("y", Type.F32)
VALUES = [0.0, -0.0, 1.0, -1.0, 0.3, 2.5, -2.5, 7.75, 3e38, 1e-40, 1e10, math.inf, -math.inf, math.nan]


def expressions(x: Expr, y: Expr) -> list[Expr]:
    i, j = b.to_i32(x * 1000.0), b.to_i32(y)
    u, v = b.to_u32(x), b.bitcast_u32(y)
    floats = [
        x + y, x - y, x * y, x / y, x % y, -x, abs(x), b.min(x, y), b.max(x, y), b.floor(x), b.ceil(x), b.trunc(x),
        b.round(x), b.sqrt(x), b.select(b.lt(x, y), x, 2.0), b.bitcast_f32(v ^ 1), mf.pow(x, y), mf.sin(x),
        mf.atan2(x, y),
    ]  # fmt: skip
    integers = [i + j, i - j, i * j, i // j, i % j, -i, abs(i), i & j, i | j, i ^ j, ~i, i << 3, i >> 2, b.min(i, j)]
    unsigned = [u + v, u - v, u * v, u // v, u % v, ~u, u << 5, v >> 7, b.max(u, v), -u]
    tests = [
        b.eq(x, y),
        b.ne(x, y),
        b.lt(x, y),
        b.le(x, y),
        ~b.lt(x, y),
        b.lt(x, y) & b.lt(i, j),
        b.eq(i, j) | b.lt(u, v),
    ]
    (total, last) = b.loop(b.to_i32(y), [x, 0.0], lambda k, s, t: (s * 0.5 + b.to_f32(k), s + t), max_count=6)
    return [*floats, *[b.to_f32(e) for e in (*integers, *unsigned, *tests)], total, last]


@pytest.mark.parametrize("x", VALUES)
def test_numbers_and_pictures_give_the_same_bits(x: float) -> None:
    kernel = lower(expressions(X, Y))
    compiled = compile_scalar_kernel(kernel.kernel)
    for y in VALUES:
        values = {"x": np.array([[[x]]], np.float32), "y": np.float32(y)}
        over_pixels = expressions(b.input_pixel("x", Type.F32), Y)
        pictures = PictureCase(values, width=1, height=1).directly(over_pixels)
        numbers = compiled(kernel.slot_values, {"x": x, "y": y}, {})
        for number, picture in zip(numbers, pictures, strict=True):
            assert isinstance(number, float)
            assert same_bits(np.array([[[number]]], np.float32), picture), (x, y)


def test_every_number_is_a_float32() -> None:
    kernel = lower([X + 0.1, X / 3.0, mf.exp(X)])
    for number in compile_scalar_kernel(kernel.kernel)(kernel.slot_values, {"x": 0.7}, {}):
        assert isinstance(number, float)
        assert number == float(np.float32(number))


def test_vectors_integers_and_conditions_come_back_as_values() -> None:
    color = b.input_scalar("color", Type.VEC3)
    outputs = [color * 2.0, b.vec4(1.0), b.to_i32(X), b.lt(X, 0.0), b.component(color, 1)]
    kernel = lower(outputs)
    compiled = compile_scalar_kernel(kernel.kernel)
    found = compiled(kernel.slot_values, {"color": Vec3(1.0, 2.0, 3.0), "x": -4.5}, {})
    assert found == (Vec3(2.0, 4.0, 6.0), Vec4(1.0, 1.0, 1.0, 1.0), -4, True, 2.0)
    assert [type(v) for v in found[2:]] == [int, bool, float]


def test_a_pixel_in_a_scalar_is_refused() -> None:
    kernel = lower([b.to_f32(b.pixel_x())])
    with pytest.raises(InvalidArgumentError, match="got one that depends on the pixel"):
        compile_scalar_kernel(kernel.kernel)


def test_names_of_users_never_become_code() -> None:
    name = "x); import os; ("
    kernel = lower([b.input_scalar(name, Type.F32) + 1.0])
    assert compile_scalar_kernel(kernel.kernel)(kernel.slot_values, {name: 1.0}, {}) == (2.0,)


@pytest.mark.parametrize("value", [Vec4(0, 0, 0, 0), 1.0])
def test_a_value_of_another_type_is_refused(value: Any) -> None:
    kernel = lower([b.input_scalar("color", Type.VEC3) * 2.0])
    with pytest.raises(InvalidArgumentError, match="input 'color': expected vec3"):
        compile_scalar_kernel(kernel.kernel)(kernel.slot_values, {"color": value}, {})
