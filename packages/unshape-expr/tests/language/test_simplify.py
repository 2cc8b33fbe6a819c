"""Simplification keeps every bit and every slot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from unshape_expr import build as e
from unshape_expr.fold import folded
from unshape_expr.function_table import FunctionTable
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.rewrite import rebuilt, rewrite
from unshape_expr.simplify import merge_common, simplify, simplify_definition
from unshape_expr.structure import literal_values, structure_key
from unshape_expr.traverse import postorder
from unshape_expr.types import Type

K = e.input_scalar("k", Type.F32)
Outputs = tuple[Expr, ...]
BitsOf = Callable[[Outputs], list[list[tuple[str, ...]]]]
RandomParts = Callable[[int], list[Outputs]]


def differing(cases: list[Outputs], change: Callable[[Outputs], Outputs], bits: BitsOf) -> list[Outputs]:
    """Return the expressions whose values a change changes."""
    return [outputs for outputs in cases if bits(outputs) != bits(change(outputs))]


def test_simplified_expressions_have_the_same_bits(random_parts: RandomParts, bits: BitsOf) -> None:
    assert differing(random_parts(24), simplify, bits) == []


def test_merged_expressions_have_the_same_bits(random_parts: RandomParts, bits: BitsOf) -> None:
    assert differing(random_parts(10), merge_common, bits) == []


@pytest.mark.parametrize(("op", "least"), [(Op.DIV, 1), (Op.SUB, 1), (Op.LT, 1)])
def test_a_wrong_rule_is_found(op: Op, least: int, random_parts: RandomParts, bits: BitsOf) -> None:
    def swap(expr: Expr, args: Outputs) -> Expr:
        return rebuilt(expr, args[::-1] if expr.op is op else args)

    assert least <= len(differing(random_parts(20), lambda x: rewrite(x, swap), bits))


def test_no_more_operations_than_before(random_parts: RandomParts) -> None:
    for outputs in random_parts(60):
        assert len(postorder(simplify(outputs))) <= len(postorder(outputs))


def test_the_structure_does_not_depend_on_literals() -> None:
    keys = {structure_key(simplify([e.uv() * x + y])) for x, y in [(0, 0), (1, 0), (0.5, 0.5), (2, -1)]}
    assert len(keys) == 1


def test_equal_literals_stay_two_slots() -> None:
    assert literal_values(simplify([K * 0.5 + e.time() * 0.5])) == (0.5, 0.5)


def test_equal_operations_become_one() -> None:
    (total,) = simplify([e.fract(K * e.time()) + e.fract(K * e.time())])
    assert total.args[0] is total.args[1]


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda: e.vec3(K, e.time(), 1.0).y, Op.UNIFORM),
        (lambda: e.vec3(K).z, Op.SCALAR_INPUT),
        (lambda: e.vec2(K, K), Op.SPLAT),
        (lambda: e.input_pixel("c", Type.VEC3).xyz, Op.INPUT),
        (lambda: e.neg(-K), Op.SCALAR_INPUT),
        (lambda: e.floor(e.floor(K)), Op.FLOOR),
        (lambda: e.select(~(K < 1), K, e.time()), Op.SELECT),
        (lambda: e.select(K < 1, K, K), Op.SCALAR_INPUT),
        (lambda: e.bitcast_f32(e.bitcast_u32(K)), Op.SCALAR_INPUT),
        (lambda: e.min(K, K), Op.SCALAR_INPUT),
    ],
)
def test_operations_that_undo_each_other_vanish(build: Callable[[], Expr], expected: Op) -> None:
    (short,) = simplify([build()])
    assert expected is short.op
    assert not any(x.op is Op.NOT for x in postorder([short]))


@pytest.mark.parametrize(
    "build", [lambda: K * 0.0, lambda: K - K, lambda: K / K, lambda: K + 0.0, lambda: e.select(e.is_nan(K), 0.0, K)]
)
def test_what_nan_infinity_or_signed_zero_would_show_is_kept(build: Callable[[], Expr]) -> None:
    expr = build()
    assert [x.op for x in postorder([expr])] == [x.op for x in postorder(simplify([expr]))]


def test_definitions_of_all_functions_keep_their_bits(table: FunctionTable, bits: BitsOf) -> None:
    for function in table.functions():
        values = {Type.F32: 0.7, Type.I32: 3, Type.U32: 5}
        args = [e.literal(values.get(p.type, 0.7), p.type) for p in function.parameters]
        call = function(*args)

        def inside(definition: Expr, args: list[Expr] = args, names: Any = function.parameters) -> Expr:
            known = {p.name: a for p, a in zip(names, args, strict=True)}
            rule = lambda x, a: known[str(x.attr)] if x.op is Op.ARGUMENT else rebuilt(x, a)  # noqa: E731
            return rewrite((definition,), rule)[0]

        assert bits((call,)) == bits((inside(simplify_definition(function.definition)),)), function.name


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda a, b: a + b, np.float32(0.1) + np.float32(0.7)),
        (lambda a, b: a * b, np.float32(0.1) * np.float32(0.7)),
        (lambda a, b: a / b, np.float32(0.1) / np.float32(0.7)),
        (lambda a, b: a - b, np.float32(0.1) - np.float32(0.7)),
        (lambda a, b: e.sqrt(b), np.sqrt(np.float32(0.7))),
        (lambda a, b: -b, -np.float32(0.7)),
    ],
)
def test_folding_rounds_as_float32_does(build: Callable[[Expr, Expr], Expr], expected: np.float32) -> None:
    result = folded(build(e.literal(0.1), e.literal(0.7)))
    assert result.op is Op.CONST
    assert float(expected) == result.attr


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda a: a + 1, -(2**31)),
        (lambda a: -(-a - 1), -(2**31)),
        (lambda a: a << 1, -2),
        (lambda a: a >> 30, 1),
        (lambda a: ~a, -(2**31)),
    ],
)
def test_folded_integers_wrap(build: Callable[[Expr], Expr], expected: int) -> None:
    highest = e.literal(2**31 - 1, Type.I32)
    assert expected == simplify_definition(build(highest)).attr


@pytest.mark.parametrize("build", [lambda x: x / 0.0, lambda x: e.sqrt(x - 5.0), lambda x: x * float("inf") * 0.0])
def test_what_gives_nan_or_divides_by_zero_is_left_to_run_time(build: Callable[[Expr], Expr]) -> None:
    assert simplify_definition(build(e.literal(1.0))).op is not Op.CONST
