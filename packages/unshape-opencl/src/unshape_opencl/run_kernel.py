"""Running a node by a kernel that was written for its type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unshape_backend.kernel import KernelSpec
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_core.value_type import ArrayType
from unshape_opencl.input_checks import InputChecks, shape_at_hand
from unshape_opencl.kernel_device import KernelDevice, KernelFunction
from unshape_opencl.opened_device import OpenedDevice

if TYPE_CHECKING:
    from unshape_opencl.backend import OpenClBackend


class KernelTask:
    """A task made ready.

    Parameters
    ----------
    backend : OpenClBackend
        Whose arrays go in and out.
    device : OpenedDevice
        Runs it.
    task : Task
        Of one node.
    kernel : KernelSpec
        What runs it.
    """

    def __init__(self, backend: OpenClBackend, device: OpenedDevice, task: Task, kernel: KernelSpec) -> None:
        self._backend = backend
        self._region = task.region
        self._check = InputChecks(task, backend)
        self._function: KernelFunction = kernel.function
        self._device = device
        shapes = [shape_at_hand(spec, task.region.output) for spec in task.output_specs]
        self._empty = None
        if all(shape is not None and 0 in shape for shape in shapes):
            dtypes = [spec.value_type.dtype for spec in task.output_specs if isinstance(spec.value_type, ArrayType)]
            self._empty = [(shape or (), np.dtype(dtype)) for shape, dtype in zip(shapes, dtypes, strict=True)]

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Launch what the kernel launches and return its outputs, which need not be ready."""
        self._backend.check_usable(self._check.where)
        self._check(inputs)
        ctx.raise_if_cancelled()
        if self._empty is not None:
            return tuple(self._backend.array(None, shape, dtype) for shape, dtype in self._empty)
        view = KernelDevice(self._backend, self._device, self._check.where)
        return tuple(self._function(nodes[-1], inputs, replace(ctx, region=self._region), view))


if TYPE_CHECKING:
    _proof: type[CompiledTask] = KernelTask
