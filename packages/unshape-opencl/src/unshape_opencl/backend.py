"""The backend "opencl": one opened device that runs expressions and registered kernels."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import BackendCapabilities
from unshape_backend.cost import Cost, roofline
from unshape_backend.errors import BackendClosedError, ForkedProcessError, UnsupportedTaskError
from unshape_backend.identity import BackendId
from unshape_backend.input_checks import CheckInputs, Memory, make_input_checks
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.protocols import PROTOCOL_VERSION, CompiledTask, MemoryInfo
from unshape_backend.task import Rejection, Task
from unshape_core.errors import InvalidArgumentError
from unshape_core.fork_safety import renew_in_children
from unshape_core.value import Value
from unshape_opencl.buffer import ClArray, Form
from unshape_opencl.errors import DriverErrors
from unshape_opencl.opened_device import OpenedDevice
from unshape_opencl.pool import PoolStatistics
from unshape_opencl.run_expression import ExpressionTask
from unshape_opencl.run_kernel import KernelTask
from unshape_opencl.support import why_not
from unshape_opencl.timing import KernelTime, Timings

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend, SupportsDirectTransfer, SupportsKernelTable, SupportsTrim

ALIGNMENT_BYTES = 16
"""Of host arrays that are used in place: kernels read four floats at once."""


class OpenClBackend:
    """One opened device.

    Nothing waits for the device but downloads and ``synchronize``.

    Parameters
    ----------
    device : OpenedDevice
        The device; closed with the backend.

    Attributes
    ----------
    is_usable : bool
        Whether it is open, in the process that opened it.
    """

    protocol_version = PROTOCOL_VERSION

    def __init__(self, device: OpenedDevice) -> None:
        self.capabilities: BackendCapabilities = device.facts
        self.id: BackendId = device.facts.id
        self._device = device
        self._timings = Timings(device.queue)
        self._kernels = KernelTable("opencl")
        self._forms: WeakValueDictionary[tuple[tuple[int, ...], np.dtype[Any]], Form] = WeakValueDictionary()
        self._process = os.getpid()
        self._is_closed = False
        self.is_usable = True
        renew_in_children(self)

    @property
    def kernels(self) -> KernelTable:
        """Kernels for particular nodes."""
        return self._kernels

    @property
    def pool_statistics(self) -> PoolStatistics:
        """What the memory pool has done and holds."""
        return self._device.pool.statistics

    @property
    def compilations(self) -> int:
        """How many programs the driver's compiler has made for this backend."""
        return self._device.programs.compilations

    def supports(self, task: Task) -> Rejection | None:
        """Return None for expressions and for nodes that have a kernel here, if they fit the device; else why not."""
        self.check_usable("supports")
        return why_not(task, self._kernels, self.capabilities)

    def estimate_cost(self, task: Task) -> Cost | None:
        """Return the roofline of the device."""
        self.check_usable("estimate_cost")
        kernel = self._kernels.find(task, self.capabilities.limits)
        work = kernel.work(task) if isinstance(kernel, KernelSpec) and kernel.work is not None else task.workload
        return roofline(work, self.capabilities.throughput)

    def compile(self, task: Task) -> CompiledTask:
        """Make a task ready: a kernel for the node if there is one, else the expression.

        Raises
        ------
        UnsupportedTaskError
            If it is not supported.
        CompilationError
            If the device's compiler refuses it.
        """
        self.check_usable("compile")
        why = self.supports(task)
        name = task.node.type_name
        if why is not None:
            msg = f"node '{name}' on '{self.id}': it is not supported ({why}); ask supports() first"
            raise UnsupportedTaskError(msg, backend=self.id, node_id=task.node_ids[-1], type_name=name)
        kernel = self._kernels.find(task, self.capabilities.limits)
        with self.driver_errors(f"node '{name}' on '{self.id}'"):
            if isinstance(kernel, KernelSpec):
                return KernelTask(self, self._device, task, kernel)
            assert task.kernel is not None  # else it would not be supported
            return ExpressionTask(self, self._device, task, task.kernel)

    def upload(self, array: object) -> ClArray:
        """Copy a host array, of any layout and byte order; it may be changed afterwards."""
        where = f"upload on '{self.id}'"
        self.check_usable("upload")
        if not isinstance(array, np.ndarray) or array.dtype.hasobject:
            got = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
            msg = f"{where}: expected a numpy array of numbers, got {got}"
            raise InvalidArgumentError(msg)
        form = self.form(array.shape, array.dtype.newbyteorder("="))
        with self.driver_errors(where):
            made = ClArray(self._device.take(form.nbytes, for_host=True), form)
            if made.block is not None:
                made.ready = self._device.transfer.upload(array, made.block)
        return made

    def adopt(self, value: Value) -> ClArray | None:
        """Return a host array in this space without a copy, where the device uses host memory and it cannot change."""
        self.check_usable("adopt")
        if not self._device.shares_memory or not isinstance(value, np.ndarray) or not _is_lendable(value):
            return None
        with self.driver_errors(f"adopt on '{self.id}'"):
            return ClArray(self._device.pool.lend(value), self.form(value.shape, value.dtype))

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Wait for an array and copy it to the host."""
        self.check_usable("download")
        where = f"download on '{self.id}'"
        if not isinstance(value, ClArray) or value.owner is not self:
            msg = f"{where}: expected a value of {self.capabilities.space}, got {type(value).__name__}; upload it first"
            raise InvalidArgumentError(msg)
        block = value.memory(where)
        with self.driver_errors(where):
            return self._device.download(block, value.shape, value.dtype, value.ready)

    def host_array(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return a new host array for uploads: in pinned memory, which a GPU reads by itself, as long as there is some.

        Parameters
        ----------
        shape : tuple of int
            Its shape.
        dtype : dtype
            Type of its elements.
        """
        self.check_usable("host_array")
        with self.driver_errors(f"host_array on '{self.id}'"):
            return self._device.host_array(shape, np.dtype(dtype))

    def flush(self) -> None:
        """Hand over what was recorded; does not wait."""
        self.check_usable("flush")
        with self.driver_errors(f"flush on '{self.id}'"):
            self._device.queue.flush()

    def synchronize(self) -> None:
        """Wait until everything is done."""
        self.check_usable("synchronize")
        with self.driver_errors(f"synchronize on '{self.id}'"):
            self._device.queue.finish()

    def memory(self) -> MemoryInfo:
        """Return the budget of the pool, and what values use of it."""
        self.check_usable("memory")
        used, budget = self._device.pool.statistics.used_bytes, self._device.pool.budget_bytes
        available = None if budget is None else max(0, budget - used)
        return MemoryInfo(total_bytes=budget, used_bytes=used, available_bytes=available)

    def trim(self) -> int:
        """Give back memory that is kept to be used again."""
        self.check_usable("trim")
        with self.driver_errors(f"trim on '{self.id}'"):
            return self._device.pool.trim()

    def register_kernel(self, kernel: KernelSpec) -> None:
        """Add a kernel, called as ``function(node, inputs, ctx, device)``: see ``kernel_device.py``."""
        self.check_usable("register_kernel")
        self._kernels.add(kernel)

    @contextmanager
    def kernel_times(self) -> Iterator[list[KernelTime]]:
        """Record the kernels launched inside the block, by the device's clock; the list is filled at its end."""
        self.check_usable("kernel_times")
        with self._timings.recorded() as times:
            yield times

    def close(self) -> None:
        """Wait for the device and release it. May be called twice; in a forked child it only refuses further work."""
        if self._is_closed:
            return
        self._is_closed, self.is_usable = True, False
        if os.getpid() == self._process:
            with self.driver_errors(f"close on '{self.id}'"):
                self._device.close()

    def input_checks(self, task: Task) -> CheckInputs:
        """Return what checks that a task is given arrays of this backend, of the right types and sizes."""
        memory = Memory(
            name=f"the memory of '{self.id}'",
            array_type=ClArray,
            is_own=lambda array: array.owner is self,
            remedy="upload it first",
        )
        return make_input_checks(task, backend=self.id, memory=memory)

    def form(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Form:
        """Return what arrays of a shape and type have in common."""
        found = self._forms.get((shape, dtype))
        if found is None:
            made = Form(shape, dtype, space=self.capabilities.space, owner=self)
            found = self._forms.setdefault((shape, dtype), made)
        return found

    def renew_after_fork(self) -> None:
        """Refuse further work in a child: the device belongs to the parent."""
        self.is_usable = False

    def check_usable(self, operation: str) -> None:
        """Raise if the backend was closed, or opened before a fork.

        Parameters
        ----------
        operation : str
            What was to be done, for the message.
        """
        if self.is_usable:
            return
        if self._is_closed:
            msg = f"backend '{self.id}': {operation}: it was closed; open it again"
            raise BackendClosedError(msg, backend=self.id)
        msg = (
            f"backend '{self.id}': {operation}: it was opened in process {self._process} and this is a fork of it; "
            'use the "spawn" start method and open it anew'
        )
        raise ForkedProcessError(msg, backend=self.id)

    def driver_errors(self, where: str) -> DriverErrors:
        """Return a block in which errors of the driver become those of this package."""
        return DriverErrors(where, backend=self.id)


def _is_lendable(array: npt.NDArray[Any]) -> bool:
    """Return whether an array may be used in place: dense, aligned, and nobody can change it through its owner."""
    is_fit = array.size > 0 and array.flags.c_contiguous and array.dtype.isnative and not array.dtype.hasobject
    if not is_fit or array.ctypes.data % ALIGNMENT_BYTES:
        return False
    owner: object = array
    while isinstance(owner, np.ndarray):
        if owner.flags.writeable:
            return False
        if owner.base is None:
            return True
        owner = owner.base
    return False


if TYPE_CHECKING:
    _proof: type[ComputeBackend] = OpenClBackend
    _adopts: type[SupportsDirectTransfer] = OpenClBackend
    _shows: type[SupportsKernelTable] = OpenClBackend
    _trims: type[SupportsTrim] = OpenClBackend
