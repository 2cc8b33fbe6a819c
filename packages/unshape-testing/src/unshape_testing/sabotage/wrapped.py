"""A backend that does what another one does, to be spoilt in one place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import BackendCapabilities
from unshape_backend.cost import Cost
from unshape_backend.identity import BackendId
from unshape_backend.kernel import KernelSpec
from unshape_backend.protocols import PROTOCOL_VERSION, CompiledTask, MemoryInfo
from unshape_backend.task import Rejection, Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend


class WrappedBackend:
    """Hand every call on to another backend.

    Parameters
    ----------
    inner : ComputeBackend
        Who does the work.
    """

    protocol_version = PROTOCOL_VERSION

    def __init__(self, inner: ComputeBackend) -> None:
        self.inner = inner

    @property
    def id(self) -> BackendId:
        """That of the other backend."""
        return self.inner.id

    @property
    def capabilities(self) -> BackendCapabilities:
        """Those of the other backend."""
        return self.inner.capabilities

    def supports(self, task: Task) -> Rejection | None:
        """Hand on."""
        return self.inner.supports(task)

    def estimate_cost(self, task: Task) -> Cost | None:
        """Hand on."""
        return self.inner.estimate_cost(task)

    def compile(self, task: Task) -> CompiledTask:
        """Hand on, with :meth:`run` around each run."""
        compiled = self.inner.compile(task)

        def run(nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
            return self.run(task, compiled, nodes, inputs, ctx)

        return run

    def run(
        self, task: Task, compiled: CompiledTask, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext
    ) -> tuple[Value, ...]:
        """Run a task; the usual place for a fault."""
        outputs = compiled(nodes, inputs, ctx)
        return tuple(self.altered(task, index, value, ctx) for index, value in enumerate(outputs))

    def altered(self, task: Task, index: int, value: Value, ctx: EvalContext) -> Value:
        """Return an output with its elements spoilt by :meth:`spoil`."""
        if not hasattr(value, "shape"):
            return value
        array = np.array(self.inner.download(value))
        return self.inner.upload(self.spoil(task, index, array, ctx))

    def spoil(self, _task: Task, _index: int, array: npt.NDArray[Any], _ctx: EvalContext) -> npt.NDArray[Any]:
        """Return the elements of an output as they are."""
        return array

    def upload(self, array: npt.NDArray[Any]) -> Value:
        """Hand on."""
        return self.inner.upload(array)

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Hand on."""
        return self.inner.download(value)

    def flush(self) -> None:
        """Hand on."""
        self.inner.flush()

    def synchronize(self) -> None:
        """Hand on."""
        self.inner.synchronize()

    def memory(self) -> MemoryInfo:
        """Hand on."""
        return self.inner.memory()

    def register_kernel(self, kernel: KernelSpec) -> None:
        """Hand on."""
        self.inner.register_kernel(kernel)

    def close(self) -> None:
        """Hand on."""
        self.inner.close()


if TYPE_CHECKING:
    _proof: type[ComputeBackend] = WrappedBackend
