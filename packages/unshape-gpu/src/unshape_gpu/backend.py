"""The backend "gpu": expressions as WGSL compute shaders, values in the memory of a device.

Work is recorded and handed over where a group of steps ends; nothing waits before somebody asks for elements.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import prod
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import BackendCapabilities, DeviceLimits, Feature
from unshape_backend.cost import Cost, roofline
from unshape_backend.errors import BackendClosedError, BackendError, UnsupportedTaskError
from unshape_backend.identity import GPU, BackendId
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.protocols import PROTOCOL_VERSION, CompiledTask, MemoryInfo
from unshape_backend.task import Rejection, Task
from unshape_core.errors import InvalidArgumentError
from unshape_core.fork_safety import renew_in_children
from unshape_core.memory_space import HOST
from unshape_core.value import Value
from unshape_gpu import native
from unshape_gpu.buffer import F32, GpuBuffer, Lease
from unshape_gpu.device import GpuContext, contexts
from unshape_gpu.errors import is_device_loss, translated
from unshape_gpu.fence import Fence
from unshape_gpu.future import GpuFuture
from unshape_gpu.kernel import GpuKernel
from unshape_gpu.native_objects import Buffer, create_buffer
from unshape_gpu.performance import links_of, throughput_of
from unshape_gpu.pool import Block, GpuMemoryPool
from unshape_gpu.program import Program
from unshape_gpu.queue import GpuQueue
from unshape_gpu.support import why_not
from unshape_gpu.tables import Tables
from unshape_gpu.task import ExpressionTask, KernelTask
from unshape_gpu.timing import KernelTime, KernelTimer
from unshape_gpu.transfer import Transfers

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend
    from unshape_gpu.buffer import BufferOwner
    from unshape_gpu.kernel import Runner

_STAND_IN_BYTES = 16


class GpuComputeBackend:
    """One device.

    Parameters
    ----------
    context : GpuContext
        The device; shared by all backends on it.
    limits : DeviceLimits, optional
        Lower limits than the device's, for tests and to leave memory to others.
    """

    protocol_version = PROTOCOL_VERSION

    def __init__(self, context: GpuContext, *, limits: DeviceLimits | None = None) -> None:
        self.context = context
        self.id = BackendId("gpu" if context.ordinal == 0 else f"gpu:{context.ordinal}")
        self.capabilities = BackendCapabilities(
            id=self.id,
            kind=GPU,
            space=context.space,
            device=context.info,
            limits=limits or context.limits,
            features=context.features,
            throughput=throughput_of(context),
            links=links_of(context),
        )
        self.queue = GpuQueue(context, backend=self.id)
        self.pool = GpuMemoryPool(
            self._allocate,
            backend=self.id,
            budget_bytes=self.capabilities.limits.memory_budget_bytes,
            on_destroy=self._forget,
            lock=context.lock,
        )
        self.transfers = Transfers(context, self.queue)
        self._kernels = KernelTable("gpu")
        self._tables = Tables()
        self._space = context.space
        self._spare: Block | None = None
        self._is_closed = False
        renew_in_children(self)

    # Planning.

    @property
    def kernels(self) -> KernelTable:
        """Kernels for particular nodes."""
        return self._kernels

    def supports(self, task: Task) -> Rejection | None:
        """Return None if the task runs here and gives the right result, else why not."""
        self.check_usable("supports")
        return why_not(task, self._kernels, self.capabilities, max_params_bytes=self.context.max_params_bytes)

    def estimate_cost(self, task: Task) -> Cost | None:
        """Return the roofline of the device."""
        self.check_usable("estimate_cost")
        kernel = self._kernels.find(task, self.capabilities.limits)
        work = kernel.work(task) if isinstance(kernel, KernelSpec) and kernel.work is not None else task.workload
        return roofline(work, self.capabilities.throughput)

    def register_kernel(self, kernel: KernelSpec) -> None:
        """Add a kernel, whose ``function`` is a :class:`~unshape_gpu.kernel.GpuKernel`."""
        self.check_usable("register_kernel")
        self._kernels.add(kernel)

    # Running.

    def compile(self, task: Task) -> CompiledTask:
        """Make a task ready: a kernel for the node if there is one, else the shader of its expression."""
        self.check_usable("compile")
        why = self.supports(task)
        if why is not None:
            name = task.node.type_name
            msg = f"backend '{self.id}': compile: {name} is not supported ({why}); ask supports() first"
            raise UnsupportedTaskError(msg, backend=self.id, type_name=name)
        found = self._kernels.find(task, self.capabilities.limits)
        if isinstance(found, KernelSpec):
            return KernelTask(self, task, cast("GpuKernel", found.function))
        assert task.kernel is not None  # `supports` has seen to it
        return ExpressionTask(self, task, task.kernel)

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
        """Record a kernel; what it writes is there after the submission that it becomes part of.

        Parameters
        ----------
        program : Program
            The shader.
        arrays : sequence of GpuBuffer
            What is bound behind the parameter block: arrays that are read, then those that are written.
        written : sequence of GpuBuffer
            The last ones of ``arrays``.
        params : bytes
            The parameter block.
        groups : (int, int, int)
            Number of workgroups along each axis.
        label : str
            What it computes, for messages and times.
        """
        with self.context.lock:
            blocks, sizes = [], []
            for value in arrays:
                lease = value.lease
                blocks.append(self._stand_in(value, label) if lease is None else lease.block)
                sizes.append((value.nbytes + 15) & -16 or _STAND_IN_BYTES)
            try:
                submission = self.queue.dispatch(program, blocks, sizes, params=params, groups=groups, label=label)
            except Exception as error:
                raise self._translated(error, f"run {label}") from error
        for value in written:
            value.submission = submission

    def _stand_in(self, value: GpuBuffer, label: str) -> Block:
        """Return what is bound in the place of an array without elements."""
        value.block(where=f"backend '{self.id}': run {label}")
        self._spare = self._spare or self.pool.take(_STAND_IN_BYTES)
        return self._spare

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any] = F32, /) -> GpuBuffer:
        """Return an array whose elements are not set yet."""
        nbytes = prod(shape) * dtype.itemsize
        lease = Lease(self.pool, self.pool.take(nbytes)) if nbytes else None
        return GpuBuffer(lease, shape, dtype, nbytes=nbytes, space=self._space, owner=self)

    def table(self, array: npt.NDArray[Any], /) -> GpuBuffer:
        """Return a copy of a host array; equal contents are copied once, and kept for a while."""
        with self.context.lock:
            return self._tables.get(array, self.upload)

    # Moving values.

    def upload(self, array: object) -> GpuBuffer:
        """Copy a host array of any layout and byte order; it may be changed afterwards."""
        self.check_usable("upload")
        if not isinstance(array, np.ndarray) or array.dtype.hasobject:
            got = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
            msg = f"backend '{self.id}': upload: expected a numpy array of numbers, got {got}"
            raise InvalidArgumentError(msg)
        native_dtype = array.dtype.newbyteorder("=")
        value = self.empty(array.shape, native_dtype)
        block = value.block(where=f"backend '{self.id}': upload")
        if block is not None:
            try:
                self.transfers.upload(np.ascontiguousarray(array, native_dtype), block)
            except Exception as error:
                raise self._translated(error, "upload", array.nbytes) from error
        return value

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Copy a value to the host; waits for it."""
        self.check_usable("download")
        buffer = self.own(value, "download")
        block = buffer.block(where=f"backend '{self.id}': download")
        if block is None:
            return np.empty(buffer.shape, buffer.dtype)
        try:
            self._raise_failure(buffer)
            raw = self.transfers.download(block, buffer.nbytes)
            self._raise_failure(buffer)
        except Exception as error:
            raise self._translated(error, "download") from error
        return raw.view(buffer.dtype).reshape(buffer.shape)

    def own(self, value: object, operation: str) -> GpuBuffer:
        """Return a value as an array of this backend.

        Raises
        ------
        InvalidArgumentError
            If it is none, one of another backend, or one that was released.
        """
        if isinstance(value, GpuBuffer) and value.owner is self and value.lease is not None:
            return value
        where = f"backend '{self.id}': {operation}"
        if not isinstance(value, GpuBuffer) or value.owner is not self:
            lives = getattr(value, "space", HOST if isinstance(value, np.ndarray) else None)
            got = f"{type(value).__name__}" + ("" if lives is None else f" in {lives}")
            msg = f"{where}: expected a value of {self.context.space} made by this backend, got {got}; upload it first"
            raise InvalidArgumentError(msg)
        value.block(where=where)
        return value

    # Waiting.

    def flush(self) -> None:
        """Hand over what was recorded."""
        self.check_usable("flush")
        with self.context.lock:
            self.queue.submit()

    def synchronize(self) -> None:
        """Wait until everything handed over is done."""
        self.check_usable("synchronize")
        try:
            self.queue.wait()
        except Exception as error:
            raise self._translated(error, "synchronize") from error

    def future(self, value: GpuBuffer, /) -> GpuFuture:
        """Return what tells when an array is there; hands over what was recorded."""
        buffer = self.own(value, "future")
        fence = self._fence()

        def wait(timeout_s: float | None) -> bool:
            is_done = fence.wait(timeout_s)
            self._raise_failure(buffer)
            return is_done

        return GpuFuture(is_ready=fence.is_done, fetch=lambda: self.download(buffer), wait=wait)

    def _fence(self) -> Fence:
        with self.context.lock:
            self.queue.submit()
            return Fence(self.context.device, self.queue.last_submission)

    def _raise_failure(self, buffer: GpuBuffer) -> None:
        failure = self.queue.failure_of(buffer.submission)
        if failure is not None:
            raise failure

    # Times.

    @contextmanager
    def kernel_times(self) -> Iterator[list[KernelTime]]:
        """Measure the kernels recorded inside the block, by the device's clock; the list is filled at its end.

        Raises
        ------
        UnsupportedTaskError
            If the device writes no timestamps.
        """
        self.check_usable("kernel_times")
        if Feature.TIMESTAMPS not in self.capabilities.features:
            msg = f"backend '{self.id}': kernel_times: the device writes no timestamps"
            raise UnsupportedTaskError(msg, backend=self.id)
        times: list[KernelTime] = []
        timers: list[KernelTimer] = []
        with self.context.lock:
            self.queue.measured = timers
        try:
            yield times
        finally:
            with self.context.lock:
                self.queue.measured = None
            times += [found for found in (timer.time() for timer in timers) if found is not None]

    # Memory.

    def memory(self) -> MemoryInfo:
        """Return the account; the total is that of the budget, or unknown."""
        self.check_usable("memory")
        budget = self.pool.budget_bytes
        with self.context.lock:
            own = [value.block(where="memory") for value in self._tables.values()]
            used = self.pool.statistics.live_bytes
            used -= sum(block.capacity for block in (*own, self._spare) if block is not None)
        return MemoryInfo(
            total_bytes=budget, used_bytes=used, available_bytes=None if budget is None else max(1, budget - used)
        )

    def trim(self) -> int:
        """Give memory in reserve back to the driver and return how many bytes that was."""
        self.check_usable("trim")
        with self.context.lock:
            self.queue.submit()
            self._tables.clear()
            return self.pool.trim() + self.transfers.trim()

    def _allocate(self, nbytes: int) -> Buffer:
        with self.context.lock:
            try:
                return create_buffer(self.context.device, nbytes, native.usages().storage)
            except Exception as error:
                raise self._translated(error, "allocate", nbytes) from error

    def _forget(self, serials: set[int]) -> None:
        with self.context.lock:
            with suppress(BackendError):  # kept for whoever waits for the values
                self.queue.submit()
            self.queue.forget(serials)

    # The end.

    def close(self) -> None:
        """Give the memory back; values cannot be used any more. The device itself stays for others."""
        if self._is_closed:
            return
        self._is_closed = True
        if not self.context.is_inherited:
            with self.context.lock:
                self.queue.discard()
                self._tables.clear()
                self.transfers.close()
                self.pool.close()

    def check_usable(self, operation: str) -> None:
        """Raise if the backend was closed, opened before a fork, or has lost its device.

        Parameters
        ----------
        operation : str
            What was to be done, for the message.
        """
        if self._is_closed:
            msg = f"backend '{self.id}': {operation}: it was closed; open it again"
            raise BackendClosedError(msg, backend=self.id)
        self.context.check_usable(self.id, operation)

    def renew_after_fork(self) -> None:
        """Make sure that a child waits for nothing: what it holds belongs to its parent."""
        self.pool.lock = self.context.lock = threading.RLock()
        self.transfers.renew_after_fork()

    def _translated(self, error: Exception, doing: str, needed_bytes: int | None = None) -> BackendError:
        if is_device_loss(error):
            self.context.is_lost = True
        return translated(error, backend=self.id, doing=doing, needed_bytes=needed_bytes)


def open_backend() -> list[GpuComputeBackend]:
    """Open every device: the entry point of this package.

    Raises
    ------
    BackendUnavailableError
        If there is none, with what to do about it.
    """
    return [GpuComputeBackend(context) for context in contexts().open()]


if TYPE_CHECKING:
    _backend: type[ComputeBackend] = GpuComputeBackend
    _owner: type[BufferOwner] = GpuComputeBackend
    _runner: type[Runner] = GpuComputeBackend
