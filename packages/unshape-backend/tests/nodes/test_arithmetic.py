"""The arithmetic nodes against NumPy and exact fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction as Exact
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_backend.config import Settings
from unshape_backend.executor import backend_evaluator
from unshape_backend.node_types import NODES
from unshape_backend.nodes import (
    Absolute,
    Add,
    Ceiling,
    Clamp,
    Compare,
    Comparison,
    Divide,
    DotProduct,
    Floor,
    Fraction,
    Length,
    Maximum,
    Minimum,
    Mix,
    Modulo,
    Multiply,
    Negate,
    Power,
    Round,
    Select,
    SquareRoot,
    Subtract,
    Truncate,
)
from unshape_backend.registry import BackendRegistry
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.evaluator import LazyEvaluator
from unshape_core.graph import Graph
from unshape_core.graph_file import graph_from_json, graph_to_json
from unshape_core.nodes import Constant, GraphInput
from unshape_core.protocols import Node
from unshape_core.value import Value, Vec2, Vec3
from unshape_core.value_type import BOOL, F32, F64, I32, TEXTURE, VEC2, VEC3, ValueType

SPECIAL = np.array(
    [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        -1.0,
        1.5,
        2.5,
        -2.5,
        1e-45,
        -1e-45,
        3.4e38,
        -3.4e38,
        np.inf,
        -np.inf,
        np.nan,
        8388609.0,
    ],
    np.float32,
)


def evaluate(node: Node, *values: Value) -> Any:
    """The first output of one node."""
    graph = Graph()
    node_id = graph.add_node(node)
    for port in range(len(values)):
        value_type: ValueType = node.inputs[port].value_type
        graph.connect(graph.add_node(GraphInput(f"v{port}", value_type)), 0, node_id, port)
    given_values = {f"v{port}": value for port, value in enumerate(values)}
    size = next(((v.shape[1], v.shape[0]) for v in values if isinstance(v, np.ndarray)), (4, 4))
    return _evaluator().evaluate(graph, (node_id,), EvalContext(resolution=size, inputs=given_values)).outputs[0][0]


@cache
def _evaluator() -> LazyEvaluator:
    return backend_evaluator(registry=BackendRegistry.with_cpu(settings=Settings()))


def pairs() -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Every special number with every other one, as pictures of one channel."""
    a, b = np.meshgrid(SPECIAL, SPECIAL)
    return a[..., None], b[..., None]


@pytest.mark.parametrize(
    ("node", "reference"),
    [(Add, np.add), (Subtract, np.subtract), (Multiply, np.multiply), (Divide, np.divide)],
)
def test_arithmetic_of_pictures_is_ieee_float32(node: Callable[..., Node], reference: Callable[..., Any]) -> None:
    a, b = pairs()
    with np.errstate(all="ignore"):
        expected = reference(a, b)
    assert np.array_equal(expected, evaluate(node(TEXTURE), a, b), equal_nan=True)


@pytest.mark.parametrize(("node", "reference"), [(Minimum, np.minimum), (Maximum, np.maximum)])
def test_minimum_and_maximum_are_nan_if_one_operand_is(
    node: Callable[..., Node], reference: Callable[..., Any]
) -> None:
    a, b = pairs()
    assert np.array_equal(reference(a, b), evaluate(node(TEXTURE), a, b), equal_nan=True)


@pytest.mark.parametrize(
    ("node", "reference"),
    [
        (Negate, np.negative),
        (Absolute, np.abs),
        (Floor, np.floor),
        (Ceiling, np.ceil),
        (Round, np.rint),
        (Truncate, np.trunc),
        (SquareRoot, np.sqrt),
        (Fraction, lambda x: x - np.floor(x)),
    ],
)
def test_functions_of_pictures_are_numpys(node: Callable[..., Node], reference: Callable[..., Any]) -> None:
    x = np.stack([SPECIAL, SPECIAL[::-1]])[..., None]
    with np.errstate(all="ignore"):
        expected = reference(x)
    result = evaluate(node(TEXTURE), x)
    assert np.array_equal(expected, result, equal_nan=True)
    assert np.array_equal(np.signbit(expected[expected == 0]), np.signbit(result[expected == 0]))


@pytest.mark.parametrize(
    ("node", "reference"),
    [(Negate, np.negative), (Floor, np.floor), (Ceiling, np.ceil), (Round, np.rint), (Truncate, np.trunc)],
)
def test_functions_of_numbers_are_those_of_pictures(node: Callable[..., Node], reference: Callable[..., Any]) -> None:
    for x in SPECIAL:
        expected, result = float(reference(x)), evaluate(node(), float(x))
        assert expected == result or (math.isnan(expected) and math.isnan(result))


