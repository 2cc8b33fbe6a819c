"""Runners: the work of a plan's steps."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unshape_backend.errors import BackendError, SelectionError
from unshape_backend.fallback import Fallback
from unshape_backend.identity import BackendId
from unshape_backend.plan.infer import locate
from unshape_backend.plan.steps import TaskStep, TransferStep
from unshape_backend.protocols import CompiledTask, ComputeBackend
from unshape_backend.residency import Residency
from unshape_core.cache import space_of
from unshape_core.context import EvalContext
from unshape_core.errors import UnshapeError
from unshape_core.memory_space import HOST
from unshape_core.notes import add_note
from unshape_core.protocols import Node, SupportsExecute
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import ArrayType

if TYPE_CHECKING:
    from unshape_core.program import BoundStep, StepRunner

_log = logging.getLogger("unshape_backend")


class GivenRunner:
    """Gives out a constant, or what the caller gave."""

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the node's value."""
        return self.bind(nodes)(inputs, ctx)

    def bind(self, nodes: tuple[Node, ...], /) -> BoundStep:
        """Return the node's own ``execute``."""
        node = nodes[0]
        assert isinstance(node, SupportsExecute)  # GraphInput and Constant have it
        return node.execute


class TaskRunner:
    """Runs a task on the backend that was chosen, or on the next one of its chain.

    Parameters
    ----------
    step : TaskStep
        The plan's step.
    fallback : Fallback
        Decides who is tried.
    residency : Residency
        Brings inputs that are elsewhere than planned.
    distrusted : set of BackendId
        Backends whose errors came late, so that each of their steps is waited for; shared by all runners.
    is_bound : bool
        Whether no other backend than the chosen one may run it.
    is_awaited : bool
        Whether the evaluation ends with its outputs where they are, so that whoever made them is waited for: what goes
        wrong later than that could not be made good any more.
    """

    def __init__(
        self,
        step: TaskStep,
        *,
        fallback: Fallback,
        residency: Residency,
        distrusted: set[BackendId],
        is_bound: bool,
        is_awaited: bool,
    ) -> None:
        self._task = step.wired.task
        self._is_awaited = is_awaited
        self._chain = step.decision.chain
        self._ends_group = step.ends_group
        self._fixed_nodes = step.wired.task.nodes if step.is_excerpt else None
        self._fallback, self._residency, self._distrusted = fallback, residency, distrusted
        self._is_bound = is_bound
        self._compiled: dict[BackendId, tuple[ComputeBackend, CompiledTask]] = {}
        self._array_inputs = _places(self._task.input_specs, of_arrays=True)
        self._number_outputs = _places(self._task.output_specs, of_arrays=False)
        self._name = f"node {self._task.node_ids[-1]} ({self._task.node.type_name})"

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Run the task.

        Raises
        ------
        BackendError
            If no backend of the chain could do it.
        """
        nodes = self._fixed_nodes or nodes

        def attempt(backend: ComputeBackend) -> tuple[Value, ...]:
            return self._run_on(backend, nodes, inputs, ctx)

        try:
            outputs = self._fallback.run(self._chain, attempt, what=self._name, is_bound=self._is_bound)
            if self._is_awaited:
                for space in {space_of(value) for value in outputs} - {HOST}:
                    self._residency.wait_for(space)
            return outputs
        except UnshapeError as error:
            locate(error, node_id=self._task.node_ids[-1], type_name=self._task.node.type_name)
            raise

    def _run_on(
        self, backend: ComputeBackend, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        ready = self._compiled.get(backend.id)
        if ready is None or ready[0] is not backend:
            ready = self._compiled[backend.id] = (backend, backend.compile(self._task))
        outputs = ready[1](nodes, self._brought(backend, inputs), ctx)
        if self._ends_group or self._is_awaited:
            backend.flush()
        if backend.id in self._distrusted:
            backend.flush()
            backend.synchronize()
        return self._with_numbers_here(backend, outputs) if self._number_outputs else outputs

    def _brought(self, backend: ComputeBackend, inputs: Sequence[Value]) -> Sequence[Value]:
        """Return the inputs in the backend's space; after a fallback, and for defaults, some are elsewhere."""
        space = backend.capabilities.space
        strays = [index for index in self._array_inputs if space_of(inputs[index]) != space]
        if not strays:
            return inputs
        brought = list(inputs)
        for index in strays:
            add_note(f"moved input {index} from '{space_of(inputs[index])}' to '{space}'")
            brought[index] = self._residency.bring(inputs[index], space, backend=backend)
        return brought

    def _with_numbers_here(self, backend: ComputeBackend, outputs: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the outputs with scalars that a device computed as values of the host, where scalars live."""
        brought = list(outputs)
        for index in self._number_outputs:
            if space_of(brought[index]) != HOST:
                brought[index] = backend.download(brought[index])
        return tuple(brought)


def _places(specs: Sequence[ValueSpec], *, of_arrays: bool) -> tuple[int, ...]:
    """Return which of some values are arrays, or which are not."""
    return tuple([index for index, spec in enumerate(specs) if isinstance(spec.value_type, ArrayType) == of_arrays])


class TransferRunner:
    """Moves a value, or leaves it where it is if the device cannot take it; its reader then falls back.

    Parameters
    ----------
    step : TransferStep
        The plan's step.
    fallback : Fallback
        Makes room on a device that is full.
    residency : Residency
        Moves values.
    is_bound : bool
        Whether a failure is raised: the graph or the caller names the place.
    """

    def __init__(self, step: TransferStep, *, fallback: Fallback, residency: Residency, is_bound: bool) -> None:
        self._step, self._fallback, self._residency, self._is_bound = step, fallback, residency, is_bound

    def __call__(self, _nodes: tuple[Node, ...], inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the value in the target space."""
        step, value = self._step, inputs[0]

        def attempt(backend: ComputeBackend) -> Value:
            is_taker = backend.capabilities.space == step.target
            moved = self._residency.bring(value, step.target, backend=backend if is_taker else None)
            if step.ends_group:
                backend.flush()
            return moved

        try:
            return (self._fallback.once(step.backend, attempt),)
        except (BackendError, SelectionError) as error:
            if self._is_bound or self._fallback.is_strict or space_of(value) != HOST:
                raise
            _log.debug("'%s' does not take a value (%s); it stays in '%s'", step.backend, error, space_of(value))
            return (value,)


if TYPE_CHECKING:
    _given: type[StepRunner] = GivenRunner
    _task: type[StepRunner] = TaskRunner
    _transfer: type[StepRunner] = TransferRunner
