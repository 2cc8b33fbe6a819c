"""The backend "loopback": the reference's results in a memory of its own.

It behaves as a device does wherever that can be had without one: values live in a space that the host cannot read,
every upload and download is a copy, results are not ready before somebody waits for them, errors of work that was
handed over arrive later, memory is accounted for and guarded, and a forked child may not use it. So transfers,
residency and asynchrony are tested on every machine.

It says of itself that a CPU plays it and that it is slow: no policy prefers it unless it is named.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import (
    BackendCapabilities,
    DeviceInfo,
    DeviceLimits,
    Feature,
    Link,
    Throughput,
    TransferPath,
)
from unshape_backend.cost import Cost, roofline
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.cpu.host_memory import host_memory
from unshape_backend.cpu.run_kernel import compile_kernel
from unshape_backend.errors import BackendClosedError, ForkedProcessError, UnsupportedTaskError
from unshape_backend.identity import BackendKind, family, parse_backend_id
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.protocols import PROTOCOL_VERSION, CompiledTask, MemoryInfo
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.value import Value
from unshape_testing.guarded_memory import GuardedMemory
from unshape_testing.loopback_array import LoopbackArray
from unshape_testing.loopback_queue import Job, LoopbackQueue, Place
from unshape_testing.loopback_task import LoopbackTask

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend

LOOPBACK = MemorySpace("loopback")
SLOW = Throughput(flops_per_ns=0.05, bytes_per_ns=0.05, launch_ns=1_000_000)
"""Slower than any machine: honest about being no device that one would choose."""

UNLIMITED = DeviceLimits()
FEATURES = frozenset({Feature.EXACT_F32, Feature.F64, Feature.DENORMALS, Feature.TIMESTAMPS})


class LoopbackBackend:
    """Runs the reference's definitions on values in a memory of its own.

    Parameters
    ----------
    id : str
        Its name.
    space : MemorySpace
        Where its values live.
    limits : DeviceLimits
        What it may not exceed; ``memory_budget_bytes`` is enforced when memory is taken.

    Attributes
    ----------
    uploads, downloads, launches, compilations : int
        How often each happened.
    """

    protocol_version = PROTOCOL_VERSION

    def __init__(
        self,
        *,
        id: str = "loopback",  # noqa: A002 - the protocol's word
        space: MemorySpace = LOOPBACK,
        limits: DeviceLimits = UNLIMITED,
    ) -> None:
        self.id = parse_backend_id(id)
        self.capabilities = BackendCapabilities(
            id=self.id,
            kind=BackendKind.custom("loopback"),
            space=space,
            device=DeviceInfo(
                name="loopback memory",
                api="native",
                vendor="unshape",
                driver=np.__version__,
                fingerprint=f"loopback {np.__version__}",
                is_software=True,
                total_memory_bytes=host_memory().total_bytes,
            ),
            limits=limits,
            features=FEATURES,
            throughput=SLOW,
            links=(_link(HOST, space), _link(space, HOST)),
        )
        self.guarded_memory = GuardedMemory(owner=id, budget_bytes=limits.memory_budget_bytes)
        self.queue = LoopbackQueue()
        self.uploads = self.downloads = self.launches = self.compilations = 0
        self._reference = CpuBackend()
        self._kernels = KernelTable(family(self.id))
        self._process = os.getpid()
        self._is_closed = False

    def supports(self, task: Task) -> Rejection | None:
        """Return None if a kernel or the reference runs the task."""
        self.check_usable("supports")
        if not isinstance(self._kernels.find(task, self.capabilities.limits), Rejection):
            return None
        why = self._reference.supports(task)
        return None if why is None else Rejection(RejectionCode.NO_KERNEL, f"no kernel and no definition ({why})")

    def estimate_cost(self, task: Task) -> Cost | None:
        """Return the roofline of a very slow device."""
        self.check_usable("estimate_cost")
        return roofline(task.workload, SLOW)

    def compile(self, task: Task) -> CompiledTask:
        """Return the task on the reference, or a registered kernel, between copies of this memory."""
        self.check_usable("compile")
        why = self.supports(task)
        if why is not None:
            msg = f"backend '{self.id}': compile: {task.node.type_name} is not supported ({why}); ask supports() first"
            raise UnsupportedTaskError(msg, backend=self.id, type_name=task.node.type_name)
        kernel = self._kernels.find(task, self.capabilities.limits)
        self.compilations += 1
        run = self._reference.compile(task) if isinstance(kernel, Rejection) else compile_kernel(task, kernel)
        return LoopbackTask(self, task, run)

    def upload(self, array: object) -> LoopbackArray:
        """Copy a host array, of any layout and byte order."""
        self.check_usable("upload")
        if not isinstance(array, np.ndarray) or array.dtype.hasobject:
            got = f"an array of {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
            msg = f"backend '{self.id}': upload: expected a numpy array of numbers, got {got}"
            raise InvalidArgumentError(msg)
        native = array.dtype.newbyteorder("=")
        place = self.take(array.shape, native)
        place[0].view(array.shape, native)[...] = array
        self.uploads += 1
        return self.array(place)

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Run what the value waits for, and copy it to the host."""
        self.check_usable("download")
        array = self.own(value, "download")
        buffer = array.buffer(where=f"backend '{self.id}': download")
        self.queue.wait_for(array.job)
        self.downloads += 1
        return buffer.view(array.shape, array.dtype).copy()

    def flush(self) -> None:
        """Hand over what was recorded."""
        self.check_usable("flush")
        self.queue.submit()

    def synchronize(self) -> None:
        """Run everything and raise the first error that nobody was told of."""
        self.check_usable("synchronize")
        self.queue.drain()

    def memory(self) -> MemoryInfo:
        """Return the account of this memory."""
        self.check_usable("memory")
        used, budget = self.guarded_memory.live_bytes, self.guarded_memory.budget_bytes
        return MemoryInfo(
            total_bytes=budget, used_bytes=used, available_bytes=None if budget is None else budget - used
        )

    def register_kernel(self, kernel: KernelSpec) -> None:
        """Add a kernel, called as one of "cpu" is: ``function(node, inputs, ctx)`` with host arrays."""
        self.check_usable("register_kernel")
        self._kernels.add(kernel)

    def close(self) -> None:
        """Drop work that has not run; values cannot be used any more."""
        if not self._is_closed:
            self._is_closed = True
            self.queue.discard()
            self._reference.close()

    def own(self, value: object, operation: str) -> LoopbackArray:
        """Return a value as an array of this backend.

        Raises
        ------
        InvalidArgumentError
            If it is none, or one of another backend.
        """
        where = f"backend '{self.id}': {operation}"
        if not isinstance(value, LoopbackArray) or value.owner is not self:
            lives = getattr(value, "space", HOST if isinstance(value, np.ndarray) else None)
            got = f"{type(value).__name__}" + ("" if lives is None else f" in {lives}")
            msg = f"{where}: expected a value of {self.capabilities.space}, got {got}; upload it first"
            raise InvalidArgumentError(msg)
        value.buffer(where=where)
        return value

    def take(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Place:
        """Return memory for an array."""
        return self.guarded_memory.allocate(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize), shape, dtype

    def array(self, place: Place, job: Job | None = None) -> LoopbackArray:
        """Return the array at a place."""
        buffer, shape, dtype = place
        return LoopbackArray(buffer, shape, dtype, space=self.capabilities.space, owner=self, job=job)

    def check_usable(self, operation: str) -> None:
        """Raise if the backend was closed, or opened before a fork.

        Parameters
        ----------
        operation : str
            What was to be done, for the message.
        """
        if self._is_closed:
            msg = f"backend '{self.id}': {operation}: it was closed; open it again"
            raise BackendClosedError(msg, backend=self.id)
        if os.getpid() != self._process:
            msg = (
                f"backend '{self.id}': {operation}: it was opened in process {self._process} and this is a fork of it; "
                'use the "spawn" start method and open it anew'
            )
            raise ForkedProcessError(msg, backend=self.id)


def _link(source: MemorySpace, target: MemorySpace) -> Link:
    return Link(source=source, target=target, path=TransferPath.HOST_STAGING, latency_ns=50_000, bytes_per_ns=1.0)


def open_backend() -> LoopbackBackend:
    """Open the loopback; the entry point of this package."""
    return LoopbackBackend()


if TYPE_CHECKING:
    _proof: type[ComputeBackend] = LoopbackBackend
