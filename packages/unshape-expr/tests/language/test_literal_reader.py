"""Literals read from parameters are those that a body would have, or none are read."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

import pytest

from unshape_core.port import Port
from unshape_core.value_type import F32
from unshape_expr import build as e
from unshape_expr.body import BodyInputs
from unshape_expr.ir import Expr
from unshape_expr.literal_reader import LiteralReader, learn_literals
from unshape_expr.ops import Op
from unshape_expr.parse import parse
from unshape_expr.structure import structure_key
from unshape_expr.text_form import form_of
from unshape_expr.traced_number import Trace
from unshape_expr.traverse import postorder
from unshape_expr.types import Type

Literals = tuple[bool | int | float, ...]


@dataclass(frozen=True, slots=True)
class Numbers:
    """A node whose body is a function of it."""

    type_name: ClassVar[str] = "test::Numbers"
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = (Port("value", F32),)

    make: Callable[[Numbers], Expr] = field(repr=False)
    a: float = 2.0
    n: int = 3
    color: tuple[float, ...] = (0.25, 0.5)
    text: str = "1.5 + 2*x"
    flag: bool = False

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        del inputs
        return (self.make(self),)


def built(node: Numbers) -> tuple[bytes, Literals]:
    """Return the structure of a node's body and its literals."""
    outputs = (node.make(node),)
    literals = [expr.attr for expr in postorder(outputs) if expr.op is Op.CONST]
    return structure_key(outputs), tuple(value for value in literals if isinstance(value, bool | int | float))


def learnt(node: Numbers) -> LiteralReader | None:
    key, literals = built(node)
    return learn_literals(node, (), literals=literals, is_of_form=lambda outputs, _order: structure_key(outputs) == key)


