"""Running a node by a kernel that was written for its type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unshape_backend.input_checks import shape_at_hand
from unshape_backend.kernel import KernelSpec
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_core.value_type import ArrayType
from unshape_opencl.buffer import ClArray, Form
from unshape_opencl.kernel_device import KernelDevice, KernelFunction
from unshape_opencl.opened_device import OpenedDevice
from unshape_opencl.prepared import Prepared

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
        self._device = device
        self._task = task
        self._region = task.region
        self._where = f"node '{task.node.type_name}' on '{backend.id}'"
        self._check = backend.input_checks(task)
        self._function: KernelFunction = kernel.function
        self._prepared = Prepared(backend, device, self._where)
        self._expected = [self._expected_form(number) for number in range(len(task.input_specs))]
        shapes = [shape_at_hand(spec, task.region.output) for spec in task.output_specs]
        self._empty = None
        if all(shape is not None and 0 in shape for shape in shapes):
            dtypes = [spec.value_type.dtype for spec in task.output_specs if isinstance(spec.value_type, ArrayType)]
            self._empty = [
                backend.form(shape or (), np.dtype(dtype)) for shape, dtype in zip(shapes, dtypes, strict=True)
            ]

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Launch what the kernel launches and return its outputs, which need not be ready."""
        self._backend.check_usable(self._where)
        if not self._are_expected(inputs):
            self._check(inputs)
        ctx.raise_if_cancelled()
        if self._empty is not None:
            return tuple([ClArray(None, form) for form in self._empty])
        told = ctx if ctx.region is self._region else ctx.with_region(self._region)
        view = KernelDevice(self._backend, self._device, self._prepared, self._where)
        return tuple(self._function(nodes[-1], inputs, told, view))

    def _expected_form(self, number: int) -> Form | None:
        """Return the form that an input must have; None where several may do."""
        spec = self._task.input_specs[number]
        shape = shape_at_hand(spec, self._region.inputs[number])
        if shape is None or not isinstance(spec.value_type, ArrayType):
            return None
        return self._backend.form(shape, np.dtype(spec.value_type.dtype))

    def _are_expected(self, inputs: Sequence[Value]) -> bool:
        """Return whether all inputs are arrays and nothing is odd about them."""
        if len(inputs) != len(self._expected):
            return False
        for value, form in zip(inputs, self._expected):  # noqa: B905 - they were counted
            if type(value) is not ClArray or value.form is not form or value.block is None:
                return False
        return True


if TYPE_CHECKING:
    _proof: type[CompiledTask] = KernelTask
