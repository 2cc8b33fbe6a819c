"""The seams of unshape-core: what a node, a value and an executor must offer.

Implement these by shape; nothing needs to inherit from them. A type checker is shown the proof by a line such as
``_proof: type[Node] = Perlin`` under ``TYPE_CHECKING``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeGuard, runtime_checkable

if TYPE_CHECKING:
    from unshape_core.context import ContextField, EvalContext
    from unshape_core.memory_space import MemorySpace
    from unshape_core.port import Port
    from unshape_core.program import Program
    from unshape_core.progress import EvalProgress
    from unshape_core.snapshot import GraphSnapshot
    from unshape_core.spec import ValueSpec
    from unshape_core.value import Value
    from unshape_core.window import Window
    from unshape_core.workload import OpClass


class GraphValue(Protocol):
    """A value that is neither a scalar nor a NumPy array, for example an array on a device.

    Immutable once it is on a wire.
    """

    @property
    def space(self) -> MemorySpace:
        """Where the value lives."""

    @property
    def nbytes(self) -> int:
        """Bytes it occupies there."""

    @property
    def content_key(self) -> Hashable:
        """Equal for equal contents, different for different ones; never an address that may be reused."""


class ProgressSink(Protocol):
    """Whoever wants to know how far an evaluation is. Called from the evaluating thread; must not block."""

    def __call__(self, event: EvalProgress, /) -> None:
        """Take notice of one event."""


class Node(Protocol):
    """A node: parameters only, no state.

    A node is a frozen slots dataclass: hashable, picklable, with a JSON round trip of its fields. The properties below
    are class facts (``ClassVar``) wherever they do not depend on a parameter.

    Its meaning is exactly one of two: a body, an expression over its inputs (``unshape_expr.SupportsBody``), or
    :class:`SupportsExecute`, NumPy code. Every other kernel for the node must agree with that.
    """

    @property
    def type_name(self) -> str:
        """Name in graph files, ``"package::Type"``."""

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Input ports in order."""

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Output ports in order."""

    @property
    def op_class(self) -> OpClass:
        """Kind of work."""

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """The context fields that the result depends on."""

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the specs of the outputs for the whole picture, before anything runs.

        Parameters
        ----------
        input_specs : sequence of ValueSpec
            One for each input port; for a port without a wire, the spec of its default.
        ctx : EvalContext
            The circumstances; ``ctx.resolution`` is what generators produce.

        Raises
        ------
        InvalidArgumentError
            If the inputs do not fit together, in one sentence with the remedy.
        """


@runtime_checkable
class SupportsExecute(Protocol):
    """A node whose meaning is NumPy code."""

    def execute(self, inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Compute the outputs from host values, in port order.

        Inputs may be read-only and must not be changed; outputs own their memory. A node that offers
        :class:`SupportsInputWindows` computes ``ctx.region.output`` from inputs that cover ``ctx.region.inputs``; any
        other node gets whole inputs and computes everything.
        """


@runtime_checkable
class SupportsScalarFunction(Protocol):
    """A node with ``execute`` that is at heart a function of scalars: one output, no context.

    It is called where a graph of scalars has to be fast; ``execute`` must give the same. ``F32`` results are rounded to
    float32 by the caller in both cases.
    """

    def scalar_function(self, *inputs: Value) -> Value:
        """Return the output for the inputs in port order."""


@runtime_checkable
class SupportsInputWindows(Protocol):
    """A node that can compute a part of its picture from parts of its inputs."""

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], ctx: EvalContext, /
    ) -> tuple[Window | None, ...]:
        """Return for each input the rectangle that is read to compute ``window``.

        The rectangles may leave the picture: the caller cuts them off at the picture's edge, which is where borders
        begin. None stands for an input that is no picture.
        """


@runtime_checkable
class SupportsFlops(Protocol):
    """A node with ``execute`` that knows how much arithmetic it is, so that placement can weigh it.

    Of a body the expression tells; of any other node without this, one operation for each element is assumed.
    """

    def flops_per_element(self, input_specs: Sequence[ValueSpec], output_specs: Sequence[ValueSpec], /) -> float:
        """Return the approximate operations for each element of the outputs; specs are those of whole values."""


class NodeExecutor(Protocol):
    """Whoever knows how to run the nodes of a graph."""

    def prepare(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Program:
        """Return the steps that compute the outputs of those nodes.

        The snapshot holds no latches: the evaluator has put inputs or their ``init`` in their place.

        The program depends on the snapshot's structure and on ``ctx.resolution``, ``ctx.window``, ``ctx.precision`` and
        the specs of ``ctx.inputs``, and may be run again with any context that agrees in those.
        """


@runtime_checkable
class SupportsRecovery(Protocol):
    """An executor that can do without what failed, if the evaluation is begun again."""

    def recover(self, error: Exception, /) -> MemorySpace | None:
        """Return the space whose values are lost with an error that a step raised; None if the caller has to know.

        The evaluator forgets the values of that space and evaluates again, with a program prepared anew if the present
        one is not current any more. To be None sooner or later for an error that comes again and again.
        """


def supports_execute(node: object) -> TypeGuard[SupportsExecute]:
    """Return whether a node's meaning is NumPy code: what ``isinstance`` says, at a hundredth of the cost."""
    return hasattr(node, "execute")


def supports_scalar_function(node: object) -> TypeGuard[SupportsScalarFunction]:
    """Return whether a node offers itself as a function of scalars."""
    return hasattr(node, "scalar_function")


def supports_flops(node: object) -> TypeGuard[SupportsFlops]:
    """Return whether a node knows how much arithmetic it is."""
    return hasattr(node, "flops_per_element")


def supports_input_windows(node: object) -> TypeGuard[SupportsInputWindows]:
    """Return whether a node can compute a part of its picture."""
    return hasattr(node, "input_windows")
