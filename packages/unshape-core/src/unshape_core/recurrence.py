"""Graphs that remember: ticks, and the state that latches carry from one to the next.

Tick 0 starts from every latch's ``init``; at each later tick a latch gives out the signal of the tick before. A tick is
an ordinary evaluation of a graph without cycles, by the evaluator that the recurrence was given, with its executor and
its cache.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from unshape_core.argument_checks import check_count
from unshape_core.context import EvalContext
from unshape_core.errors import MissingInputError, SeekError
from unshape_core.evaluator import LazyEvaluator
from unshape_core.latch_cut import at_first_tick, at_later_tick, state_name
from unshape_core.nodes.latch import Latch
from unshape_core.snapshot import Source
from unshape_core.versioned import Versioned

if TYPE_CHECKING:
    from unshape_core.graph import Graph
    from unshape_core.result import EvalResult
    from unshape_core.snapshot import GraphSnapshot
    from unshape_core.value import Value


class SeekBehavior(StrEnum):
    """How to come to a tick that is not the next one.

    ``RESIMULATE`` runs all ticks in between (from tick 0 if it lies behind) and is always right. ``DISCONTINUITY``
    keeps what the latches hold and goes on from there, as when a video is scrubbed. ``ERROR`` refuses.
    """

    RESIMULATE = "resimulate"
    DISCONTINUITY = "discontinuity"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatchSnapshot:
    """What the latches hold after a tick; enough to go on from there.

    Parameters
    ----------
    tick : int or None
        The tick that was run last, None before the first.
    values : mapping of int to Value
        What each latch gives out at the next tick.
    keys : mapping of int to bytes
        Content keys of those values that are arrays.
    result : EvalResult or None
        What the last tick gave; its plan and records are left out when it is pickled.
    """

    tick: int | None
    values: Mapping[int, Value]
    keys: Mapping[int, bytes]
    result: EvalResult | None

    def __reduce__(self) -> tuple[Any, ...]:
        result = None if self.result is None else replace(self.result, plan=None, records=())
        return _restored, (self.tick, dict(self.values), dict(self.keys), result)


def _restored(
    tick: int | None, values: Mapping[int, Value], keys: Mapping[int, bytes], result: EvalResult | None
) -> LatchSnapshot:
    return LatchSnapshot(tick=tick, values=MappingProxyType(values), keys=MappingProxyType(keys), result=result)


_AT_REST = LatchSnapshot(tick=None, values=MappingProxyType({}), keys=MappingProxyType({}), result=None)


class Recurrence:
    """Runs a graph with latches tick by tick.

    Changing a parameter of the graph takes effect at the next tick. Adding or removing latches needs a :meth:`reset`.
    One thread at a time; calls from others wait.

    Parameters
    ----------
    graph : Graph
        The graph; it may hold no latch at all.
    outputs : sequence of (int or str)
        The nodes that each tick is to compute.
    evaluator : LazyEvaluator or None
        Runs the ticks; None makes one that runs every node by its definition.
    ctx : EvalContext or None
        The circumstances; ``frame`` is set to the tick and ``time_s`` to ``ctx.time_s + tick*dt_s``.

    Examples
    --------
    >>> from unshape_core import F32, Constant, Graph, Latch, Recurrence
    >>> graph = Graph()
    >>> zero, one = graph.add_node(Constant(0.0)), graph.add_node(Constant(1.0))
    >>> latch = graph.add_node(Latch(F32))
    >>> _ = graph.connect(zero, 0, latch, "init"), graph.connect(one, 0, latch, "signal")
    >>> recurrence = Recurrence(graph, [latch])
    >>> [recurrence.tick().outputs for _ in range(2)]
    [((0.0,),), ((1.0,),)]
    """

    def __init__(
        self,
        graph: Graph,
        outputs: Sequence[int | str],
        *,
        evaluator: LazyEvaluator | None = None,
        ctx: EvalContext | None = None,
    ) -> None:
        self._graph = graph
        self._outputs = tuple(graph.structure().resolve_output(output) for output in outputs)
        self._evaluator = LazyEvaluator() if evaluator is None else evaluator
        self._ctx = EvalContext() if ctx is None else ctx
        self._lock = threading.RLock()
        self._state = _AT_REST
        self._views: _Views | None = None

    @property
    def current_tick(self) -> int | None:
        """The tick that was run last, None before the first."""
        return self._state.tick

    @property
    def result(self) -> EvalResult | None:
        """What the last tick gave, None before the first."""
        return self._state.result

    def snapshot(self) -> LatchSnapshot:
        """Return the state after the last tick; it never changes."""
        return self._state

    def restore(self, state: LatchSnapshot) -> None:
        """Go back to a state that :meth:`snapshot` gave; the next tick is the one after it."""
        with self._lock:
            self._state = state

    def reset(self) -> None:
        """Go back before tick 0."""
        self.restore(_AT_REST)

    def tick(self) -> EvalResult:
        """Run the next tick and return its outputs.

        If it fails or is cancelled, the state is that of the tick before.

        Raises
        ------
        MissingInputError
            If a latch was added since tick 0, or its ``signal`` is not wired.
        """
        with self._lock:
            return self._run(0 if self._state.tick is None else self._state.tick + 1)

    def run_to_tick(self, tick: int) -> EvalResult:
        """Run all ticks up to that one and return its outputs; one that lies behind is reached from tick 0 again."""
        return self.seek(tick, behavior=SeekBehavior.RESIMULATE)

    def seek(self, tick: int, *, behavior: SeekBehavior = SeekBehavior.RESIMULATE) -> EvalResult:
        """Come to a tick and return its outputs.

        The tick that was run last is not run again, and the next one is run as :meth:`tick` would, whatever the
        behaviour.

        Raises
        ------
        SeekError
            If the behaviour is ``ERROR`` and the tick is neither the last nor the next one.
        """
        check_count("seek: tick", tick, at_least=0)
        with self._lock:
            last = self._state.tick
            if tick == last and self._state.result is not None:
                return self._state.result
            following = 0 if last is None else last + 1
            if tick != following:
                match behavior:
                    case SeekBehavior.RESIMULATE:
                        if tick < following:
                            self.reset()
                            following = 0
                        for between in range(following, tick):
                            self._run(between)
                    case SeekBehavior.DISCONTINUITY:
                        pass
                    case SeekBehavior.ERROR:
                        msg = f"seek: expected tick {following}, the next one, got {tick}; RESIMULATE would run there"
                        raise SeekError(msg)
                    case _:
                        assert_never(behavior)
            return self._run(tick)

    def _run(self, tick: int) -> EvalResult:
        views = self._current_views()
        is_start = self._state.tick is None
        ctx = replace(self._ctx, frame=tick, time_s=self._ctx.time_s + tick * self._ctx.dt_s)
        if not is_start:
            ctx = replace(ctx, inputs={**ctx.inputs, **self._given(views)})
        asked = self._outputs + views.asked_for_state(tick, is_start=is_start)
        result = self._evaluator.evaluate(views.first if is_start else views.later, asked, ctx)
        shown = len(self._outputs)
        shown_result = replace(result, outputs=result.outputs[:shown], keys=result.keys[:shown])
        self._state = self._taken_in(tick, views, result, shown_result)
        return shown_result

    def _current_views(self) -> _Views:
        snapshot = self._graph.snapshot()
        if self._views is None or self._views.snapshot is not snapshot:
            self._views = _Views.of(snapshot)
        return self._views

    def _given(self, views: _Views) -> dict[str, Value | Versioned]:
        """Return what the latches give out, as inputs of the tick."""
        given: dict[str, Value | Versioned] = {}
        for latch_id in views.latches:
            if latch_id not in self._state.values:
                msg = (
                    f"node {latch_id} (core::Latch): it holds nothing at tick {self._state.tick}; reset() to start anew"
                )
                raise MissingInputError(msg, node_id=latch_id, type_name=Latch.type_name)
            value = self._state.values[latch_id]
            key = self._state.keys.get(latch_id)
            given[state_name(latch_id)] = (
                Versioned(value, key) if isinstance(value, np.ndarray) and key is not None else value
            )
        return given

    def _taken_in(self, tick: int, views: _Views, result: EvalResult, shown: EvalResult) -> LatchSnapshot:
        """Return the state after a tick."""
        values: dict[int, Value] = {}
        keys: dict[int, bytes] = {}
        for place, latch_id in enumerate(views.latches, start=len(self._outputs)):
            source = views.taken_from(latch_id, tick, is_start=self._state.tick is None)
            if source is None:
                values[latch_id] = self._state.values[latch_id]
                if latch_id in self._state.keys:
                    keys[latch_id] = self._state.keys[latch_id]
                continue
            values[latch_id] = result.outputs[place][source.port]
            if isinstance(values[latch_id], np.ndarray):
                keys[latch_id] = result.keys[place][source.port]
        return LatchSnapshot(tick=tick, values=MappingProxyType(values), keys=MappingProxyType(keys), result=shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Views:
    """A graph as its ticks see it.

    ``first`` is the graph at tick 0, ``later`` at the others; ``signals`` says for each latch where its signal comes
    from.
    """

    snapshot: GraphSnapshot
    first: GraphSnapshot
    later: GraphSnapshot
    latches: tuple[int, ...]
    signals: Mapping[int, Source]

    @classmethod
    def of(cls, snapshot: GraphSnapshot) -> _Views:
        """Return the views of a graph."""
        latches = tuple(sorted(snapshot.structure.latches))
        signals: dict[int, Source] = {}
        for latch_id in latches:
            source = snapshot.sources(latch_id)[Latch.SIGNAL]
            if source is None:
                msg = f"node {latch_id} (core::Latch): input 'signal' has no wire; connect what it is to remember"
                raise MissingInputError(msg, node_id=latch_id, type_name=Latch.type_name)
            signals[latch_id] = source
        return cls(
            snapshot=snapshot,
            first=at_first_tick(snapshot),
            later=at_later_tick(snapshot),
            latches=latches,
            signals=signals,
        )

    def taken_from(self, latch_id: int, tick: int, *, is_start: bool) -> Source | None:
        """Return the output that a latch holds after a tick, None if it is what it held before."""
        latch = self.snapshot.nodes[latch_id]
        assert isinstance(latch, Latch)
        if latch.takes_in_at(tick):
            return self.signals[latch_id]
        return Source(latch_id, 0) if is_start else None

    def asked_for_state(self, tick: int, *, is_start: bool) -> tuple[int, ...]:
        """Return for each latch the node to evaluate for its next state; itself if it holds what it held."""
        sources = (self.taken_from(latch_id, tick, is_start=is_start) for latch_id in self.latches)
        return tuple(
            latch if source is None else source.node_id for latch, source in zip(self.latches, sources, strict=True)
        )
