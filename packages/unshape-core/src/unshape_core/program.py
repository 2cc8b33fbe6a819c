"""Programs: what an executor makes of a graph, and what the evaluator runs.

A program is a flat list of steps over numbered slots. An executor decides what the steps are (one node, several fused
ones, a transfer); the evaluator owns the loop: what is dirty, what is cached, cancellation, progress, records.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeGuard

if TYPE_CHECKING:
    from unshape_core.context import ContextField, EvalContext
    from unshape_core.memory_space import MemorySpace
    from unshape_core.protocols import Node
    from unshape_core.value import Value


class StepKind(StrEnum):
    """What a step does."""

    NODE = "node"
    TRANSFER = "transfer"  # each output is the input of that index, in another space
    CUT = "cut"  # each output is a part of the input of that index; ``key`` says which


class StepRunner(Protocol):
    """The work of a step."""

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Compute the output slots from the input slots.

        ``nodes`` are the nodes as they are now: a node that was replaced by one that differs in parameters only is run
        by the same runner. A runner may return values that are not ready yet.
        """


class BoundStep(Protocol):
    """The work of a step for nodes that are settled."""

    def __call__(self, inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Compute the output slots from the input slots."""


class SupportsBind(Protocol):
    """A runner that can be prepared for nodes once and called many times, which saves the call in between."""

    def bind(self, nodes: tuple[Node, ...], /) -> BoundStep:
        """Return what ``run(nodes, inputs, ctx)`` does, as a function of inputs and context."""


class SupportsBindFunction(Protocol):
    """A runner of a scalar step (one output, scalar inputs, no context) that can do without sequences."""

    def bind_function(self, nodes: tuple[Node, ...], /) -> Callable[..., Value] | None:
        """Return a function of the inputs, each a positional argument, that returns the output; None if there is none.

        The evaluator rounds an ``F32`` result to float32, so a function of one rounded operation may leave it to that.
        """


def supports_bind(run: object) -> TypeGuard[SupportsBind]:
    """Return whether a runner can be prepared for nodes."""
    return hasattr(run, "bind")


def supports_bind_function(run: object) -> TypeGuard[SupportsBindFunction]:
    """Return whether a runner can become a function of scalars."""
    return hasattr(run, "bind_function")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call.

    Parameters
    ----------
    node_ids : tuple of int
        The graph's nodes that this step computes, in order; several if they were fused. A transfer names its producer.
    run : StepRunner
        The work.
    input_slots, output_slots : tuple of int
        Where inputs come from and outputs go.
    output_ports : tuple of (int, int) or None
        For each output slot the node and the port whose value it is; None stands for the ports of the last node, in
        order. A transfer names those of the producer.
    context_fields : frozenset of ContextField
        The context fields that the outputs depend on.
    key : Hashable
        What else the outputs depend on, apart from nodes' types and parameters, context fields and inputs: the region.
        The backend is not part of it where bits are promised, so that a value computed elsewhere is found again. Made
        of what :mod:`~unshape_core.content_key` knows (numbers, strings, tuples, windows ...).
    backend : str
        Who runs it.
    space : MemorySpace
        Where the outputs live.
    kind : StepKind
        What the step is.
    is_cacheable : bool
        Whether outputs may be kept by content key.
    """

    node_ids: tuple[int, ...]
    run: StepRunner
    input_slots: tuple[int, ...]
    output_slots: tuple[int, ...]
    context_fields: frozenset[ContextField]
    key: Hashable
    backend: str
    space: MemorySpace
    kind: StepKind = StepKind.NODE
    is_cacheable: bool = True
    output_ports: tuple[tuple[int, int], ...] | None = None


class Explanation(Protocol):
    """An account of why the steps are what they are."""

    def explain(self) -> str:
        """Return the account as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Steps in the order they run.

    Parameters
    ----------
    steps : tuple of Step
        Every step's inputs are produced by an earlier one or are constants.
    slot_count : int
        Number of slots.
    constants : mapping of int to Value
        Slots filled before the first step (defaults of ports without a wire).
    outputs : mapping of int to tuple of int
        For each node asked for, the slots of its output ports.
    explanation : Explanation or None
        What ``result.plan`` shows.
    accepts : callable or None
        ``accepts(node_id, node, ctx)`` returns whether the program can be run as it is with that node in the place of
        the one it was prepared with; the two differ in parameters only. It answers False where a size, a reach or the
        form of an expression has changed. None stands for False: the program is prepared anew.
    is_current : callable or None
        ``is_current()`` returns whether what the program was made for outside of the graph (devices, say) is as it was.
        Asked before a run; where it answers False, the program is prepared anew. None stands for True.
    """

    steps: tuple[Step, ...]
    slot_count: int
    outputs: Mapping[int, tuple[int, ...]]
    constants: Mapping[int, Value] = field(default_factory=dict)
    explanation: Explanation | None = None
    accepts: Callable[[int, Node, EvalContext], bool] | None = None
    is_current: Callable[[], bool] | None = None
