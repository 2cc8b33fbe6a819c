"""Text, JSON and pickles carry expressions without loss."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_expr import build as e
from unshape_expr.errors import ExpressionFileError, ExpressionSyntaxError
from unshape_expr.ir import Expr
from unshape_expr.json_form import dumps, from_json, loads, to_json
from unshape_expr.lower import lower
from unshape_expr.parse import parse
from unshape_expr.printing import to_text
from unshape_expr.scope import Scope
from unshape_expr.structure import is_same_expression
from unshape_expr.traverse import postorder
from unshape_expr.types import Type
from unshape_testing.random_expressions import Leaves, random_expression

PICTURES = {"color": Type.VEC3, "map": Type.F32}
NUMBERS = {"k": Type.F32, "n": Type.I32}
SCOPE = Scope.of(pictures=PICTURES, numbers=NUMBERS)
LEAVES = Leaves(pictures=PICTURES, scalars=NUMBERS)
K = e.input_scalar("k", Type.F32)

expressions = st.builds(
    lambda rng, size, result: random_expression(rng, LEAVES, size=size, result=result),
    st.randoms(use_true_random=False),
    st.integers(0, 30),
    st.sampled_from([Type.F32, Type.VEC2, Type.VEC4]),
)


@settings(deadline=None, max_examples=60)
@given(expressions)
def test_text_json_and_pickle_give_the_expression_back(expr: Expr) -> None:
    text = to_text(expr)
    assert is_same_expression(expr, parse(text, scope=SCOPE)), text
    assert is_same_expression(expr, from_json(json.loads(dumps(expr))))
    assert is_same_expression(expr, pickle.loads(pickle.dumps(expr)))


@settings(deadline=None, max_examples=30)
@given(expressions)
def test_text_after_json_after_text_is_one_text(expr: Expr) -> None:
    (again,) = loads(dumps(parse(to_text(expr), scope=SCOPE)))
    assert to_text(parse(to_text(expr), scope=SCOPE)) == to_text(again)


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row.update(value=0.75) if row["op"] == "const" and row["type"] == "f32" else None,
        lambda row: row.update(op="sub") if row["op"] == "add" else None,
        lambda row: row.update(name="time_s") if row.get("name") == "dt_s" else None,
        lambda row: row.update(args=row["args"][::-1]) if row["op"] == "div" else None,
    ],
)
def test_a_changed_row_is_another_expression(change: Callable[[dict[str, Any]], None]) -> None:
    expr = (K * 0.5 + e.dt()) / K
    form = to_json(expr)
    for row in form["rows"]:
        change(row)
    assert not is_same_expression(expr, from_json(form))


def test_signed_zeros_are_told_apart_and_nan_is_itself() -> None:
    assert not is_same_expression(e.literal(0.0) + K, e.literal(-0.0) + K)
    assert is_same_expression(e.literal(float("nan")) + K, e.literal(float("nan")) + K)


def test_sharing_of_literals_is_part_of_an_expression_and_other_sharing_is_not() -> None:
    half = e.literal(0.5)
    assert not is_same_expression(K * half + half, K * 0.5 + 0.5)
    once = e.u() * K
    assert is_same_expression(once + once, e.u() * K + e.u() * K)


def deep(length: int) -> Expr:
    expr: Expr = K
    for _ in range(length):
        expr = -expr * K
    return expr


def test_depth_costs_no_recursion() -> None:
    expr = deep(3_000)
    assert is_same_expression(expr, loads(dumps(expr)))
    assert is_same_expression(expr, pickle.loads(pickle.dumps(expr)))
    assert len(repr(expr)) < 300
    assert len(to_text(expr)) > 3_000
    copy.deepcopy(expr)


def test_shared_parts_are_written_once() -> None:
    expr: Expr = K
    for _ in range(60):
        expr = expr + expr
    assert len(to_text(expr)) < 2000
    assert len(to_json(expr)["rows"]) == 61
    assert len(postorder([pickle.loads(pickle.dumps(expr))])) == 61


def test_names_in_printed_text_avoid_the_names_of_inputs() -> None:
    t0 = e.input_scalar("t0", Type.F32)
    shared = t0 * 2.0
    scope = Scope.of(numbers={"t0": Type.F32})
    assert is_same_expression(shared + shared, parse(to_text(shared + shared), scope=scope))


@pytest.mark.parametrize("value", [0.1, 1e-45, 3.4028235e38, float("inf"), -2.5, 16777216.0, 1e20, 5e-7])
def test_literals_are_printed_with_all_their_bits(value: float) -> None:
    assert is_same_expression(e.literal(value), parse(to_text(e.literal(value))))


def test_outputs_share_what_they_have_in_common() -> None:
    common = e.fract(K)
    one, other = from_json(to_json([common + 1.0, common * 2.0]))
    assert one.args[0] is other.args[0]


GOOD: dict[str, Any] = {
    "version": 1,
    "rows": [{"op": "scalar_input", "type": "f32", "name": "k"}, {"op": "neg", "type": "f32", "args": [0]}],
    "outputs": [1],
}


def changed(path: list[Any], value: object) -> dict[str, Any]:
    form = copy.deepcopy(GOOD)
    place: Any = form
    for key in path[:-1]:
        place = place[key]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return form


@pytest.mark.parametrize(
    ("form", "path", "words"),
    [
        ([], "$", ["object", "list"]),
        (changed(["version"], 2), "$.version", ["1", "2"]),
        (changed(["version"], None), "$", ["'version'"]),
        (changed(["extra"], 1), "$", ["'extra'"]),
        (changed(["rows"], {}), "$.rows", ["list"]),
        (changed(["outputs"], []), "$.outputs", ["at least one"]),
        (changed(["outputs"], [2]), "$.outputs[0]", ["earlier row", "2"]),
        (changed(["outputs"], [True]), "$.outputs[0]", ["True"]),
        (changed(["outputs"], [-1]), "$.outputs[0]", ["-1"]),
        (changed(["rows", 1, "args"], [1]), "$.rows[1].args[0]", ["earlier row"]),
        (changed(["rows", 1, "args"], [0, 0]), "$.rows[1]", ["1 arguments", "2"]),
        (changed(["rows", 1, "op"], "negate"), "$.rows[1].op", ["'negate'"]),
        (changed(["rows", 1, "op"], "not"), "$.rows[1]", ["bool", "f32"]),
        (changed(["rows", 1, "type"], "f16"), "$.rows[1].type", ["f32", "'f16'"]),
        (changed(["rows", 1, "type"], "i32"), "$.rows[1]", ["i32", "f32"]),
        (changed(["rows", 0, "name"], 5), "$.rows[0].name", ["name", "5"]),
        (changed(["rows", 0, "name"], "k" * 300), "$.rows[0].name", ["200"]),
        (changed(["rows", 0, "name"], None), "$.rows[0]", ["'name'"]),
        (changed(["rows", 0, "value"], 1), "$.rows[0]", ["'value'"]),
        (changed(["rows", 0], {"op": "const", "type": "f32", "value": "1"}), "$.rows[0].value", ["number", "'1'"]),
        (changed(["rows", 0], {"op": "const", "type": "i32", "value": 2**31}), "$.rows[0]", ["i32"]),
        (changed(["rows", 0], {"op": "const", "type": "f32", "value": True}), "$.rows[0]", ["True"]),
        (changed(["rows", 0], {"op": "const", "type": "f32", "value": 0.1}), "$.rows[0]", ["f32", "0.1"]),
        (changed(["rows", 0], {"op": "const", "type": "f32", "value": 10**400}), "$.rows[0]", ["f32"]),
        (
            changed(["rows", 0], {"op": "call", "type": "f32", "function": "snn_f32"}),
            "$.rows[0].function",
            ["'sin_f32'"],
        ),
        (changed(["rows", 0], {"op": "loop_index", "type": "i32", "loop": 0}), "$.rows[0].loop", ["loop"]),
        (changed(["rows", 0], {"op": "argument", "type": "f32", "name": "x"}), "$", ["parameter"]),
        (changed(["rows", 1], {"op": "component", "type": "f32", "args": [0], "index": 0}), "$.rows[1]", ["vec2"]),
        (changed(["loops"], [{"max_count": 70000, "results": []}]), "$.loops[0].max_count", ["70000"]),
        (changed(["loops"], [{"max_count": 4, "results": [9]}]), "$.loops[0].results[0]", ["9"]),
    ],
)
def test_wrong_json_is_refused_with_its_path(form: object, path: str, words: list[str]) -> None:
    with pytest.raises(ExpressionFileError) as caught:
        from_json(form)
    assert path == caught.value.json_path
    assert [word for word in words if word not in str(caught.value)] == []
    assert len(str(caught.value)) < 300


def test_a_loop_whose_values_do_not_fit_is_refused() -> None:
    form = to_json(e.loop(2, [0.0], lambda i, s: s + e.to_f32(i), max_count=4))
    form["loops"][0]["results"] = [next(k for k, row in enumerate(form["rows"]) if row["op"] == "loop_index")]
    with pytest.raises(ExpressionFileError, match="iteration"):
        from_json(form)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "NaN", '{"version": 1, "rows": [], "outputs": []}'])
def test_text_that_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ExpressionFileError):
        loads(text)


@pytest.mark.parametrize(
    "error",
    [
        ExpressionSyntaxError("wrong", text="k +", column=3, width=1),
        ExpressionFileError("wrong", json_path="$.rows"),
    ],
)
def test_errors_travel_between_processes(error: Exception) -> None:
    assert str(error) == str(pickle.loads(pickle.dumps(error)))


def test_eight_threads_share_one_expression() -> None:
    def make() -> Expr:
        return parse("t = smoothstep(0, 1, k*u); loop(i, n, 8, s = t) { s*t + 0.5 } + sin(t)", scope=SCOPE)

    shared = make()

    def work(_: int) -> tuple[bytes, str, str]:
        return lower([shared]).kernel.key, to_text(shared), dumps(shared)

    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(work, range(64)))
    assert {(lower([make()]).kernel.key, to_text(shared), dumps(shared))} == answers
