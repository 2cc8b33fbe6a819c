"""Graphs of numbers: float32 at every step, one kernel for many nodes, and nothing run that need not be."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_backend.config import Settings
from unshape_backend.executor import backend_evaluator
from unshape_backend.nodes import (
    Add,
    Divide,
    DotProduct,
    MakeVector,
    Maximum,
    Minimum,
    Multiply,
    SplitVector,
    SquareRoot,
    Subtract,
)
from unshape_backend.registry import BackendRegistry
from unshape_core.context import EvalContext
from unshape_core.nodes import Constant, GraphInput
from unshape_core.protocols import Node
from unshape_core.value import Value, Vec2, Vec3
from unshape_core.value_type import F32, I32, VEC3, ScalarType
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import UNFUSED, GraphBuilder
from unshape_testing.nodes import ScalarMix

f32 = np.float32


def evaluate(build: GraphBuilder, output: int, **inputs: Value) -> Value:
    registry = BackendRegistry.with_cpu(settings=Settings())
    evaluator = backend_evaluator(registry=registry)
    value: Value = evaluator.evaluate(build.graph, (output,), EvalContext(inputs=inputs)).outputs[0][0]
    return value


def bits(value: object) -> bytes:
    assert isinstance(value, float)
    return b"nan" if math.isnan(value) else struct.pack("<f", value)


def test_every_step_is_rounded_to_float32(build: GraphBuilder) -> None:
    """16777217 needs 25 bits: in float64 the difference would be 1."""
    big = build.graph.add_node(Constant(16777216.0))
    end = build.add(Subtract(), build.add(Add(), big, build.graph.add_node(Constant(1.0))), big)
    assert evaluate(build, end) == 0.0


_OPERATIONS: list[tuple[Node, Any]] = [
    (Add(), np.add),
    (Subtract(), np.subtract),
    (Multiply(), np.multiply),
    (Divide(), np.divide),
    (Minimum(), np.minimum),
    (Maximum(), np.maximum),
]
_NUMBERS = st.floats(width=32) | st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 1e-45, 3.4e38])


@given(start=_NUMBERS, steps=st.lists(st.tuples(st.integers(0, 5), _NUMBERS), min_size=1, max_size=40))
@settings(max_examples=150, deadline=None)
def test_a_chain_of_numbers_has_the_bits_of_numpys_float32(start: float, steps: list[tuple[int, float]]) -> None:
    build = GraphBuilder()
    end = build.graph.add_node(GraphInput("x", F32))
    expected = f32(start)
    with np.errstate(all="ignore"):
        for which, number in steps:
            node, function = _OPERATIONS[which]
            end = build.add(node, end, build.graph.add_node(Constant(number)))
            expected = f32(function(expected, f32(number)))
    if not any(which > 3 for which, _ in steps):
        assert bits(float(expected)) == bits(evaluate(build, end, x=start))
    else:  # of two zeros NumPy's minimum may return either
        assert float(expected) == evaluate(build, end, x=start) or np.isnan(expected)


def test_dividing_by_zero_gives_what_ieee_says(build: GraphBuilder) -> None:
    x = build.graph.add_node(GraphInput("x", F32))
    end = build.add(Divide(), x, build.graph.add_node(Constant(0.0)))
    results = [evaluate(build, end, x=value) for value in (1.0, -1.0, 0.0)]
    assert results[:2] == [math.inf, -math.inf]
    assert isinstance(results[2], float)
    assert math.isnan(results[2])


def test_the_root_of_a_negative_number_is_nan(build: GraphBuilder) -> None:
    result = evaluate(build, build.add(SquareRoot(), build.graph.add_node(Constant(-1.0))))
    assert isinstance(result, float)
    assert math.isnan(result)


def test_numbers_that_overflow_become_infinite(build: GraphBuilder) -> None:
    big = build.graph.add_node(Constant(3e38))
    assert evaluate(build, build.add(Add(), big, big)) == math.inf


@pytest.mark.parametrize(("a", "b", "quotient"), [(7, 2, 3), (-7, 2, -4), (7, 0, 0), (-(2**31), -1, -(2**31))])
def test_integers_divide_as_numpy_floors(build: GraphBuilder, a: int, b: int, quotient: int) -> None:
    x = build.graph.add_node(GraphInput("x", I32))
    end = build.add(Divide(I32), x, build.graph.add_node(Constant(b)))
    assert evaluate(build, end, x=a) == quotient


def test_vectors_go_in_and_out_of_a_cluster(build: GraphBuilder) -> None:
    x = build.graph.add_node(GraphInput("x", F32))
    vector = build.add(MakeVector(VEC3), x, x, build.graph.add_node(Constant(2.0)))
    parts = build.add(SplitVector(VEC3), vector)
    end = build.add(DotProduct(VEC3), vector, build.add(MakeVector(VEC3), (parts, 2), (parts, 1), (parts, 0)))
    assert evaluate(build, vector, x=3.0) == Vec3(3.0, 3.0, 2.0)
    assert evaluate(build, end, x=3.0) == 3.0 * 2.0 + 3.0 * 3.0 + 2.0 * 3.0


def test_a_vector_that_is_given_is_taken_apart(build: GraphBuilder) -> None:
    given_vector = build.graph.add_node(GraphInput("v", ScalarType.VEC2))
    end = build.add(Subtract(), *[(build.add(SplitVector(), given_vector), k) for k in (0, 1)])
    assert evaluate(build, end, v=Vec2(5.0, 3.0)) == 2.0


def test_fused_numbers_have_the_bits_of_single_ones(build: GraphBuilder, registry: BackendRegistry) -> None:
    x = build.graph.add_node(GraphInput("x", F32, 0.1))
    end = x
    for k in range(70):
        mixed = build.add(ScalarMix(1.0 + k / 7), end)
        end = build.add(Multiply(), (mixed, 0), build.graph.add_node(Constant(0.3)))
    results = [
        backend_evaluator(registry=registry, options=options).evaluate(build.graph, (end,), EvalContext()).outputs
        for options in (None, UNFUSED)
    ]
    assert bits(results[0][0][0]) == bits(results[1][0][0])


def test_a_changed_input_runs_what_depends_on_it_and_nothing_else(
    build: GraphBuilder, registry: BackendRegistry
) -> None:
    x, y = (build.graph.add_node(GraphInput(name, F32, 1.0)) for name in "xy")
    left = build.chain(x, [Multiply() for _ in range(100)])[-1]
    right = build.chain(y, [Multiply() for _ in range(100)])[-1]
    evaluator = backend_evaluator(registry=registry)
    outputs = (left, right)
    total = evaluator.evaluate(build.graph, outputs, EvalContext(inputs={"x": 1.0, "y": 1.0})).statistics.steps_run
    again = evaluator.evaluate(build.graph, outputs, EvalContext(inputs={"x": 2.0, "y": 1.0})).statistics.steps_run
    assert again * 2 == total


def test_nothing_changed_runs_nothing(build: GraphBuilder, registry: BackendRegistry) -> None:
    end = build.chain(build.graph.add_node(Constant(1.5)), [Multiply() for _ in range(10)])[-1]
    evaluator, ctx = backend_evaluator(registry=registry), EvalContext()
    evaluator.evaluate(build.graph, (end,), ctx)
    assert evaluator.evaluate(build.graph, (end,), ctx).statistics.steps_run == 0


def test_a_chain_of_twenty_thousand_numbers_is_evaluated(build: GraphBuilder, registry: BackendRegistry) -> None:
    end = build.chain(build.graph.add_node(GraphInput("x", F32, 1.0)), [Add() for _ in range(20_000)])[-1]
    assert backend_evaluator(registry=registry).evaluate(build.graph, (end,), EvalContext()).outputs == ((1.0,),)


def test_numbers_run_on_the_host_whatever_the_policy(build: GraphBuilder, registry: BackendRegistry) -> None:
    gpu = FakeBackend("gpu", cost=1)
    registry.register(gpu)
    end = build.add(Add(), build.graph.add_node(GraphInput("x", F32, 1.0)), build.graph.add_node(Constant(2.0)))
    for policy in ("named:gpu", "prefer:gpu", "by-priority", "local-first"):
        evaluator = backend_evaluator(policy, registry=registry)
        assert evaluator.evaluate(build.graph, (end,), EvalContext()).outputs == ((3.0,),)
    assert gpu.count("run") == 0
