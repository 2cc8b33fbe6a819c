"""Expressions built by Python's operators and by functions: types, broadcasting, errors."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from unshape_expr import build as e
from unshape_expr.errors import ExpressionError, ExpressionTypeError
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.types import Type

F = e.input_scalar("k", Type.F32)
I = e.input_scalar("n", Type.I32)  # noqa: E741 - one letter a type
U = e.seed()
B = e.preview()
V = e.input_pixel("color", Type.VEC3)


@pytest.mark.parametrize(
    ("build", "op", "result"),
    [
        (lambda: F + 1, Op.ADD, Type.F32),
        (lambda: 1 - F, Op.SUB, Type.F32),
        (lambda: V * 2.0, Op.MUL, Type.VEC3),
        (lambda: 2.0 / V, Op.DIV, Type.VEC3),
        (lambda: I // 3, Op.DIV, Type.I32),
        (lambda: F // 3, Op.FLOOR, Type.F32),
        (lambda: U % 7, Op.MOD, Type.U32),
        (lambda: F**2, Op.CALL, Type.F32),
        (lambda: 2**V, Op.CALL, Type.VEC3),
        (lambda: -I, Op.NEG, Type.I32),
        (lambda: abs(V), Op.ABS, Type.VEC3),
        (lambda: F < 1, Op.LT, Type.BOOL),
        (lambda: F > 1, Op.LT, Type.BOOL),
        (lambda: I <= 1, Op.LE, Type.BOOL),
        (lambda: e.eq(B, preview_again()), Op.EQ, Type.BOOL),
        (lambda: (F < 1) & B, Op.AND, Type.BOOL),
        (lambda: (F < 1) | B, Op.OR, Type.BOOL),
        (lambda: (F < 1) ^ B, Op.NE, Type.BOOL),
        (lambda: ~B, Op.NOT, Type.BOOL),
        (lambda: ~U, Op.BIT_NOT, Type.U32),
        (lambda: U & 0xFF, Op.BIT_AND, Type.U32),
        (lambda: 1 | I, Op.BIT_OR, Type.I32),
        (lambda: U ^ 0x9E3779B9, Op.BIT_XOR, Type.U32),
        (lambda: U << 3, Op.SHL, Type.U32),
        (lambda: I >> I, Op.SHR, Type.I32),
        (lambda: V.x, Op.COMPONENT, Type.F32),
        (lambda: V.zyx, Op.VEC, Type.VEC3),
        (lambda: V.rg, Op.VEC, Type.VEC2),
        (lambda: e.select(B, V, 0.0), Op.SELECT, Type.VEC3),
        (lambda: e.to_u32(F), Op.TO_U32, Type.U32),
        (e.uv, Op.VEC, Type.VEC2),
        (lambda: e.vec4(V, 1.0), Op.VEC, Type.VEC4),
        (lambda: e.vec3(F), Op.SPLAT, Type.VEC3),
        (lambda: e.min(F, 1, V), Op.MIN, Type.VEC3),
        (lambda: e.smoothstep(0.0, 1.0, V), Op.CALL, Type.VEC3),
    ],
)
def test_operators_build_operations_of_the_stated_type(build: Callable[[], Expr], op: Op, result: Type) -> None:
    expr = build()
    assert (op, result) == (expr.op, expr.type)


def preview_again() -> Expr:
    return e.preview()


def test_a_number_beside_a_vector_is_spread_over_it() -> None:
    total = V + 1
    assert [a.type for a in total.args] == [Type.VEC3, Type.VEC3]
    assert total.args[1].op is Op.SPLAT


def test_numbers_become_literals_of_the_other_type() -> None:
    assert [(x + 1).args[1].type for x in (I, U, F)] == [Type.I32, Type.U32, Type.F32]


def test_every_literal_is_a_slot_of_its_own() -> None:
    doubled = F * 2 + 2
    assert doubled.args[1] is not doubled.args[0].args[1]


@pytest.mark.parametrize("value", [1e39, -1e39, 10**400])
def test_literals_beyond_float32_are_infinite(value: float) -> None:
    assert np.inf == abs(e.literal(value).attr)  # type: ignore[arg-type]


def test_literals_are_rounded_to_float32() -> None:
    assert float(np.float32(0.1)) == e.literal(0.1).attr


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: F + I, ["add", "f32", "i32", "to_f32"]),
        (lambda: V + V.xy, ["add", "vec3", "vec2", ".xy"]),
        (lambda: I / 2, ["div", "i32", "//", "to_f32"]),
        (lambda: F & 1, ["bit_and", "f32", "i32"]),
        (lambda: F ^ 2, ["bit_xor", "**"]),
        (lambda: F << 1, ["shl", "f32", "to_u32"]),
        (lambda: B + B, ["add", "bool"]),
        (lambda: V.zyx > V, ["lt", "vec3"]),
        (lambda: U + (-1), ["-1", "u32", "4294967295"]),
        (lambda: I + 2**31, ["2147483648", "i32"]),
        (lambda: I + 0.5, ["0.5", "i32"]),
        (lambda: F + True, ["True", "f32"]),
        (lambda: V.w, ["vec3", "'w'"]),
        (lambda: I.x, ["i32", "'x'"]),
        (lambda: e.vec3(1, 2), ["vec3", "3 components", "2"]),
        (lambda: e.cross(V.xy, V.xy), ["cross", "vec3", "vec2"]),
        (lambda: e.select(True, F, F), ["select", "bool", "eq(a, b)"]),
        (lambda: e.select(F, F, F), ["select", "bool", "f32"]),
        (lambda: e.to_f32(V), ["to_f32", "vec3"]),
        (lambda: e.sample("color", V, type=Type.VEC3), ["vec2"]),
        (lambda: e.sample("color", e.uv(), type=Type.I32), ["texels", "i32"]),
        (lambda: e.smoothstep(0.0, 1.0), ["smoothstep", "'x'", "missing", "usage"]),
        (lambda: e.smoothstep(0.0, 1.0, F, F), ["smoothstep", "3", "4"]),
        (lambda: e.smoothstep(0.0, 1.0, F, y=F), ["'y'", "usage"]),
        (lambda: e.smoothstep(0.0, 1.0, F, x=F), ["'x'", "twice"]),
    ],
)
def test_type_errors_say_operation_expected_and_got(build: Callable[[], Expr], words: list[str]) -> None:
    with pytest.raises(ExpressionTypeError) as caught:
        build()
    assert [word for word in words if word not in str(caught.value)] == []
    assert "\n" not in str(caught.value)


def test_equality_compares_identity_and_its_answer_is_refused_as_a_condition() -> None:
    assert F == F  # noqa: PLR0124
    with pytest.raises(ExpressionTypeError, match=r"eq\(a, b\)"):
        e.select(F == I, F, 1.0)


@pytest.mark.parametrize("use", [bool, lambda x: x and F, lambda x: 0 < F < 1])
def test_an_expression_has_no_truth_value(use: Callable[[Expr], Any]) -> None:
    with pytest.raises(ExpressionTypeError, match="select"):
        use(F < 1)


def test_unknown_attributes_are_attribute_errors() -> None:
    assert not hasattr(F, "shape")
    assert not hasattr(F, "__array__")


@pytest.mark.parametrize("max_count", [-1, 65537, True])
def test_loops_are_bounded(max_count: int) -> None:
    with pytest.raises(ExpressionTypeError, match="max_count"):
        e.loop(1, [0.0], lambda i, s: s, max_count=max_count)


def test_loop_counts_are_equal_for_all_pixels() -> None:
    with pytest.raises(ExpressionTypeError, match="pixel's column"):
        e.loop(e.pixel_x(), [0.0], lambda i, s: s, max_count=4)
    e.loop(I + e.frame(), [0.0], lambda i, s: s, max_count=4)


def test_a_loop_body_returns_as_many_values_as_are_carried() -> None:
    with pytest.raises(ExpressionTypeError, match="2 carried values, got 1"):
        e.loop(1, [0.0, 1.0], lambda i, s, t: s, max_count=4)
    with pytest.raises(ExpressionTypeError, match="carried value 0: expected f32, got vec3"):
        e.loop(1, [0.0], lambda i, s: V, max_count=4)
    with pytest.raises(ExpressionTypeError, match="at least one"):
        e.loop(1, [], lambda i: [], max_count=4)


def test_errors_are_of_the_expression_tree() -> None:
    assert issubclass(ExpressionTypeError, ExpressionError)
    assert issubclass(ExpressionTypeError, TypeError)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "mod"])
def test_operators_work_from_the_right(name: str, number: Callable[[Expr], Any]) -> None:
    function = getattr(operator, name)
    assert np.float32(function(np.float32(3.0), np.float32(0.7))) == number(function(3.0, F))