@given(a=st.integers(-(2**31), 2**31 - 1), b=st.integers(-(2**31), 2**31 - 1))
@settings(deadline=None)
def test_integers_wrap_and_divide_as_stated(a: int, b: int) -> None:
    def wrapped(value: int) -> int:
        return (value + 2**31) % 2**32 - 2**31

    assert evaluate(Add(I32), a, b) == wrapped(a + b)
    assert evaluate(Multiply(I32), a, b) == wrapped(a * b)
    assert evaluate(Divide(I32), a, b) == (wrapped(a // b) if b else 0)
    assert evaluate(Modulo(I32), a, b) == (a % b if b else 0)


@given(x=st.floats(-1e6, 1e6, width=32), y=st.floats(0.0625, 1000, width=32))
@settings(deadline=None)
def test_the_remainder_has_the_sign_of_the_divisor(x: float, y: float) -> None:
    result = evaluate(Modulo(), x, y)
    quotient = np.float32(x) / np.float32(y)
    assert result == float(np.float32(x) - np.float32(y) * np.floor(quotient))


@given(x=st.floats(0.015625, 100, width=32), y=st.floats(-8, 8, width=32))
@settings(deadline=None)
def test_a_power_is_within_a_few_ulp_of_the_exact_one(x: float, y: float) -> None:
    exact = math.pow(x, y)
    assert abs(evaluate(Power(), x, y) - exact) <= 4 * float(np.spacing(np.float32(exact)))


@pytest.mark.parametrize("comparison", list(Comparison))
def test_comparisons_are_those_of_python(comparison: Comparison) -> None:
    reference: dict[Comparison, Callable[[float, float], bool]] = {
        Comparison.LESS: lambda a, b: a < b,
        Comparison.LESS_EQUAL: lambda a, b: a <= b,
        Comparison.EQUAL: lambda a, b: a == b,
        Comparison.NOT_EQUAL: lambda a, b: a != b,
        Comparison.GREATER_EQUAL: lambda a, b: a >= b,
        Comparison.GREATER: lambda a, b: a > b,
    }
    for a in (0.0, -0.0, 1.0, math.inf, math.nan):
        for b in (0.0, 1.0, -math.inf, math.nan):
            assert evaluate(Compare(comparison), a, b) is reference[comparison](a, b)


def test_a_choice_has_nothing_of_the_other_value() -> None:
    picture = np.full((2, 3, 2), np.nan, np.float32)
    other = np.ones((2, 3, 2), np.float32)
    assert np.array_equal(other, evaluate(Select(TEXTURE), False, picture, other))
    assert evaluate(Select(), True, 5.0, math.nan) == 5.0


def test_clamping_keeps_a_value_within_its_bounds() -> None:
    assert [evaluate(Clamp(), x, -1.0, 2.0) for x in (-5.0, 0.5, 7.0)] == [-1.0, 0.5, 2.0]
    assert all(math.isnan(evaluate(Clamp(), *values)) for values in [(math.nan, 0.0, 1.0), (0.0, math.nan, 1.0)])


@given(a=st.floats(-100, 100, width=32), b=st.floats(-100, 100, width=32), t=st.floats(0, 1, width=32))
@settings(deadline=None)
def test_a_mix_lies_between_its_ends(a: float, b: float, t: float) -> None:
    exact = Exact(a) + Exact(t) * (Exact(b) - Exact(a))
    assert abs(Exact(evaluate(Mix(), a, b, t)) - exact) <= Exact(1, 2**15)


def test_vectors_are_measured() -> None:
    assert evaluate(Length(VEC2), Vec2(3.0, 4.0)) == 5.0
    assert evaluate(DotProduct(VEC3), Vec3(1.0, 2.0, 3.0), Vec3(4.0, 5.0, 6.0)) == 32.0


def test_vector_arithmetic_goes_component_by_component() -> None:
    assert evaluate(Add(VEC3), Vec3(1.0, 2.0, 3.0), Vec3(0.5, 0.25, 0.125)) == Vec3(1.5, 2.25, 3.125)


def test_pictures_of_different_sizes_are_refused_with_the_remedy() -> None:
    with pytest.raises(InvalidArgumentError, match="Resize"):
        evaluate(Add(TEXTURE), np.zeros((2, 3, 1), np.float32), np.zeros((3, 2, 1), np.float32))


@pytest.mark.parametrize(
    "make", [lambda: Add(BOOL), lambda: Floor(I32), lambda: Power(I32), lambda: Compare(value_type=F64)]
)
def test_a_type_that_a_node_is_not_defined_on_is_refused(make: Callable[[], Node]) -> None:
    with pytest.raises(InvalidArgumentError, match="value_type: expected one of"):
        make()


def test_an_unknown_comparison_is_refused_with_what_is_known() -> None:
    with pytest.raises(InvalidArgumentError, match=r"less, less-equal, equal.*got 'odd'"):
        Compare("odd")  # type: ignore[arg-type]


def test_nodes_have_different_names_and_defaults_that_fit() -> None:
    assert len({node.type_name for node in NODES}) == len(NODES)
    for node_type in NODES:
        node = node_type()
        assert hash(node) == hash(node_type())
        for port in node.inputs:
            assert port.default is None or port.value_type != TEXTURE


def test_a_graph_of_every_node_survives_its_file() -> None:
    graph = Graph()
    for node_type in NODES:
        graph.add_node(node_type())
    graph.add_node(Add(VEC3))
    graph.add_node(Compare(Comparison.GREATER, I32))
    graph.add_node(Constant(3, F32))
    again = graph_from_json(graph_to_json(graph))
    assert [graph.node(n) for n in graph] == [again.node(n) for n in again]
