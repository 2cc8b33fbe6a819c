"""Large graphs: linear in time, whatever the shape, and no deep recursion. Work is counted, not timed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from core_nodes import RUNS, Add, AddPicture, Fill, Sum, chain

from unshape_core import F32, Constant, EvalContext, Graph, GraphOutput, Latch, LazyEvaluator, Recurrence

ONE_PIXEL = EvalContext(resolution=(1, 1))


def _calls(work: Callable[[], object]) -> int:
    """Return how many Python functions some work calls: a measure of its cost that no other process disturbs."""
    calls = 0

    def count(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


def _chain(length: int) -> tuple[Graph, int]:
    graph = Graph()
    return graph, chain(graph, lambda _: Add(1.0), length)


def _picture_diamonds(levels: int) -> tuple[Graph, int]:
    graph = Graph()
    zero = graph.add_node(Constant(0.0))
    last = graph.add_node(Fill())
    graph.connect(zero, 0, last, 0)
    for _ in range(levels):
        left, right, both = graph.add_node(AddPicture(1.0)), graph.add_node(AddPicture(-1.0)), graph.add_node(Sum())
        graph.connect(last, 0, left, 0)
        graph.connect(last, 0, right, 0)
        graph.connect(left, 0, both, 0)
        graph.connect(right, 0, both, 1)
        last = both
    return graph, last


def _fan(width: int) -> tuple[Graph, list[int]]:
    graph = Graph()
    hub = graph.add_node(Constant(1.0))
    outputs = []
    for _ in range(width):
        node = graph.add_node(Add(1.0))
        graph.connect(hub, 0, node, 0)
        outputs.append(node)
    return graph, outputs


def test_chain_of_100000_nodes() -> None:
    graph, last = _chain(100_000)
    evaluator = LazyEvaluator()
    assert evaluator.evaluate(graph, [last]).outputs == ((100_000.0,),)
    graph.replace_node(0, Add(2.0))
    assert evaluator.evaluate(graph, [last]).outputs == ((100_001.0,),)
    assert len(graph.upstream(last)) == 99_999


def test_picture_chain_of_10000_nodes() -> None:
    graph = Graph()
    start = graph.add_node(Fill())
    last = chain(graph, lambda _: AddPicture(1.0), 10_000, start=start)
    assert LazyEvaluator().evaluate(graph, [last], ONE_PIXEL).outputs[0][0][0, 0, 0] == 10_000.5


def test_diamond_of_10000_levels_runs_each_node_once() -> None:
    graph, last = _picture_diamonds(10_000)
    evaluator = LazyEvaluator()
    assert evaluator.evaluate(graph, [last], ONE_PIXEL).outputs[0][0][0, 0, 0] == 0.0
    assert {"test::Fill": 1, "test::AddPicture": 20_000, "test::Sum": 10_000} == RUNS
    evaluator.evaluate(graph, [last], ONE_PIXEL)
    assert RUNS.total() == 30_001


def test_scalar_diamond_of_10000_levels_runs_each_node_once() -> None:
    graph = Graph()
    last = graph.add_node(Constant(0.0))
    for _ in range(10_000):
        both = graph.add_node(Add(0.0))
        graph.connect(last, 0, both, 0)
        graph.connect(last, 0, both, 1)
        last = both
    assert LazyEvaluator().evaluate(graph, [last]).outputs == ((0.0,),)
    assert {"test::Add": 10_000} == RUNS


def test_fan_of_100000_nodes() -> None:
    graph, outputs = _fan(100_000)
    evaluator = LazyEvaluator()
    assert {(2.0,)} == set(evaluator.evaluate(graph, outputs).outputs)
    assert len(graph.downstream(0)) == 100_000
    graph.remove_node(0)
    assert graph.wires == ()


def _edit_and_evaluate(make: Callable[[int], tuple[Graph, Any]]) -> Callable[[int], Callable[[], object]]:
    def prepared(size: int) -> Callable[[], object]:
        def work() -> None:
            graph, outputs = make(size)
            evaluator = LazyEvaluator()
            outputs = outputs if isinstance(outputs, list) else [outputs]
            for k in (1.0, 2.0):
                evaluator.evaluate(graph, outputs, ONE_PIXEL)
                graph.replace_node(1, Add(k) if isinstance(graph.node(1), Add) else graph.node(1))
            evaluator.evaluate(graph, outputs, ONE_PIXEL)

        return work

    return prepared


def _latch_loop(size: int) -> Callable[[], object]:
    def work() -> None:
        graph = Graph()
        zero, latch, add = (graph.add_node(node) for node in (Constant(0.0), Latch(F32), Add(1.0)))
        graph.connect(zero, 0, latch, "init")
        graph.connect(latch, 0, add, 0)
        graph.connect(add, 0, latch, "signal")
        Recurrence(graph, [add]).run_to_tick(size)

    return work


def _draw_and_write(size: int) -> Callable[[], object]:
    from unshape_core.diagram import to_dot, to_mermaid
    from unshape_core.graph_file import graph_from_json, graph_to_json

    def work() -> None:
        graph = Graph()
        last = graph.add_node(Constant(1.0))
        for index in range(size):
            output = graph.add_node(GraphOutput(f"o{index}", F32))
            graph.connect(last, 0, output, 0)
            last = output
        assert graph.wires == graph_from_json(graph_to_json(graph)).wires
        to_mermaid(graph)
        to_dot(graph)

    return work


@pytest.mark.parametrize(
    "prepared",
    [
        _edit_and_evaluate(_chain),
        _edit_and_evaluate(_picture_diamonds),
        _edit_and_evaluate(_fan),
        _latch_loop,
        _draw_and_write,
    ],
    ids=["chain", "diamonds", "fan", "latch loop", "files and diagrams"],
)
def test_work_grows_linearly(prepared: Callable[[int], Callable[[], object]]) -> None:
    prepared(50)()
    small, large = _calls(prepared(200)), _calls(prepared(1600))
    assert large <= 8.5 * small


def test_counting_calls_finds_quadratic_work() -> None:
    def quadratic(size: int) -> Callable[[], object]:
        graph, last = _chain(size)
        return lambda: [graph.upstream(node) for node in range(0, last, 8)]

    assert _calls(quadratic(1600)) > 8.5 * _calls(quadratic(200))


def test_one_changed_parameter_of_a_large_graph_costs_what_depends_on_it() -> None:
    def cost_of_a_change(size: int) -> int:
        graph, outputs = _fan(size)
        evaluator = LazyEvaluator()
        evaluator.evaluate(graph, outputs[:1])
        everything = graph.add_node(Add())
        graph.connect(outputs[0], 0, everything, 0)
        graph.connect(outputs[1], 0, everything, 1)
        for k in (1.0, 2.0, 3.0):
            evaluator.evaluate(graph, [everything])
            graph.replace_node(outputs[0], Add(k))
        return _calls(lambda: evaluator.evaluate(graph, [everything]))

    assert cost_of_a_change(10) == cost_of_a_change(10_000)
