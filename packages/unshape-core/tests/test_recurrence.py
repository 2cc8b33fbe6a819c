"""Latches: unit delay, rate, seek, and that ticks are ordinary evaluations."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

import numpy as np
import pytest
from core_nodes import RUNS, Add, AddPicture, Call, Clock, Fill, Raise
from hypothesis import given
from hypothesis import strategies as st

from unshape_core import (
    F32,
    TEXTURE,
    Constant,
    ContextField,
    DefinitionExecutor,
    EvalContext,
    Graph,
    GraphInput,
    GraphOutput,
    InvalidArgumentError,
    Latch,
    LazyEvaluator,
    MissingInputError,
    NodeError,
    Program,
    Recurrence,
    SeekBehavior,
    SeekError,
)


def _counter(rate: int = 1, step: float = 1.0, start: float = 0.0) -> tuple[Graph, int, int]:
    """A latch that counts: its own output plus a step comes back to it."""
    graph = Graph()
    init, latch, add = (graph.add_node(node) for node in (Constant(start), Latch(F32, rate), Add(step)))
    graph.connect(init, 0, latch, "init")
    graph.connect(latch, 0, add, 0)
    graph.connect(add, 0, latch, "signal")
    return graph, latch, add


def _values(recurrence: Recurrence, ticks: int) -> list[Any]:
    return [recurrence.tick().outputs[0][0] for _ in range(ticks)]


@given(st.integers(1, 5), st.integers(-3, 3), st.integers(0, 12))
def test_latch_is_init_first_and_then_the_signal_of_the_tick_before(rate: int, step: int, ticks: int) -> None:
    graph, latch, _ = _counter(rate, float(step), 7.0)
    # The output before tick t has changed once for each tick k < t that is a multiple of the rate.
    expected = [7.0 + step * sum(k % rate == 0 for k in range(t)) for t in range(ticks)]
    assert expected == _values(Recurrence(graph, [latch]), ticks)


def test_fibonacci_from_two_latches() -> None:
    graph = Graph()
    one, a, b, total = (graph.add_node(node) for node in (Constant(1.0), Latch(F32), Latch(F32), Add()))
    for latch in (a, b):
        graph.connect(one, 0, latch, "init")
    graph.connect(a, 0, total, 0)
    graph.connect(b, 0, total, 1)
    graph.connect(b, 0, a, "signal")
    graph.connect(total, 0, b, "signal")
    assert [1, 1, 2, 3, 5, 8, 13, 21, 34, 55] == _values(Recurrence(graph, [a]), 10)


def test_latches_in_a_row_delay_by_as_many_ticks() -> None:
    graph = Graph()
    clock, zero = graph.add_node(Clock(ContextField.FRAME)), graph.add_node(Constant(-1.0))
    last = clock
    for _ in range(3):
        latch = graph.add_node(Latch(F32))
        graph.connect(zero, 0, latch, "init")
        graph.connect(last, 0, latch, "signal")
        last = latch
    assert [-1, -1, -1, 0, 1, 2] == _values(Recurrence(graph, [last]), 6)


def test_tick_sets_frame_and_time() -> None:
    graph = Graph()
    frame, time = graph.add_node(Clock(ContextField.FRAME)), graph.add_node(Clock(ContextField.TIME))
    recurrence = Recurrence(graph, [frame, time], ctx=EvalContext(time_s=10.0, dt_s=0.5))
    assert [((0.0,), (10.0,)), ((1.0,), (10.5,)), ((2.0,), (11.0,))] == [recurrence.tick().outputs for _ in range(3)]


def test_pictures_are_remembered_and_not_hashed_again() -> None:
    graph = Graph()
    fill, latch, add = (graph.add_node(node) for node in (Fill(), Latch(TEXTURE), AddPicture(1.0)))
    graph.connect(fill, 0, latch, "init")
    graph.connect(latch, 0, add, 0)
    graph.connect(add, 0, latch, "signal")
    recurrence = Recurrence(graph, [latch], ctx=EvalContext(resolution=(3, 2)))
    assert [0.5, 1.5, 2.5, 3.5] == [float(picture[1, 2, 0]) for picture in _values(recurrence, 4)]
    assert RUNS["test::Fill"] == 1
    ran = RUNS["test::AddPicture"]
    recurrence.reset()
    _values(recurrence, 4)
    assert ran == RUNS["test::AddPicture"], "the same ticks again are found in the cache"


def test_seek_to_the_current_tick_changes_nothing() -> None:
    for behavior in SeekBehavior:
        graph, latch, _ = _counter()
        recurrence = Recurrence(graph, [latch])
        recurrence.run_to_tick(5)
        state, result = recurrence.snapshot(), recurrence.result
        runs = RUNS.copy()
        assert result is recurrence.seek(5, behavior=behavior)
        assert state is recurrence.snapshot()
        assert runs == RUNS
        assert recurrence.tick().outputs == ((6.0,),)


def test_seek_to_the_current_tick_after_restoring_changes_nothing() -> None:
    graph, latch, _ = _counter()
    recurrence = Recurrence(graph, [latch])
    recurrence.run_to_tick(5)
    state = recurrence.snapshot()
    recurrence.run_to_tick(9)
    recurrence.restore(state)
    assert recurrence.seek(5).outputs == ((5.0,),)
    assert state is recurrence.snapshot()


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), max_size=8))
def test_resimulated_tick_equals_stepping_there_from_the_start(moves: list[tuple[int, bool]]) -> None:
    graph, latch, _ = _counter(rate=2, step=3.0)
    recurrence = Recurrence(graph, [latch])
    stepped = _values(Recurrence(graph, [latch]), 14)
    for target, then_tick in moves:
        assert stepped[target] == recurrence.seek(target, behavior=SeekBehavior.RESIMULATE).outputs[0][0]
        assert target == recurrence.current_tick
        if then_tick:
            assert stepped[target + 1] == recurrence.tick().outputs[0][0]


def test_discontinuity_keeps_what_the_latches_hold() -> None:
    graph, latch, _ = _counter()
    frame = graph.add_node(Clock(ContextField.FRAME))
    recurrence = Recurrence(graph, [latch, frame])
    recurrence.run_to_tick(3)
    assert recurrence.seek(100, behavior=SeekBehavior.DISCONTINUITY).outputs == ((4.0,), (100.0,))
    assert recurrence.seek(7, behavior=SeekBehavior.DISCONTINUITY).outputs == ((5.0,), (7.0,))
    recurrence.reset()
    assert recurrence.seek(50, behavior=SeekBehavior.DISCONTINUITY).outputs == ((0.0,), (50.0,))
    assert recurrence.tick().outputs == ((1.0,), (51.0,))


def test_discontinuity_between_two_takings_in_holds_the_output() -> None:
    graph, latch, _ = _counter(rate=10, start=3.0)
    recurrence = Recurrence(graph, [latch])
    assert [3.0, 3.0] == [recurrence.seek(t, behavior=SeekBehavior.DISCONTINUITY).outputs[0][0] for t in (5, 6)]
    assert recurrence.seek(10, behavior=SeekBehavior.DISCONTINUITY).outputs == ((3.0,),)
    assert recurrence.seek(11, behavior=SeekBehavior.DISCONTINUITY).outputs == ((4.0,),)


def test_error_refuses_all_but_the_current_and_the_next_tick() -> None:
    graph, latch, _ = _counter()
    recurrence = Recurrence(graph, [latch])
    with pytest.raises(SeekError, match="expected tick 0, the next one, got 2"):
        recurrence.seek(2, behavior=SeekBehavior.ERROR)
    assert recurrence.seek(0, behavior=SeekBehavior.ERROR).outputs == ((0.0,),)
    assert recurrence.seek(1, behavior=SeekBehavior.ERROR).outputs == ((1.0,),)
    with pytest.raises(SeekError, match="expected tick 2, the next one, got 0"):
        recurrence.seek(0, behavior=SeekBehavior.ERROR)
    assert recurrence.current_tick == 1


@pytest.mark.parametrize("tick", [-1, 1.0, True, None])
def test_tick_that_is_no_count_is_refused(tick: Any) -> None:
    graph, latch, _ = _counter()
    with pytest.raises(InvalidArgumentError, match="seek: tick: expected a whole number from 0"):
        Recurrence(graph, [latch]).seek(tick)


@pytest.mark.parametrize("rate", [0, -1, 1.0, True])
def test_rate_that_is_no_count_is_refused(rate: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="core::Latch: rate: expected a whole number from 1"):
        Latch(F32, rate)


def test_graph_without_recurrence_is_at_tick_0() -> None:
    graph, latch, add = _counter(start=4.0)
    evaluator = LazyEvaluator()
    assert evaluator.evaluate(graph, [latch, add]).outputs == ((4.0,), (5.0,))
    graph.replace_node(add, Add(2.0))
    assert evaluator.evaluate(graph, [latch, add]).outputs == ((4.0,), (6.0,))
    assert evaluator.evaluate(graph, [latch, add]).statistics.steps_run == 0


def test_changed_parameter_and_input_take_effect_at_the_next_tick() -> None:
    graph, latch, add = _counter()
    gain = graph.add_node(GraphInput("gain", F32, 0.0))
    graph.connect(gain, 0, add, 1)
    recurrence = Recurrence(graph, [latch])
    assert [0.0, 1.0, 2.0] == _values(recurrence, 3)
    graph.replace_node(add, Add(10.0))
    assert [3.0, 13.0] == _values(recurrence, 2)


def test_failed_tick_leaves_the_state_of_the_one_before() -> None:
    fails = [False]

    def sometimes(value: Any, _ctx: EvalContext) -> Any:
        if fails[0]:
            raise OSError("no luck")
        return value + 1.0

    graph, latch, add = _counter()
    graph.replace_node(add, Call(sometimes))
    recurrence = Recurrence(graph, [latch])
    _values(recurrence, 3)
    state, fails[0] = recurrence.snapshot(), True
    with pytest.raises(NodeError):
        recurrence.tick()
    assert state is recurrence.snapshot()
    fails[0] = False
    assert [3.0, 4.0] == _values(recurrence, 2)


def test_latch_without_signal_or_init_is_named() -> None:
    graph = Graph()
    latch, init = graph.add_node(Latch(F32)), graph.add_node(Constant(1.0))
    recurrence = Recurrence(graph, [latch])
    with pytest.raises(MissingInputError, match=r"node 0 .core::Latch.: input 'signal' has no wire"):
        recurrence.tick()
    graph.connect(init, 0, latch, "signal")
    with pytest.raises(MissingInputError, match="input 'init' has neither a wire nor a default"):
        recurrence.tick()
    graph.connect(init, 0, latch, "init")
    assert recurrence.tick().outputs == ((1.0,),)


def test_latch_added_later_asks_for_a_reset() -> None:
    graph, latch, _ = _counter()
    recurrence = Recurrence(graph, [latch])
    recurrence.tick()
    other = graph.add_node(Latch(F32))
    for port in ("init", "signal"):
        graph.connect(latch, 0, other, port)
    with pytest.raises(MissingInputError, match=r"node 3 .core::Latch.: it holds nothing at tick 0; reset\(\)"):
        recurrence.tick()
    recurrence.reset()
    assert recurrence.tick().outputs == ((0.0,),)


def test_ticks_run_through_the_executor_and_cache_they_are_given() -> None:
    prepared: list[tuple[int, ...]] = []

    class Counting(DefinitionExecutor):
        def prepare(self, snapshot: Any, outputs: Sequence[int], ctx: EvalContext) -> Program:
            prepared.append(tuple(outputs))
            assert not snapshot.structure.latches
            return super().prepare(snapshot, outputs, ctx)

    graph, latch, add = _counter()
    recurrence = Recurrence(graph, [latch], evaluator=LazyEvaluator(executor=Counting()))
    recurrence.run_to_tick(20)
    assert [(latch, add), (latch, add)] == prepared


def test_ten_thousand_ticks() -> None:
    graph, latch, _ = _counter()
    assert Recurrence(graph, [latch]).run_to_tick(10_000).outputs == ((10_000.0,),)


def test_snapshot_is_picklable_and_takes_up_where_it_left() -> None:
    graph, latch, _ = _counter()
    recurrence = Recurrence(graph, [latch])
    _values(recurrence, 4)
    state = recurrence.snapshot()
    other = Recurrence(graph.copy(), [latch])
    other.restore(pickle.loads(pickle.dumps(state)))
    assert [4.0, 5.0] == _values(other, 2)


def test_named_outputs_and_graphs_without_latches() -> None:
    graph = Graph()
    frame, out = graph.add_node(Clock(ContextField.FRAME)), graph.add_node(GraphOutput("n", F32))
    graph.connect(frame, 0, out, 0)
    assert [0.0, 1.0, 2.0] == _values(Recurrence(graph, ["n"]), 3)


@dataclass(frozen=True, slots=True)
class LeakyLatch(Latch):
    """A wrong latch: it never takes anything in."""

    def takes_in_at(self, tick: int) -> bool:
        return False


def test_latch_that_never_takes_in_is_found_by_the_count() -> None:
    graph, latch, _ = _counter()
    graph.replace_node(latch, LeakyLatch(F32))
    expected = list(islice(accumulate([0.0, 1.0, 1.0, 1.0]), 4))
    assert expected != _values(Recurrence(graph, [latch]), 4)


def test_error_inside_a_tick_names_the_node_of_the_graph() -> None:
    graph, latch, add = _counter()
    graph.replace_node(add, Raise(lambda: ValueError("no")))
    with pytest.raises(NodeError, match=f"node {add} "):
        Recurrence(graph, [latch]).tick()


def test_state_of_a_latch_is_no_memory_of_the_caller() -> None:
    graph = Graph()
    source, latch = graph.add_node(GraphInput("p", TEXTURE)), graph.add_node(Latch(TEXTURE))
    graph.connect(source, 0, latch, "init")
    graph.connect(source, 0, latch, "signal")
    picture = np.zeros((2, 2, 1), np.float32)
    recurrence = Recurrence(graph, [latch], ctx=EvalContext(inputs={"p": picture}))
    assert recurrence.tick().outputs[0][0].max() == 0.0
    picture[...] = 3.0
    assert recurrence.tick().outputs[0][0].max() == 0.0
    assert recurrence.tick().outputs[0][0].max() == 3.0
