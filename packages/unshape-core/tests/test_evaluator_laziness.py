"""What runs, and what does not: only what the outputs need, only behind a change, and never a stale value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from core_nodes import RUNS, Add, AddFunction, AddPicture, Clock, Fill, Mean, Sum, chain
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from unshape_core import (
    F32,
    HOST,
    TEXTURE,
    Constant,
    ContextField,
    DefinitionExecutor,
    EvalContext,
    Graph,
    GraphInput,
    GraphOutput,
    GraphSnapshot,
    LazyEvaluator,
    Program,
    ValueCache,
)


def _first(evaluator: LazyEvaluator, graph: Graph, node: int | str, ctx: EvalContext | None = None) -> Any:
    return evaluator.evaluate(graph, [node], ctx).outputs[0][0]


def test_only_what_the_outputs_need_runs() -> None:
    graph = Graph()
    wanted = chain(graph, lambda k: Add(float(k)), 3)
    chain(graph, lambda _: Fill(), 1)
    assert LazyEvaluator().evaluate(graph, [wanted]).outputs == ((3.0,),)
    assert {"test::Add": 3} == RUNS


def test_outputs_come_in_the_order_asked_for_and_as_often() -> None:
    graph = Graph()
    one, two = graph.add_node(Constant(1.0)), graph.add_node(Constant(2.0))
    named = graph.add_node(GraphOutput("named", F32))
    graph.connect(two, 0, named, 0)
    result = LazyEvaluator().evaluate(graph, [two, one, "named", two])
    assert result.outputs == ((2.0,), (1.0,), (2.0,), (2.0,))


def test_no_outputs_run_nothing() -> None:
    graph = Graph()
    graph.add_node(Fill())
    assert LazyEvaluator().evaluate(graph, []).outputs == ()
    assert not RUNS


@pytest.mark.parametrize("make", [Add, AddFunction], ids=["execute", "function"])
def test_unchanged_graph_runs_nothing(make: Callable[[float], Any]) -> None:
    graph = Graph()
    last = chain(graph, lambda _: make(1.0), 10)
    evaluator = LazyEvaluator()
    first = evaluator.evaluate(graph, [last])
    again = evaluator.evaluate(graph, [last])
    afresh = evaluator.evaluate(graph, [last], EvalContext(time_s=5.0))
    assert first.outputs == again.outputs == afresh.outputs == ((10.0,),)
    assert (10, 0, 0) == tuple(result.statistics.steps_run for result in (first, again, afresh))


def test_unchanged_pictures_are_found_and_not_computed() -> None:
    graph = Graph()
    fill, out = graph.add_node(Fill()), graph.add_node(AddPicture())
    graph.connect(fill, 0, out, 0)
    evaluator = LazyEvaluator()
    pictures = [_first(evaluator, graph, out) for _ in range(3)]
    pictures.append(_first(evaluator, graph, out, EvalContext(time_s=1.0)))
    assert all(picture is pictures[0] for picture in pictures)
    assert {"test::Fill": 1, "test::AddPicture": 1} == RUNS


def test_changed_parameter_runs_what_is_downstream_and_nothing_else() -> None:
    graph = Graph()
    left = chain(graph, lambda _: Add(1.0), 5)
    right = chain(graph, lambda _: Add(10.0), 5)
    both = graph.add_node(Add())
    graph.connect(left, 0, both, 0)
    graph.connect(right, 0, both, 1)
    tail = chain(graph, lambda _: Add(), 3, start=both)
    evaluator = LazyEvaluator()
    assert _first(evaluator, graph, tail) == 55.0
    RUNS.clear()
    graph.replace_node(right, Add(20.0))
    result = evaluator.evaluate(graph, [tail])
    assert result.outputs == ((65.0,),)
    assert {"test::Add": 5} == RUNS
    assert result.statistics.steps_run == 5


def test_parameter_changed_back_finds_the_old_picture() -> None:
    graph = Graph()
    fill, out = graph.add_node(Fill()), graph.add_node(AddPicture(1.0))
    graph.connect(fill, 0, out, 0)
    evaluator = LazyEvaluator()
    old = _first(evaluator, graph, out)
    graph.replace_node(out, AddPicture(2.0))
    assert _first(evaluator, graph, out)[0, 0, 0] == 2.5
    graph.replace_node(out, AddPicture(1.0))
    assert old is _first(evaluator, graph, out)
    assert {"test::Fill": 1, "test::AddPicture": 2} == RUNS


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (ContextField.TIME, 2.0),
        (ContextField.FRAME, 2),
        (ContextField.DT, 2.0),
        (ContextField.PREVIEW, True),
        (ContextField.RESOLUTION, (2, 8)),
        (ContextField.SEED, 2),
    ],
)
def test_only_declared_context_fields_run_a_node_again(field: ContextField, value: Any) -> None:
    graph = Graph()
    clocks: dict[ContextField, int] = {
        each: graph.add_node(Clock(each)) for each in ContextField if each is not ContextField.INPUTS
    }
    evaluator, before = LazyEvaluator(), EvalContext(resolution=(1, 8))
    outputs = list(clocks.values())
    evaluator.evaluate(graph, outputs, before)
    RUNS.clear()
    after = evaluator.evaluate(graph, outputs, replace(before, **{field.value: value}))
    shown = float(value[0] if isinstance(value, tuple) else value)
    assert shown == after.outputs[list(clocks).index(field)][0]
    if field is not ContextField.RESOLUTION:  # another resolution is another program
        assert {"test::Clock": 1} == RUNS


def test_minus_zero_is_another_time_than_zero() -> None:
    graph = Graph()
    clock = graph.add_node(Clock(ContextField.TIME))
    evaluator = LazyEvaluator()
    assert str(_first(evaluator, graph, clock, EvalContext(time_s=0.0))) == "0.0"
    assert str(_first(evaluator, graph, clock, EvalContext(time_s=-0.0))) == "-0.0"


def test_scalar_that_depends_on_a_picture_is_found_too() -> None:
    graph = Graph()
    fill, mean, tail = graph.add_node(Fill()), graph.add_node(Mean()), graph.add_node(Add(1.0))
    graph.connect(fill, 0, mean, 0)
    graph.connect(mean, 0, tail, 0)
    evaluator = LazyEvaluator()
    assert _first(evaluator, graph, tail) == 1.5
    graph.replace_node(tail, Add(2.0))
    assert _first(evaluator, graph, tail) == 2.5
    assert {"test::Fill": 1, "test::Mean": 1, "test::Add": 2} == RUNS


def test_dropped_values_are_computed_again_and_only_they() -> None:
    graph = Graph()
    fill = graph.add_node(Fill())
    middle, last = graph.add_node(AddPicture(1.0)), graph.add_node(AddPicture(1.0))
    graph.connect(fill, 0, middle, 0)
    graph.connect(middle, 0, last, 0)
    evaluator = LazyEvaluator()
    ctx = EvalContext(resolution=(8, 8))
    evaluator.evaluate(graph, [last], ctx)
    evaluator.cache.trim(HOST, to_bytes=8 * 8 * 4)
    RUNS.clear()
    assert _first(evaluator, graph, last, ctx)[0, 0, 0] == 2.5
    assert not RUNS, "the last value is the most recent one"
    evaluator.cache.clear()
    assert _first(evaluator, graph, last, ctx)[0, 0, 0] == 2.5
    assert {"test::Fill": 1, "test::AddPicture": 2} == RUNS


def test_cache_that_keeps_nothing_still_gives_the_result() -> None:
    graph = Graph()
    start = graph.add_node(Fill())
    last = chain(graph, lambda _: AddPicture(1.0), 5, start=start)
    evaluator = LazyEvaluator(cache=ValueCache(budget_bytes=0))
    for _ in range(2):
        assert _first(evaluator, graph, last)[0, 0, 0] == 5.5
    assert RUNS["test::AddPicture"] == 10
    assert evaluator.cache.statistics().bytes_held == 0


def test_graphs_of_equal_nodes_share_values_through_one_cache() -> None:
    cache = ValueCache()
    results = []
    for _ in range(2):
        graph = Graph()
        graph.remove_node(graph.add_node(Add()))
        fill, out = graph.add_node(Fill()), graph.add_node(AddPicture())
        graph.connect(fill, 0, out, 0)
        results.append(_first(LazyEvaluator(cache=cache), graph, out))
    assert results[0] is results[1]


def test_input_with_another_shape_is_planned_anew() -> None:
    graph = Graph()
    source, out = graph.add_node(GraphInput("picture", TEXTURE)), graph.add_node(AddPicture())
    graph.connect(source, 0, out, 0)
    evaluator = LazyEvaluator()
    for shape in ((2, 3, 1), (3, 2, 4), (0, 5, 1), (5, 0, 2), (2, 3, 1)):
        ctx = EvalContext(inputs={"picture": np.zeros(shape, np.float32)})
        assert shape == _first(evaluator, graph, out, ctx).shape


def test_scalars_are_shared_between_programs_of_one_graph() -> None:
    graph = Graph()
    x, clock = graph.add_node(GraphInput("x", F32, 1.0)), graph.add_node(Clock(ContextField.TIME))
    start = graph.add_node(Add(1.0))
    graph.connect(x, 0, start, 0)
    graph.connect(clock, 0, start, 1)
    middle = chain(graph, lambda _: Add(1.0), 5, start=start)
    last = chain(graph, lambda _: Add(1.0), 3, start=middle)
    evaluator = LazyEvaluator()
    ctx = EvalContext(time_s=10.0)
    assert _first(evaluator, graph, middle, ctx) == 17.0
    RUNS.clear()
    assert _first(evaluator, graph, last, ctx) == 20.0
    assert {"test::Add": 3} == RUNS
    for changed, expected in (
        (EvalContext(time_s=20.0), 30.0),
        (EvalContext(time_s=20.0, inputs={"x": 5.0}), 34.0),
        (EvalContext(time_s=20.0), 30.0),
    ):
        other = LazyEvaluator()
        _first(other, graph, middle, ctx)
        assert expected == _first(other, graph, last, changed)
        assert expected == _first(evaluator, graph, last, changed)
    graph.replace_node(start, Add(2.0))
    assert _first(evaluator, graph, graph.add_node(Add()), ctx) == 0.0
    assert _first(evaluator, graph, last, ctx) == 21.0


def test_invalidate_plans_anew_and_clear_cache_computes_anew() -> None:
    graph = Graph()
    out = graph.add_node(Fill())
    evaluator = LazyEvaluator()
    evaluator.evaluate(graph, [out])
    evaluator.invalidate(graph)
    evaluator.evaluate(graph, [out])
    assert {"test::Fill": 1} == RUNS
    evaluator.clear_cache()
    evaluator.evaluate(graph, [out])
    assert {"test::Fill": 2} == RUNS


def test_snapshot_is_evaluated_as_it_was() -> None:
    graph = Graph()
    node = graph.add_node(Add(1.0))
    before = graph.snapshot()
    evaluator = LazyEvaluator()
    for _ in range(2):
        graph.replace_node(node, Add(2.0))
        assert _first(evaluator, graph, node) == 2.0
        assert evaluator.evaluate(before, [node]).outputs == ((1.0,),)
        assert evaluator.evaluate(graph.snapshot(), [node]).outputs == ((2.0,),)


OPERATIONS = st.lists(st.tuples(st.integers(0, 7), st.sampled_from([0.0, 1.0, 2.0, 4.0])), min_size=1, max_size=12)


def _random_graph(data: st.DataObject) -> tuple[Graph, list[int]]:
    """A graph of scalars and pictures in which every node is fed by earlier ones."""
    graph = Graph()
    scalars = [graph.add_node(GraphInput("x", F32, 1.0))]
    pictures = [graph.add_node(Fill())]
    graph.connect(scalars[0], 0, pictures[0], 0)
    for _ in range(data.draw(st.integers(1, 12))):
        kind = data.draw(st.sampled_from(["add", "picture", "sum", "mean", "fill"]))
        scalar, picture = data.draw(st.sampled_from(scalars)), data.draw(st.sampled_from(pictures))
        if kind == "add":
            node = graph.add_node(Add(1.0))
            graph.connect(scalar, 0, node, 0)
            graph.connect(data.draw(st.sampled_from(scalars)), 0, node, 1)
            scalars.append(node)
        elif kind == "mean":
            node = graph.add_node(Mean())
            graph.connect(picture, 0, node, 0)
            scalars.append(node)
        elif kind == "fill":
            node = graph.add_node(Fill())
            graph.connect(scalar, 0, node, 0)
            pictures.append(node)
        else:
            node = graph.add_node(AddPicture(1.0) if kind == "picture" else Sum())
            graph.connect(picture, 0, node, 0)
            if kind == "sum":
                graph.connect(data.draw(st.sampled_from(pictures)), 0, node, 1)
            pictures.append(node)
    return graph, [*scalars, *pictures]


def _naive(graph: Graph, node_id: int, x: float) -> float:
    """The value of a node (of every pixel of it) by plain recursion; whole numbers, so exact."""
    node = graph.node(node_id)
    sources = graph.snapshot().sources(node_id)
    values = [_naive(graph, source.node_id, x) for source in sources if source is not None]
    match node:
        case GraphInput():
            return x
        case Add() | AddPicture():
            return sum(values) + node.k
        case _:
            return sum(values)


def check_random_edits(evaluator: LazyEvaluator, data: st.DataObject) -> None:
    """Check that an evaluator gives what plain recursion gives, whatever is changed in between."""
    graph, nodes = _random_graph(data)
    for _ in range(data.draw(st.integers(1, 6))):
        x = data.draw(st.sampled_from([1.0, 2.0, 3.0]))
        changed = data.draw(st.sampled_from(nodes))
        node = graph.node(changed)
        if isinstance(node, Add | AddPicture):
            graph.replace_node(changed, replace(node, k=data.draw(st.sampled_from([0.0, 1.0, 5.0]))))
        outputs = data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=3))
        result = evaluator.evaluate(graph, outputs, EvalContext(inputs={"x": x}, resolution=(2, 3)))
        for output, (value,) in zip(outputs, result.outputs, strict=True):
            assert np.all(np.asarray(value) == _naive(graph, output, x))


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from([0, 40, 10_000]))
def test_random_graphs_and_edits_give_what_plain_recursion_gives(data: st.DataObject, budget_bytes: int) -> None:
    check_random_edits(LazyEvaluator(cache=ValueCache(budget_bytes=budget_bytes)), data)


class ForgetfulExecutor(DefinitionExecutor):
    """A wrong executor: it runs the nodes it was prepared with, whatever they are replaced by."""

    def prepare(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Program:
        program = super().prepare(snapshot, outputs, ctx)

        def keep(run: Any, node: Any) -> Any:
            return lambda _nodes, inputs, context: run((node,), inputs, context)

        steps = tuple(replace(s, run=keep(s.run, snapshot.nodes[s.node_ids[0]])) for s in program.steps)
        return replace(program, steps=steps)


class IndifferentExecutor(DefinitionExecutor):
    """A wrong executor: its steps declare no context field."""

    def prepare(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Program:
        program = super().prepare(snapshot, outputs, ctx)
        return replace(program, steps=tuple(replace(s, context_fields=frozenset()) for s in program.steps))


def test_random_edits_find_an_executor_that_forgets_parameters() -> None:
    @settings(max_examples=300, deadline=None, derandomize=True, phases=[Phase.generate])
    @given(st.data())
    def run(data: st.DataObject) -> None:
        check_random_edits(LazyEvaluator(executor=ForgetfulExecutor()), data)

    with pytest.raises(AssertionError):
        run()


def test_context_check_finds_an_executor_that_ignores_the_context() -> None:
    graph = Graph()
    clock = graph.add_node(Clock(ContextField.TIME))
    evaluator = LazyEvaluator(executor=IndifferentExecutor())
    times = [_first(evaluator, graph, clock, EvalContext(time_s=t)) for t in (1.0, 2.0)]
    assert [1.0, 2.0] != times