READABLE: dict[str, tuple[Callable[[Numbers], Expr], Sequence[dict[str, object]]]] = {
    "a parameter": (lambda node: e.literal(node.a), [{"a": 5.0}, {"a": -0.0}, {"a": math.nan}]),
    "an argument of an operator": (lambda node: e.u() * node.a + node.a / 3.0, [{"a": 7.0}]),
    "arithmetic": (lambda node: e.literal(1.0 / (node.a - 0.5) + abs(-node.a) // 2 % 3), [{"a": 9.25}]),
    "two parameters": (lambda node: e.literal(node.a * node.n), [{"a": 0.3, "n": 7}]),
    "bits": (lambda node: e.to_f32(e.literal(node.n & 0xFFFFFFFF, Type.U32)), [{"n": -1}, {"n": 2**40 + 1}]),
    "a tuple": (lambda node: e.vector(*node.color).x, [{"color": (1.0, -1.0)}]),
    "a course that is kept": (
        lambda node: e.literal(node.a) if node.a > 1.0 and node.n else e.u(),
        [{"a": 1.5}, {"n": -2}],
    ),
    "numbers of a formula": (
        lambda node: parse(node.text) if node.flag else parse(node.text.replace("x", "u")),
        [{"a": 3.0}],
    ),
}


@pytest.mark.parametrize("name", READABLE)
def test_what_is_read_is_what_would_be_built(name: str) -> None:
    make, changes = READABLE[name]
    node = Numbers(make)
    reader = learnt(node)
    assert reader is not None
    for change in changes:
        other = replace(node, **change)  # type: ignore[arg-type]  # what is changed differs
        assert built(other)[0] == built(node)[0]
        assert repr(built(other)[1]) == repr(reader.read(other))


def formula(node: Numbers) -> Expr:
    return parse(node.text)


@pytest.mark.parametrize("text", ["2.5 + 7*u", "-0.0 + 3*u", "1e3+2*u", "  3.5 +  2 * u "])
def test_numbers_of_a_formula_are_read(text: str) -> None:
    node = Numbers(formula, text="1.5 + 2*u")
    if text.startswith("-"):
        node = replace(node, text="-1.5 + 2*u")
    reader = learnt(node)
    assert reader is not None
    other = replace(node, text=text)
    assert built(other)[0] == built(node)[0]
    assert repr(built(other)[1]) == repr(reader.read(other))


@pytest.mark.parametrize("text", ["1.5 - 2*u", "1.5f + 2.0*u", "f32 + 2*u", "1.5 + 2*v", "1.5 + 2*u + 1.0", "1.5 +"])
def test_another_formula_is_not_read(text: str) -> None:
    reader = learnt(Numbers(formula, text="1.5 + 2*u"))
    assert reader is not None
    assert reader.read(Numbers(formula, text=text)) is None


def test_a_number_that_counts_is_not_read() -> None:
    loop = "loop(i, 2i, {}, s = 1.0) {{ s * 2.0 }}"
    reader = learnt(Numbers(formula, text=loop.format(4)))
    assert reader is not None
    assert reader.read(Numbers(formula, text=loop.format(5))) is None
    assert reader.read(Numbers(formula, text=loop.format(4).replace("2.0", "3.0"))) is not None


@lru_cache(maxsize=4)
def kept(number: float) -> float:
    return number + 1.0


OPAQUE: dict[str, tuple[Callable[[Numbers], Expr], dict[str, object]]] = {
    "a function of C": (lambda node: e.literal(math.cos(node.a)), {"a": 3.0}),
    "a conversion": (lambda node: e.literal(float(int(node.a))), {"a": 3.0}),
    "a count": (lambda node: e.literal(sum(range(node.n))), {"n": 4}),
    "a power": (lambda node: e.literal(node.a**2), {"a": -1.0}),
    "a text of it": (lambda node: e.literal(len(f"{node.a}")), {"a": 3.125}),
    "a course that changes": (lambda node: e.literal(1.0) if node.a > 1.0 else e.u(), {"a": 0.5}),
    "a comparison of two": (lambda node: e.literal(node.a) if node.a < node.n else e.u(), {"a": 4.0}),
    "a truth": (lambda node: e.literal(node.a) if node.a else e.u(), {"a": 0.0}),
    "another kind of number": (lambda node: e.literal(node.a), {"a": 3}),
    "a number that does not fit": (lambda node: e.to_f32(e.literal(node.n, Type.I32)), {"n": 2**31}),
    "a division by zero": (lambda node: e.literal(1.0 / node.a), {"a": 0.0}),
    "a longer tuple": (lambda node: e.vector(*node.color).x, {"color": (1.0, 2.0, 3.0)}),
    "a flag": (lambda node: e.literal(1.0 if node.flag else 2.0), {"flag": True}),
    "a text": (lambda node: e.literal(1.0 if node.text == "a" else 2.0), {"text": "a"}),
    "a method of a text": (lambda node: e.literal(float(node.text.count("x"))), {"text": "x x"}),
    "another body": (lambda node: e.literal(node.a), {"make": lambda node: e.literal(node.a + 1.0)}),
}


@pytest.mark.parametrize("name", OPAQUE)
def test_what_does_not_follow_by_arithmetic_is_not_read(name: str) -> None:
    make, change = OPAQUE[name]
    node = Numbers(make)
    reader = learnt(node)
    assert reader is not None
    assert repr(built(node)[1]) == repr(reader.read(node))
    assert reader.read(replace(node, **change)) is None  # type: ignore[arg-type]  # what is changed differs


@pytest.mark.parametrize(
    "make",
    [
        lambda node: e.literal(kept(node.a)),
        lambda node: e.literal({2.0: 5.0}[node.a]),
        lambda node: e.literal(node.a if type(node.a) is float else 0.5),
        lambda node: e.literal(float(len(node.text))),
    ],
    ids=["a function that keeps results", "a table", "a look at the type", "a length of a text"],
)
def test_what_cannot_be_followed_is_not_learnt(make: Callable[[Numbers], Expr]) -> None:
    assert learnt(Numbers(make)) is None


def test_a_function_that_keeps_results_keeps_no_traced_number() -> None:
    learnt(Numbers(lambda node: e.literal(kept(node.a)), a=77.0))
    assert type(kept(77.0)) is float


def test_conditions_are_what_keeps_another_course_from_being_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: without them the reader gives literals of a body of another form."""

    def make(node: Numbers) -> Expr:
        return e.u() * node.a if node.a > 1.0 else e.u() + node.a

    node, other = Numbers(make), Numbers(make, a=0.5)
    reader = learnt(node)
    assert reader is not None
    assert reader.read(other) is None
    blind = LiteralReader(
        parameters=[("make", make), ("a", 2.0)], texts={}, trace=Trace(), literals=postorder((e.literal(1.0),))
    )
    assert blind.read(other) is not None


def test_the_form_of_a_formula_has_no_numbers_but_their_types() -> None:
    assert form_of("1.5 + 2*u").words == form_of("7e3+9 * u").words
    assert (1.5, 2) == form_of("1.5 + 2*u").numbers
    assert (2,) == form_of("1.5 + 2*u").counts
    assert form_of("1.5").words != form_of("15").words
    assert form_of("1.5").words != form_of("f32").words
