"""The lazy evaluator: computes what is asked for, once.

An evaluator turns a graph into a program, runs it, and remembers: programs by the graph's structure, scalars in the
program's slots, everything else by content in a bounded cache. A second evaluation runs only what is behind a change of
a parameter, an input or a context field; nothing changed means that nothing is looked at.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unshape_core.cache import ValueCache
from unshape_core.cancellation import CancellationToken
from unshape_core.coercion import describe
from unshape_core.compiled_program import CompiledProgram
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.executor import DefinitionExecutor
from unshape_core.fork_safety import renew_in_children
from unshape_core.given_inputs import take_inputs
from unshape_core.graph import Graph
from unshape_core.latch_cut import at_first_tick
from unshape_core.protocols import SupportsRecovery
from unshape_core.result import EvalResult, EvalStatistics
from unshape_core.run_state import Place, RunState
from unshape_core.snapshot import GraphSnapshot

if TYPE_CHECKING:
    from unshape_core.eval_handle import EvalHandle
    from unshape_core.fork_safety import SupportsRenewal
    from unshape_core.program import Program
    from unshape_core.protocols import NodeExecutor
    from unshape_core.snapshot import GraphStructure
    from unshape_core.value import Value

_DEFAULT_CONTEXT = EvalContext()
_PROGRAMS_KEPT = 32
_STATES_KEPT = 8


class LazyEvaluator:
    """Evaluates graphs.

    Safe to use from several threads, for one graph or for many; a graph may be changed between evaluations, and during
    one, which then sees it as it was or as it is.

    Parameters
    ----------
    executor : NodeExecutor or None
        Decides how nodes are run; None runs each by its definition.
    cache : ValueCache or None
        Where computed values are kept; may be shared by evaluators. None makes one.

    Examples
    --------
    >>> from unshape_core import Constant, Graph, LazyEvaluator
    >>> graph = Graph()
    >>> one = graph.add_node(Constant(1.0))
    >>> LazyEvaluator().evaluate(graph, [one]).outputs
    ((1.0,),)
    """

    def __init__(self, *, executor: NodeExecutor | None = None, cache: ValueCache | None = None) -> None:
        self.executor: NodeExecutor = DefinitionExecutor() if executor is None else executor
        self.cache = ValueCache() if cache is None else cache
        self._last: dict[int, _Last] = {}
        self._lock = threading.Lock()
        self._programs: OrderedDict[tuple[object, ...], _States] = OrderedDict()
        renew_in_children(self)

    def evaluate(
        self,
        graph: Graph | GraphSnapshot,
        outputs: Sequence[int | str],
        ctx: EvalContext | None = None,
        *,
        keeps_records: bool = False,
    ) -> EvalResult:
        """Compute the outputs of some nodes.

        Parameters
        ----------
        graph : Graph or GraphSnapshot
            What to evaluate. A graph with latches is evaluated at tick 0; see :class:`~unshape_core.Recurrence`.
        outputs : sequence of (int or str)
            Nodes by number, or graph outputs by name.
        ctx : EvalContext or None
            The circumstances; None stands for ``EvalContext()``.
        keeps_records : bool
            Whether the result says what each step did.

        Returns
        -------
        EvalResult
            ``outputs[i]`` is a tuple of the values of the i-th node's output ports. Arrays are read-only.

        Raises
        ------
        UnknownNodeError
            If an output is not there.
        MissingInputError
            If an input of a node, or of the graph, has no value.
        InvalidArgumentError
            If values do not fit together.
        NodeError
            If a node raised something else.
        Cancelled
            If the context's token was cancelled.
        """
        if ctx is None:
            ctx = _DEFAULT_CONTEXT
        if isinstance(graph, Graph) and not keeps_records and not ctx.inputs:
            last = self._last.get(graph.token)
            if last is not None and last.ctx is ctx and last.revision == graph.revision and last.asked == outputs:
                result = last.again(self.cache)
                if result is not None:
                    return result
        return self._evaluate(graph, outputs, ctx, keeps_records=keeps_records)

    def submit(
        self,
        graph: Graph | GraphSnapshot,
        outputs: Sequence[int | str],
        ctx: EvalContext | None = None,
        *,
        keeps_records: bool = False,
    ) -> EvalHandle:
        """Begin to compute the outputs of some nodes, as :meth:`evaluate` does, and return at once.

        The graph and the arrays given are taken as they are now; both may be changed afterwards.
        """
        from unshape_core.eval_handle import EvalHandle

        _check_graph(graph)
        ctx = _DEFAULT_CONTEXT if ctx is None else ctx
        token = ctx.cancellation or CancellationToken()
        inputs = {name: _own_copy(value) for name, value in ctx.inputs.items()}
        ctx = replace(ctx, cancellation=token, inputs=inputs)
        snapshot = graph.snapshot() if isinstance(graph, Graph) else graph
        asked = tuple(_sequence_of(outputs))
        return EvalHandle(lambda: self.evaluate(snapshot, asked, ctx, keeps_records=keeps_records), token)

    def prepare(
        self, graph: Graph | GraphSnapshot, outputs: Sequence[int | str], ctx: EvalContext | None = None
    ) -> Program:
        """Return a program as :meth:`evaluate` would run it, without running it."""
        _check_graph(graph)
        ctx = _DEFAULT_CONTEXT if ctx is None else ctx
        snapshot = at_first_tick(graph.snapshot() if isinstance(graph, Graph) else graph)
        given = take_inputs(ctx.inputs, snapshot.structure.input_types)
        targets = dict.fromkeys(snapshot.resolve_output(output) for output in _sequence_of(outputs))
        return self.executor.prepare(snapshot, tuple(targets), replace(ctx, inputs=given.values))

    def invalidate(self, graph: Graph | GraphSnapshot | None = None) -> None:
        """Forget the programs of a graph, or of all; the next evaluation plans anew.

        Needed only if something changed that neither graph nor context tell, such as a device that came or went.
        """
        token = None
        if graph is not None:
            token = at_first_tick(graph.snapshot() if isinstance(graph, Graph) else graph).structure.token
        with self._lock:
            self._last.clear()
            for key in [key for key in self._programs if token is None or key[0] == token]:
                del self._programs[key]

    def clear_cache(self) -> None:
        """Forget all values, programs too."""
        self.invalidate()
        self.cache.clear()

    def renew_after_fork(self) -> None:
        """Replace the lock, which a thread that is not here may have held."""
        self._lock = threading.Lock()

    def _evaluate(
        self, graph: Graph | GraphSnapshot, outputs: Sequence[int | str], ctx: EvalContext, *, keeps_records: bool
    ) -> EvalResult:
        asked = _sequence_of(outputs)
        _check_graph(graph)
        while True:
            view = graph.structure() if isinstance(graph, Graph) else None
            if view is None or view.latches:
                snapshot = at_first_tick(graph.snapshot() if isinstance(graph, Graph) else graph)
                structure = snapshot.structure
            else:
                snapshot, structure = None, view
            given = take_inputs(ctx.inputs, structure.input_types)
            run_ctx = replace(ctx, inputs=given.values) if given.values else ctx
            targets = tuple([structure.resolve_output(output) for output in asked])
            key = (structure.token, targets, ctx.resolution, ctx.window, ctx.precision, given.shapes)
            states = self._find(key, structure)
            if states is None:
                if snapshot is None:
                    assert isinstance(graph, Graph)
                    snapshot = graph.snapshot()
                    if snapshot.structure is not structure:
                        continue
                states = self._prepare(key, snapshot, targets, run_ctx)
            state = states.take() or self._new_state(states, key)
            if snapshot is None:
                assert isinstance(graph, Graph)
                changes = graph.changes_since(state.revision)
            else:
                changes = state.difference_to(snapshot)
            if changes is None:
                continue
            if not state.accept(changes, run_ctx):
                with self._lock:
                    self._programs.pop(key, None)
                continue
            try:
                result = state.run(run_ctx, given, self.cache, keeps_records=keeps_records)
            except Exception as error:
                if self._recovers(error):
                    continue
                raise
            states.give_back(state)
            if isinstance(graph, Graph) and not keeps_records:
                self._remember(graph.token, _Last.of(state, asked, ctx, result))
            return result

    def _recovers(self, error: Exception) -> bool:
        """Return whether the executor can do without what failed; values that are lost with it are forgotten."""
        lost = self.executor.recover(error) if isinstance(self.executor, SupportsRecovery) else None
        if lost is None:
            return False
        self.cache.trim(lost)
        return True

    def _find(self, key: tuple[object, ...], structure: GraphStructure) -> _States | None:
        with self._lock:
            states = self._programs.get(key)
            if states is None or states.structure is not structure or not states.is_current:
                return None
            self._programs.move_to_end(key)
            return states

    def _prepare(
        self, key: tuple[object, ...], snapshot: GraphSnapshot, targets: tuple[int, ...], ctx: EvalContext
    ) -> _States:
        program = self.executor.prepare(snapshot, tuple(dict.fromkeys(targets)), ctx)
        states = _States(CompiledProgram(program, snapshot, targets))
        with self._lock:
            for old in [old for old, s in self._programs.items() if s.is_outdated_by(snapshot.structure)]:
                del self._programs[old]
            self._programs[key] = states
            if len(self._programs) > _PROGRAMS_KEPT:
                self._programs.popitem(last=False)
        return states

    def _new_state(self, states: _States, key: tuple[object, ...]) -> RunState:
        """Return a new state, with the scalars that another program of the same graph has at hand."""
        state = RunState(states.compiled)
        with self._lock:
            others = [
                other
                for other_key, other in reversed(self._programs.items())
                if other is not states and other.structure is states.structure and other_key[2:5] == key[2:5]
            ]
        for other in others:
            donor = other.take()
            if donor is not None:
                has_adopted = state.adopt(donor)
                other.give_back(donor)
                if has_adopted:
                    break
        return state

    def _remember(self, token: int, last: _Last | None) -> None:
        if last is None:
            self._last.pop(token, None)
            return
        if len(self._last) >= _PROGRAMS_KEPT:
            self._last.clear()
        self._last[token] = last


class _States:
    """A program and the states that are free for the next evaluation of it."""

    __slots__ = ("_free", "compiled", "structure")

    def __init__(self, compiled: CompiledProgram) -> None:
        self.compiled = compiled
        self.structure = compiled.snapshot.structure
        self._free: list[RunState] = []

    def is_outdated_by(self, structure: GraphStructure) -> bool:
        """Return whether the program is of the same graph when it was another one."""
        return self.structure.token == structure.token and self.structure is not structure

    @property
    def is_current(self) -> bool:
        """Whether the executor would still make that program."""
        is_current = self.compiled.program.is_current
        return is_current is None or is_current()

    def take(self) -> RunState | None:
        """Return a state that nobody else uses, None if there is none."""
        try:
            return self._free.pop()
        except IndexError:
            return None

    def give_back(self, state: RunState) -> None:
        """Let others use a state."""
        if len(self._free) < _STATES_KEPT:
            self._free.append(state)


@dataclass(frozen=True, slots=True)
class _Last:
    """The last result of a graph, given again if nothing at all has changed."""

    asked: Sequence[int | str]
    ctx: EvalContext
    revision: int
    result: EvalResult
    places: tuple[tuple[Place, ...], ...] | None

    @classmethod
    def of(cls, state: RunState, asked: Sequence[int | str], ctx: EvalContext, result: EvalResult) -> _Last | None:
        """Return what to remember, None if the result may differ although graph and context are the same."""
        if ctx.inputs or ctx.cancellation is not None or ctx.progress is not None or not state.compiled.is_repeatable:
            return None
        places = state.places() if state.compiled.has_heavy_outputs else None
        kept = EvalResult(
            outputs=result.outputs if places is None else (),
            plan=result.plan,
            records=(),
            statistics=EvalStatistics(steps=result.statistics.steps, steps_run=0, cache_hits=0),
            keys=result.keys,
        )
        return cls(asked, ctx, state.revision, kept, places)

    def again(self, cache: ValueCache) -> EvalResult | None:
        """Return the result, None if one of its values has been dropped."""
        if self.places is None:
            return self.result
        outputs: list[tuple[Value, ...]] = []
        for node_places in self.places:
            values: list[Value] = []
            for key, space, scalar in node_places:
                value = scalar if key is None else cache.get(key, space)
                if value is None:
                    return None
                values.append(value)
            outputs.append(tuple(values))
        return replace(self.result, outputs=tuple(outputs))


def _check_graph(graph: object) -> None:
    if not isinstance(graph, Graph | GraphSnapshot):
        msg = f"evaluation: expected a Graph or its snapshot, got {describe(graph)}"
        raise InvalidArgumentError(msg)


def _sequence_of(outputs: Sequence[int | str]) -> list[int | str] | tuple[int | str, ...]:
    """Return the outputs asked for in an order that nobody changes."""
    if isinstance(outputs, tuple):
        return outputs
    if isinstance(outputs, str | bytes) or not isinstance(outputs, Iterable):
        msg = f"outputs: expected a list of node numbers and output names, got {describe(outputs)}; write [{outputs!r}]"
        raise InvalidArgumentError(msg)
    return list(outputs)


def _own_copy(value: Value) -> Value:
    """Return an array as it is now, whatever its owner does later; a version vouches for what it stands for."""
    return np.array(value) if isinstance(value, np.ndarray) else value


if TYPE_CHECKING:
    from unshape_core.eval_handle import EvalHandle

    _proof: type[SupportsRenewal] = LazyEvaluator
