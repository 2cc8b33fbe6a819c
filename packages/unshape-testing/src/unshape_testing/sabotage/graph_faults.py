"""Faults that show in whole graphs only: spoilt inputs, fickle prices, cancels that are not heeded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unshape_backend.cost import Cost, CostBasis
from unshape_backend.errors import BackendError
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_testing.fake import FakeBackend
from unshape_testing.loopback_array import LoopbackArray
from unshape_testing.sabotage.wrapped import WrappedBackend


class SpoilsInputsWhenFailing(FakeBackend):
    """Computes in place, and fails half-way: nobody can start from these inputs again."""

    def compile(self, task: Task) -> CompiledTask:
        """Write into the inputs of a run that fails."""
        compiled = super().compile(task)

        def run(nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
            try:
                return compiled(nodes, inputs, ctx)
            except BackendError:
                for value in inputs:
                    if isinstance(value, LoopbackArray):
                        self.download(value)
                        value.buffer(where="sabotage").bytes[:] = 0
                raise

        return run


class FicklePrices(WrappedBackend):
    """Asks another price every time."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self._asked = 0

    def estimate_cost(self, _task: Task) -> Cost | None:
        """Count up."""
        self._asked += 1
        return Cost(compute_ns=self._asked, basis=CostBasis.DECLARED)


class WrongWhenAskedAgain(WrappedBackend):
    """Gives something else for a node that it has computed before."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self._seen: set[object] = set()

    def spoil(self, task: Task, _index: int, array: np.ndarray[Any, Any], _ctx: EvalContext) -> np.ndarray[Any, Any]:
        """Spoil what was computed before."""
        key = task.nodes, task.region.output
        if key in self._seen and array.size:
            array.reshape(-1)[0] += 1
        self._seen.add(key)
        return array
