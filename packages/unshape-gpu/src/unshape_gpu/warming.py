"""Shaders compiled before they are needed: when a plan is there, not when its first evaluation waits for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.input_checks import shape_at_hand
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.memory_space import MemorySpace
from unshape_core.value import Value
from unshape_core.value_type import ArrayType
from unshape_gpu.buffer import F32, GpuBuffer
from unshape_gpu.kernel import KernelCall
from unshape_gpu.program import Program
from unshape_gpu.task import KernelTask

if TYPE_CHECKING:
    from unshape_gpu.backend import GpuComputeBackend
    from unshape_gpu.buffer import BufferOwner
    from unshape_gpu.device import GpuContext
    from unshape_gpu.kernel import Runner


def warm_up(backend: GpuComputeBackend, tasks: Iterable[Task]) -> int:
    """Compile the shaders of tasks; nothing runs and no memory is taken.

    Parameters
    ----------
    backend : GpuComputeBackend
        Where they will run.
    tasks : iterable of Task
        Those of a plan are ``[step.wired.task for step in plan.tasks]``; what the backend does not support is left out.

    Returns
    -------
    int
        How many shaders were compiled.

    Raises
    ------
    CompilationError
        If one does not compile.
    """
    before = backend.context.compilations
    for task in tasks:
        if backend.supports(task) is not None:
            continue
        compiled = backend.compile(task)
        if isinstance(compiled, KernelTask):
            _rehearse(backend, task, compiled)
    return backend.context.compilations - before


def _rehearse(backend: GpuComputeBackend, task: Task, compiled: KernelTask) -> None:
    """Let a kernel go through its work with arrays that are nowhere, so that it asks for its shaders."""
    stage = _Rehearsal(backend.context, backend)
    inputs: list[Value] = []
    for spec, window in zip(task.input_specs, task.region.inputs, strict=True):
        shape = shape_at_hand(spec, window)
        if not isinstance(spec.value_type, ArrayType):
            inputs.append(0.0)
        else:
            inputs.append(stage.empty(shape or (0,), np.dtype(spec.value_type.dtype)))
    size_px = next((spec.picture_px for spec in task.output_specs if spec.picture_px is not None), (1, 1))
    ctx = EvalContext(resolution=size_px, precision=task.precision, region=task.region)
    compiled.kernel(task.node, inputs, ctx, KernelCall(stage, label=task.node.type_name, precision=task.precision))


class _Rehearsal:
    """A runner whose arrays have no memory and that records nothing."""

    def __init__(self, context: GpuContext, owner: BufferOwner) -> None:
        self.context = context
        self._owner = owner

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any] = F32, /) -> GpuBuffer:
        """Return an array that is nowhere."""
        space: MemorySpace = self.context.space
        return GpuBuffer(None, shape, dtype, nbytes=prod(shape) * dtype.itemsize, space=space, owner=self._owner)

    def table(self, array: npt.NDArray[Any], /) -> GpuBuffer:
        """Return an array that is nowhere."""
        return self.empty(array.shape, array.dtype)

    def record(
        self,
        program: Program,
        arrays: Sequence[GpuBuffer],
        *,
        written: Sequence[GpuBuffer],
        params: bytes,
        groups: tuple[int, int, int],
        label: str,
    ) -> None:
        """Record nothing: the program is compiled by now."""


if TYPE_CHECKING:
    _proof: type[Runner] = _Rehearsal
