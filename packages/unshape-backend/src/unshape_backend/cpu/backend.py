"""The reference backend: runs every node by its definition, with NumPy, in host memory.

What it computes is what the node means; every other backend is compared with it. It supports a node only if the node
has a definition, and it is the last of every chain that it does not lead.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import BackendCapabilities, Feature
from unshape_backend.cost import Cost, roofline
from unshape_backend.cpu.device import NUMPY_CALL_NS, NUMPY_DEFINITION_NS, NUMPY_THROUGHPUT, cpu_device
from unshape_backend.cpu.host_memory import host_memory
from unshape_backend.cpu.run_definition import compile_definition
from unshape_backend.cpu.run_kernel import compile_kernel
from unshape_backend.errors import BackendClosedError, UnsupportedTaskError
from unshape_backend.identity import CPU, REFERENCE, BackendId
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.protocols import PROTOCOL_VERSION, CompiledTask, ComputeBackend, MemoryInfo
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST
from unshape_core.value import Value
from unshape_expr.work import operations_of


class CpuBackend:
    """The backend "cpu".

    A kernel registered for the family ``"cpu"`` comes before the definition and must give the same bits; its function
    is called as ``function(node, inputs, ctx)`` and returns the outputs in port order.
    """

    protocol_version = PROTOCOL_VERSION

    def __init__(self) -> None:
        self._kernels = KernelTable("cpu")
        self._is_closed = False

    @property
    def id(self) -> BackendId:
        """``"cpu"``."""
        return REFERENCE

    @cached_property
    def capabilities(self) -> BackendCapabilities:
        """The facts; asked of the system once."""
        return BackendCapabilities(
            id=REFERENCE,
            kind=CPU,
            space=HOST,
            device=cpu_device(),
            features=frozenset({Feature.EXACT_F32, Feature.F64, Feature.DENORMALS}),
            throughput=NUMPY_THROUGHPUT,
        )

    @cached_property
    def _interpreter(self) -> Interpreter:
        from unshape_expr.interpret import Interpreter  # half of the import time of this package

        return Interpreter()

    @property
    def kernels(self) -> KernelTable:
        """Kernels registered for the family ``"cpu"``."""
        return self._kernels

    def supports(self, task: Task) -> Rejection | None:
        """Return None if the task has a kernel or a definition, else why not."""
        self._check_open()
        if task.kernel is not None or isinstance(self._kernels.find(task, self.capabilities.limits), KernelSpec):
            return None
        if len(task.nodes) == 1 and callable(getattr(task.nodes[0], "execute", None)):  # isinstance takes 10 us
            return None
        return Rejection(RejectionCode.NO_KERNEL, f"{task.node.type_name} has neither a body nor execute()")

    def estimate_cost(self, task: Task) -> Cost | None:
        """Return the roofline estimate of NumPy on one core, with what its calls cost by themselves."""
        self._check_open()
        kernel = self._kernels.find(task, self.capabilities.limits)
        if isinstance(kernel, KernelSpec):
            return roofline(task.workload if kernel.work is None else kernel.work(task), NUMPY_THROUGHPUT)
        cost = roofline(task.workload, NUMPY_THROUGHPUT)
        if cost is None or task.workload.elements == 0:
            return cost
        calls_ns = NUMPY_DEFINITION_NS
        if task.kernel is not None:
            calls_ns = NUMPY_CALL_NS * operations_of(task.kernel.body)
        return cost + Cost(launch_ns=calls_ns)

    def compile(self, task: Task) -> CompiledTask:
        """Choose kernel, expression or definition for the task.

        Raises
        ------
        UnsupportedTaskError
            If it has none of them.
        """
        self._check_open()
        kernel = self._kernels.find(task, self.capabilities.limits)
        if isinstance(kernel, KernelSpec):
            return compile_kernel(task, kernel)
        if task.kernel is not None:
            from unshape_backend.cpu.run_expression import compile_expression

            return compile_expression(task, task.kernel, self._interpreter)
        reason = self.supports(task)
        if reason is not None:
            msg = f"node '{task.node.type_name}' on 'cpu': {reason}"
            raise UnsupportedTaskError(msg, backend=REFERENCE, node_id=task.node_ids[-1], type_name=task.node.type_name)
        return compile_definition(task)

    def upload(self, array: npt.NDArray[Any]) -> Value:
        """Return a read-only copy in C order and native byte order."""
        self._check_open()
        _check_array(array, "upload")
        copy = np.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True)
        copy.flags.writeable = False
        return copy

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Return a copy that owns its memory and may be written."""
        self._check_open()
        _check_array(value, "download")
        return np.array(value, order="C", copy=True)

    def flush(self) -> None:
        """Do nothing: whatever was called is done."""
        self._check_open()

    def synchronize(self) -> None:
        """Do nothing: whatever was called is done."""
        self._check_open()

    def memory(self) -> MemoryInfo:
        """Return what the operating system and control groups leave to this process."""
        self._check_open()
        return host_memory()

    def register_kernel(self, kernel: KernelSpec) -> None:
        """Add a kernel for the family ``"cpu"``."""
        self._check_open()
        self._kernels.add(kernel)

    def close(self) -> None:
        """Refuse all further work. May be called twice."""
        self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise BackendClosedError("backend 'cpu' was closed; make a new CpuBackend()", backend=REFERENCE)


def _check_array(value: object, operation: str) -> None:
    if not isinstance(value, np.ndarray):
        msg = f"{operation} on 'cpu': expected a numpy array, got {type(value).__name__}"
        raise InvalidArgumentError(msg)
    if value.dtype.hasobject:
        msg = f"{operation} on 'cpu': expected numbers, got an array of Python objects"
        raise InvalidArgumentError(msg)


if TYPE_CHECKING:
    from unshape_expr.interpret import Interpreter

    _proof: type[ComputeBackend] = CpuBackend
