"""Functions: tables, plugins, overloads, definitions by text."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from unshape_expr import build as e
from unshape_expr.errors import ExpressionError, ExpressionSyntaxError, ExpressionTypeError
from unshape_expr.function_table import FunctionTable, default_functions
from unshape_expr.functions import Function, Parameter
from unshape_expr.ir import Expr
from unshape_expr.parse import parse
from unshape_expr.structure import is_same_expression
from unshape_expr.text_functions import define_function
from unshape_expr.types import Type

F32, VEC2 = Type.F32, Type.VEC2


def plugin(monkeypatch: pytest.MonkeyPatch, name: str, content: object) -> EntryPoint:
    """Return an entry point that gives an object, or raises it."""

    def load(self: EntryPoint) -> object:
        found = loaded[self.name]
        calls.append(self.name)
        if isinstance(found, Exception):
            raise found
        return found

    loaded[name] = content
    monkeypatch.setattr(EntryPoint, "load", load)
    return EntryPoint(name, f"{name}:FUNCTIONS", "unshape.functions")


loaded: dict[str, object] = {}
calls: list[str] = []


@pytest.fixture(autouse=True)
def _fresh() -> None:
    loaded.clear()
    calls.clear()


def twice() -> Function:
    return Function("twice", (Parameter("x", F32),), F32, lambda x: x + x, is_componentwise=True)


def test_plugins_are_loaded_on_the_first_call_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table = FunctionTable(plugins=lambda: [plugin(monkeypatch, "good", (twice(),))])
    assert calls == []
    parse("twice(u)", functions=table)
    parse("twice(v)", functions=table)
    assert calls == ["good"]


def test_a_broken_plugin_costs_one_warning_and_the_rest_works(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    plugins = [
        plugin(monkeypatch, "broken", ImportError("no such library")),
        plugin(monkeypatch, "wrong", [Function("wrong", (), F32, e.pixel_x)]),
        plugin(monkeypatch, "good", lambda: [twice()]),
    ]
    table = FunctionTable(plugins=lambda: plugins)
    with caplog.at_level(logging.WARNING, "unshape_expr"):
        parse("twice(u)", functions=table)
        parse("twice(u)", functions=table)
        assert [f.name for f in table.functions() if f.name in {"twice", "wrong"}] == ["twice"]
        assert table.find("wrong") is None
    assert [str(r.args[1]) for r in caplog.records if r.args] == ["broken", "wrong"]  # type: ignore[index]
    assert "no such library" in caplog.text
    assert "function 'wrong' of entry point" in caplog.text


def test_only_the_definitions_of_functions_that_a_text_calls_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Function("other", (Parameter("x", F32),), F32, lambda x: x)
    table = FunctionTable(plugins=lambda: [plugin(monkeypatch, "good", (twice(), other))])
    parse("twice(u)", functions=table)
    assert not other.is_lowered
    assert "other" in table.names()
    assert not other.is_lowered
    assert other is table.find_qualified("other_f32")
    assert other.is_lowered


def test_a_wrong_function_of_a_plugin_replaces_none(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Function("sin", (Parameter("x", F32),), F32, lambda _: e.pixel_x())
    table = FunctionTable(plugins=lambda: [plugin(monkeypatch, "wrong", (wrong,))])
    assert table.find("sin") == FunctionTable(plugins=list).find("sin")


def test_a_script_replaces_what_a_plugin_brought(monkeypatch: pytest.MonkeyPatch) -> None:
    table = FunctionTable(plugins=lambda: [plugin(monkeypatch, "good", (twice(),))])
    assert "twice" in table.names()
    mine = table.register(twice())
    assert table.find("twice") == (mine,)


def test_a_plugin_may_parse_text_while_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    table = FunctionTable(plugins=lambda: [plugin(monkeypatch, "good", make)])

    def make() -> list[Function]:
        parse("sin(u)", functions=table)
        return [twice()]

    parse("twice(u)", functions=table)


def test_scripts_register_by_call_and_replace_their_own(table: FunctionTable) -> None:
    table.register(twice())
    other = table.register(Function("twice", (Parameter("x", F32),), F32, lambda x: x * 2.0, is_componentwise=True))
    assert (other,) == table.find("twice")
    assert other is table.find_qualified("twice_f32")


def test_names_of_the_language_are_taken(table: FunctionTable) -> None:
    with pytest.raises(ExpressionError, match="'min'"):
        table.register(Function("min", (Parameter("x", F32),), F32, lambda x: x))


def test_overloads_are_chosen_by_the_first_argument(table: FunctionTable) -> None:
    for type_ in (F32, VEC2, Type.I32):
        table.register(Function("size", (Parameter("x", type_),), F32, lambda x: e.literal(float(x.type.components))))
    names = [parse(t, functions=table).attr.qualified_name for t in ("size(u)", "size(uv)", "size(3i)", "size(3)")]  # type: ignore[union-attr]
    assert names == ["size_f32", "size_vec2", "size_i32", "size_f32"]
    with pytest.raises(ExpressionSyntaxError, match=r"no variant takes vec3.*size\(x: vec2\)"):
        parse("size(vec3(u))", functions=table)


def test_componentwise_functions_take_vectors(table: FunctionTable, number: Callable[[Expr], Any]) -> None:
    table.register(twice())
    assert parse("twice(vec3(u))", functions=table).type is Type.VEC3
    assert number(parse("twice(vec3(1, 2, 3)).y", functions=table)) == 4.0


def test_a_function_of_vectors_refuses_others(table: FunctionTable) -> None:
    norm = table.register(Function("norm", (Parameter("p", VEC2),), F32, e.length))
    assert norm(0.5).args[0].op.value == "splat"
    with pytest.raises(ExpressionTypeError, match="norm: p: expected vec2, got vec3"):
        norm(e.vec3(0.0))


@pytest.mark.parametrize(
    "define",
    [lambda x: x + e.u(), lambda x: x + e.time(), lambda x: x + e.input_pixel("a", F32)],
)
def test_definitions_use_their_parameters_only(define: Callable[[Expr], Expr]) -> None:
    with pytest.raises(ExpressionError, match="expected parameters only"):
        _ = Function("f", (Parameter("x", F32),), F32, define).kernel


def test_the_type_of_a_definition_is_checked() -> None:
    with pytest.raises(ExpressionTypeError, match="function 'f': result: expected f32, got vec2"):
        _ = Function("f", (Parameter("p", VEC2),), F32, lambda p: p).kernel


def test_the_parameter_of_another_function_is_refused() -> None:
    leaked: list[Expr] = []

    def leak(x: Expr) -> Expr:
        leaked.append(x)
        return x

    _ = Function("f", (Parameter("x", F32),), F32, leak).kernel
    with pytest.raises(ExpressionError, match="'x' is the parameter of another function"):
        _ = Function("g", (Parameter("y", F32),), F32, lambda y: y + leaked[0]).kernel


def test_text_defines_functions(table: FunctionTable, number: Callable[[Expr], Any]) -> None:
    define_function("turn(p: vec2, by: f32 = 2) = q = p*by; vec2(q.y, -q.x)", functions=table)
    define_function("sum(x, n: uniform i32 = 4) = loop(i, n, 9, s = 0.0) { s + x }", functions=table)
    define_function("cube(x) = x*x*x", functions=table)
    assert number(parse("turn(vec2(1, 3)).x", functions=table)) == 6.0
    assert number(parse("turn(vec2(1, 3), by=1).y", functions=table)) == -1.0
    assert number(parse("sum(1.5) + sum(1, n=2)", functions=table)) == 8.0
    assert parse("cube(uv)", functions=table).type is VEC2
    with pytest.raises(ExpressionSyntaxError, match="pixel's column"):
        parse("sum(u, n=pixel_x)", functions=table)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("f(x) = y", 8, "unknown name 'y'"),
        ("f(x = 1, y) = x", 10, "needs a default"),
        ("f(x: float) = x", 6, "expected a type"),
        ("f(x, x) = x", 6, "parameter already"),
        ("f(x = u) = x", 7, "number of type f32"),
        ("f(x", 4, "'\\)'"),
        ("f(x) x", 6, "expected '='"),
        ("2(x) = x", 1, "name of the function"),
        ("max(x) = x", 1, "operation of that name"),
        ("f(x) = u", 1, "parameters only"),
        ("f(n) = loop(i, to_i32(n), 4, s = 0) { s }", 1, "equal for all pixels"),
    ],
)
def test_wrong_definitions_are_errors_with_a_column(text: str, column: int, words: str, table: FunctionTable) -> None:
    with pytest.raises(ExpressionSyntaxError, match=words) as caught:
        define_function(text, functions=table)
    assert column == caught.value.column


def test_a_pickled_call_of_an_unregistered_function_carries_the_definition(number: Callable[[Expr], Any]) -> None:
    local = Function("local", (Parameter("x", F32),), F32, lambda x: x * 3.0)
    call = local(2.0)
    again = pickle.loads(pickle.dumps(call))
    assert is_same_expression(call, again)
    assert number(again) == 6.0


def test_a_pickled_call_of_a_registered_function_finds_it() -> None:
    call = parse("smoothstep(0, 1, u)")
    assert pickle.loads(pickle.dumps(call)).attr is default_functions().find_qualified("smoothstep_f32")


def test_every_function_states_what_it_does(table: FunctionTable) -> None:
    assert [f.name for f in table.functions() if not f.doc.endswith(".")] == []
