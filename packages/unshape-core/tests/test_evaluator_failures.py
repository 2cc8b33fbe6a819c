"""Errors, cancellation, progress and records of an evaluation."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from core_nodes import RUNS, Add, AddPicture, Call, Fill, Mean, Raise, chain

from unshape_core import (
    F32,
    TEXTURE,
    CancellationToken,
    Cancelled,
    EvalContext,
    EvalProgress,
    Graph,
    InvalidArgumentError,
    LazyEvaluator,
    NodeError,
    PortTypeError,
    StepKind,
    ValueCache,
    ValueType,
)
from unshape_core.notes import add_note, note_backend, note_copy, note_device_time, wants_device_time


def _graph(kind: str, node: Any) -> tuple[Graph, int, int]:
    """A node in the middle of a chain of scalars or of pictures; returns it and the end."""
    graph = Graph()
    start = graph.add_node(Fill() if kind == "picture" else Add(1.0))
    middle = graph.add_node(node)
    graph.connect(start, 0, middle, 0)
    end = graph.add_node(AddPicture() if kind == "picture" else Add(1.0))
    graph.connect(middle, 0, end, 0)
    return graph, middle, end


KINDS: dict[str, ValueType] = {"scalar": F32, "picture": TEXTURE}
WATCHED = EvalContext(progress=lambda _event: None)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ctx", [EvalContext(), WATCHED], ids=["plain", "watched"])
def test_error_of_a_node_names_it_and_keeps_the_cause(kind: str, ctx: EvalContext) -> None:
    graph, middle, end = _graph(kind, Raise(lambda: ZeroDivisionError("by zero"), KINDS[kind]))
    with pytest.raises(NodeError) as caught:
        LazyEvaluator().evaluate(graph, [end], ctx)
    assert str(caught.value) == f"node {middle} (test::Raise) raised ZeroDivisionError: by zero"
    assert (middle, "test::Raise") == (caught.value.node_id, caught.value.type_name)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("kind", KINDS)
def test_invalid_argument_stays_what_it_is_and_learns_the_node(kind: str) -> None:
    graph, middle, end = _graph(kind, Raise(lambda: InvalidArgumentError("too large"), KINDS[kind]))
    with pytest.raises(InvalidArgumentError, match=r"^too large$") as caught:
        LazyEvaluator().evaluate(graph, [end])
    assert (middle, "test::Raise") == (caught.value.node_id, caught.value.type_name)


@pytest.mark.parametrize("kind", KINDS)
def test_cancelled_stays_cancelled(kind: str) -> None:
    graph, _, end = _graph(kind, Raise(lambda: Cancelled("stop"), KINDS[kind]))
    with pytest.raises(Cancelled, match=r"^stop$") as caught:
        LazyEvaluator().evaluate(graph, [end])
    assert caught.value.node_id is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_interrupts_are_not_wrapped(kind: str, error: type[BaseException]) -> None:
    graph, _, end = _graph(kind, Raise(error, KINDS[kind]))
    with pytest.raises(error):
        LazyEvaluator().evaluate(graph, [end])


@pytest.mark.parametrize("kind", KINDS)
def test_after_an_error_the_next_evaluation_is_right(kind: str) -> None:
    fails = [True]

    def sometimes(value: Any, _ctx: EvalContext) -> Any:
        if fails[0]:
            raise OSError("no luck")
        return value

    graph, _, end = _graph(kind, Call(sometimes, KINDS[kind]))
    evaluator = LazyEvaluator()
    for _ in range(2):
        with pytest.raises(NodeError, match="OSError: no luck"):
            evaluator.evaluate(graph, [end])
    fails[0] = False
    value = evaluator.evaluate(graph, [end]).outputs[0][0]
    assert np.all(np.asarray(value) == (2.0 if kind == "scalar" else 1.5))
    if kind == "picture":
        assert RUNS["test::Fill"] == 1, "what came before is not computed again"


@pytest.mark.parametrize("kind", KINDS)
def test_cancelling_stops_between_steps(kind: str) -> None:
    token = CancellationToken()

    def cancel(value: Any, _ctx: EvalContext) -> Any:
        token.cancel()
        return value

    graph, _, end = _graph(kind, Call(cancel, KINDS[kind]))
    with pytest.raises(Cancelled):
        LazyEvaluator().evaluate(graph, [end], EvalContext(cancellation=token))
    assert RUNS["test::Call"] == 1
    assert RUNS["test::AddPicture"] == 0
    assert RUNS["test::Add"] == (1 if kind == "scalar" else 0)


def test_token_that_is_cancelled_already_runs_nothing_even_if_nothing_changed() -> None:
    graph = Graph()
    node = graph.add_node(Add(1.0))
    evaluator = LazyEvaluator()
    evaluator.evaluate(graph, [node])
    token = CancellationToken()
    token.cancel()
    with pytest.raises(Cancelled):
        evaluator.evaluate(graph, [node], EvalContext(cancellation=token))


@pytest.mark.parametrize(
    ("result", "error", "words"),
    [
        (lambda _v, _c: "text", PortTypeError, "node 1 (test::Call): output 0: expected f32, got 'text' of type str"),
        (lambda _v, _c: None, PortTypeError, "expected f32, got None"),
        (lambda _v, _c: np.zeros(3), PortTypeError, "expected f32, got float64[3]"),
        (lambda _v, _c: True, PortTypeError, "expected f32, got True"),
    ],
)
def test_result_of_a_wrong_type_is_the_nodes_error(
    result: Callable[..., Any], error: type[Exception], words: str
) -> None:
    graph, _, end = _graph("scalar", Call(result))
    with pytest.raises(error) as caught:
        LazyEvaluator().evaluate(graph, [end])
    assert words in str(caught.value)


@pytest.mark.parametrize("returned", [(), (1.0, 2.0), 1.0, None])
def test_wrong_number_of_results_is_the_nodes_error(returned: Any) -> None:
    class Strange(Add):
        type_name = "test::Strange"

        def execute(self, _inputs: Any, _ctx: EvalContext) -> Any:
            return returned

    graph, middle, end = _graph("scalar", Strange())
    with pytest.raises(NodeError, match="expected a tuple of 1 outputs, got") as caught:
        LazyEvaluator().evaluate(graph, [end])
    assert middle == caught.value.node_id


def test_progress_tells_every_step_once_and_counts_to_the_total() -> None:
    graph = Graph()
    scalar = chain(graph, lambda _: Add(1.0), 3)
    fill = graph.add_node(Fill())
    graph.connect(scalar, 0, fill, 0)
    events: list[EvalProgress] = []
    evaluator, ctx = LazyEvaluator(), EvalContext(progress=events.append)
    evaluator.evaluate(graph, [fill], ctx)
    assert [1, 2, 3, 4] == [event.done for event in events]
    assert {4} == {event.total for event in events}
    assert [0, 1, 2, 3] == [event.node_id for event in events]
    events.clear()
    evaluator.evaluate(graph, [fill], ctx)
    assert not events
    graph.replace_node(0, Add(2.0))
    evaluator.evaluate(graph, [fill], ctx)
    assert [4] == [event.done for event in events][-1:]


def test_records_say_what_each_step_did() -> None:
    graph = Graph()
    fill = graph.add_node(Fill())
    out, mean = graph.add_node(AddPicture()), graph.add_node(Mean())
    graph.connect(fill, 0, out, 0)
    graph.connect(out, 0, mean, 0)
    evaluator = LazyEvaluator()
    ctx = EvalContext(resolution=(4, 2))
    result = evaluator.evaluate(graph, [mean], ctx, keeps_records=True)
    assert [(0,), (1,), (2,)] == [record.node_ids for record in result.records]
    assert ["test::Fill", "test::AddPicture", "test::Mean"] == [record.type_name for record in result.records]
    assert [32, 32] == [record.nbytes for record in result.records[:2]]
    assert all(record.kind is StepKind.NODE and record.backend == "cpu" for record in result.records)
    assert all(record.duration_ns >= 0 and not record.is_cache_hit for record in result.records)
    assert result.records[0].start_ns <= result.records[1].start_ns
    assert result.records[1] is result.record_of(out)
    found = evaluator.evaluate(graph, [mean], ctx, keeps_records=True)
    assert [((2,), True)] == [(record.node_ids, record.is_cache_hit) for record in found.records]
    assert found.record_of(fill) is None
    assert evaluator.evaluate(graph, [mean], ctx).records == ()


def test_notes_of_a_step_are_in_its_record_and_nowhere_else() -> None:
    def noting(value: Any, _ctx: EvalContext) -> Any:
        add_note("took the long way")
        return value

    graph, _, end = _graph("scalar", Call(noting))
    result = LazyEvaluator().evaluate(graph, [end], keeps_records=True)
    assert [(), ("took the long way",), ()] == [record.notes for record in result.records]
    assert LazyEvaluator().evaluate(graph, [end]).records == ()
    add_note("to nobody")


def test_what_a_step_copied_is_in_its_record_and_nowhere_else() -> None:
    def copying(value: Any, _ctx: EvalContext) -> Any:
        note_copy(700)
        note_copy(50)
        return value

    graph, _, end = _graph("scalar", Call(copying))
    result = LazyEvaluator().evaluate(graph, [end], keeps_records=True)
    assert [0, 750, 0] == [record.copied_bytes for record in result.records]
    note_copy(1)


def test_records_have_the_time_that_a_device_measured_and_ask_for_it_late() -> None:
    asked: list[int] = []

    def answer(time_ns: int) -> int:
        asked.append(time_ns)
        return time_ns

    def launching(value: Any, _ctx: EvalContext) -> Any:
        assert wants_device_time()
        for time_ns in (700, 50):
            note_device_time(partial(answer, time_ns))
        return value

    graph, _, end = _graph("scalar", Call(launching))
    result = LazyEvaluator().evaluate(graph, [end], keeps_records=True)
    assert not asked, "nobody waits for a device before the time is looked at"
    assert [None, 750, None] == [record.device_ns for record in result.records]
    assert [None, 750, None] == [record.device_ns for record in result.records]
    assert [700, 50] == asked, "the device is asked once"


def test_a_time_of_which_a_part_is_unknown_is_unknown() -> None:
    def launching(value: Any, _ctx: EvalContext) -> Any:
        note_device_time(lambda: 700)
        note_device_time(lambda: None)
        return value

    graph, _, end = _graph("scalar", Call(launching))
    result = LazyEvaluator().evaluate(graph, [end], keeps_records=True)
    assert [None, None, None] == [record.device_ns for record in result.records]


def test_what_a_device_did_before_another_took_over_does_not_count() -> None:
    def failing_over(value: Any, _ctx: EvalContext) -> Any:
        note_device_time(lambda: 700)
        note_backend("other")
        note_device_time(lambda: 30)
        return value

    graph, _, end = _graph("scalar", Call(failing_over))
    result = LazyEvaluator().evaluate(graph, [end], keeps_records=True)
    assert [None, 30, None] == [record.device_ns for record in result.records]


def test_pickled_records_hold_the_number_and_not_the_device() -> None:
    def launching(value: Any, _ctx: EvalContext) -> Any:
        note_device_time(lambda: 700)
        return value

    graph, _, end = _graph("scalar", Call(launching))
    records = LazyEvaluator().evaluate(graph, [end], keeps_records=True).records
    there = pickle.loads(pickle.dumps(records))
    assert records == there
    assert [None, 700, None] == [record.device_ns for record in there]


def test_nobody_wants_device_times_without_records_or_after_a_run_that_failed() -> None:
    wanted: list[bool] = []

    def asking(value: Any, _ctx: EvalContext) -> Any:
        wanted.append(wants_device_time())
        note_device_time(lambda: 1)
        raise ValueError("enough")

    graph, _, end = _graph("scalar", Call(asking))
    for keeps_records in (False, True, False):
        with pytest.raises(NodeError, match="enough"):
            LazyEvaluator().evaluate(graph, [end], keeps_records=keeps_records)
        assert not wants_device_time()
    assert [False, True, False] == wanted


def test_intermediate_pictures_are_freed_when_their_last_consumer_has_run() -> None:
    alive: list[weakref.ref[Any]] = []
    peak = [0]

    def fresh(value: Any, _ctx: EvalContext) -> Any:
        made = value + np.float32(1)
        alive.append(weakref.ref(made))
        gc.collect()
        peak[0] = max(peak[0], sum(ref() is not None for ref in alive))
        return made

    graph = Graph()
    start = graph.add_node(Fill())
    end = chain(graph, lambda _: Call(fresh, TEXTURE), 12, start=start)
    evaluator = LazyEvaluator(cache=ValueCache(budget_bytes=0))
    result = evaluator.evaluate(graph, [end])
    assert peak[0] <= 2
    assert sum(ref() is not None for ref in alive) == 1
    del result
    gc.collect()
    assert sum(ref() is not None for ref in alive) == 0


def test_results_are_read_only_and_own_their_memory() -> None:
    graph = Graph()
    fill = graph.add_node(Fill())
    part = graph.add_node(Call(lambda value, _ctx: value[::2, ::2], TEXTURE))
    graph.connect(fill, 0, part, 0)
    for output in LazyEvaluator().evaluate(graph, [fill, part]).outputs:
        assert not output[0].flags.writeable
        assert output[0].flags.owndata
        with pytest.raises(ValueError, match="read-only"):
            output[0][...] = 0.0
