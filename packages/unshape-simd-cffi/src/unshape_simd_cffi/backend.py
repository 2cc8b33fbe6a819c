"""The backend "simd": expressions and kernels in C, for every instruction set of the machine.

It works on the same host memory as "cpu", on all cores, and gives the definition's bits: no product and sum is
contracted unless ``precision="fast"`` allows it, and neither the instruction set nor the number of threads changes the
order of operations.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import BackendCapabilities, Feature
from unshape_backend.cost import Cost, roofline
from unshape_backend.cpu.host_memory import host_memory
from unshape_backend.errors import BackendClosedError, UnsupportedTaskError
from unshape_backend.identity import CPU_SIMD, BackendId
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.protocols import PROTOCOL_VERSION, CompiledTask, ComputeBackend, MemoryInfo
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST
from unshape_core.value import Value
from unshape_simd_cffi.buffers import BufferPool
from unshape_simd_cffi.device import simd_device, throughput
from unshape_simd_cffi.filters import Filters
from unshape_simd_cffi.isa import Isa, usable_isas
from unshape_simd_cffi.program import ProgramCache
from unshape_simd_cffi.run_expression import compile_expression
from unshape_simd_cffi.run_kernel import compile_kernel
from unshape_simd_cffi.threads import thread_count

SIMD = BackendId("simd")
_MOST_THREADS = 2**20
_LONGEST_SIDE_PX = 2**28
"""So that C can count the floats of a row, and some more, with 32 bits."""


class SimdBackend:
    """The backend "simd"; made by :func:`~unshape_simd_cffi.opening.open_backend`.

    A kernel that is registered for the family ``"simd"`` is called as
    :class:`~unshape_simd_cffi.run_kernel.SimdKernel` says, and comes before the expression of its node.

    Parameters
    ----------
    isa : Isa
        The instruction set to use; one of :func:`~unshape_simd_cffi.isa.usable_isas`.
    threads : int
        How many threads may take part in one task; 0 for all that the process may use.

    Raises
    ------
    InvalidArgumentError
        If this machine has no such instructions, or the number of threads is negative.
    """

    protocol_version = PROTOCOL_VERSION

    def __init__(self, isa: Isa, *, threads: int = 0) -> None:
        if isa not in usable_isas():
            msg = f"backend 'simd': expected one of {', '.join(each.name for each in usable_isas())}, got {isa}"
            raise InvalidArgumentError(msg)
        if not 0 <= threads <= _MOST_THREADS:
            msg = f"backend 'simd': expected 0 to {_MOST_THREADS} threads, got {threads}"
            raise InvalidArgumentError(msg)
        self.isa = isa
        self.threads = threads
        self.buffers = BufferPool()
        self.filters = Filters(self)
        self._kernels = KernelTable("simd")
        self._programs = ProgramCache()
        self._is_closed = False

    @property
    def id(self) -> BackendId:
        """``"simd"``."""
        return SIMD

    @cached_property
    def capabilities(self) -> BackendCapabilities:
        """The facts; asked of the system once."""
        return BackendCapabilities(
            id=SIMD,
            kind=CPU_SIMD,
            space=HOST,
            device=simd_device(self.isa),
            features=frozenset({Feature.EXACT_F32, Feature.DENORMALS}),
            throughput=throughput(self.isa, self.threads or thread_count()),
        )

    @property
    def kernels(self) -> KernelTable:
        """Kernels registered for the family ``"simd"``."""
        return self._kernels

    def supports(self, task: Task) -> Rejection | None:
        """Return None for expressions that make pictures and for nodes that have a kernel here, else why not."""
        self._check_open()
        sides = [side for spec in (*task.input_specs, *task.output_specs) for side in spec.picture_px or ()]
        if max(sides, default=0) > _LONGEST_SIDE_PX:
            return Rejection(RejectionCode.LIMIT, f"a side of {max(sides)} px is over its {_LONGEST_SIDE_PX} px")
        found = self._kernels.find(task, self.capabilities.limits)
        if isinstance(found, KernelSpec):
            return None
        if task.kernel is None:
            return found
        if any(spec.picture_px is None for spec in task.output_specs):
            return Rejection(RejectionCode.NO_KERNEL, "numbers are computed by 'cpu'; it makes pictures only")
        return None if task.dtypes <= {"float32"} else Rejection(RejectionCode.DTYPE, "it computes float32 only")

    def estimate_cost(self, task: Task) -> Cost | None:
        """Return the roofline estimate."""
        self._check_open()
        found = self._kernels.find(task, self.capabilities.limits)
        work = found.work(task) if isinstance(found, KernelSpec) and found.work is not None else task.workload
        return roofline(work, self.capabilities.throughput)

    def compile(self, task: Task) -> CompiledTask:
        """Make a task ready: a kernel for the node if there is one, else its expression.

        Raises
        ------
        UnsupportedTaskError
            If it has neither.
        """
        self._check_open()
        why = self.supports(task)
        if why is not None:
            msg = f"node '{task.node.type_name}' on 'simd': {why}"
            raise UnsupportedTaskError(msg, backend=SIMD, node_id=task.node_ids[-1], type_name=task.node.type_name)
        found = self._kernels.find(task, self.capabilities.limits)
        if isinstance(found, KernelSpec):
            return compile_kernel(task, found, self)
        assert task.kernel is not None  # `supports` has seen to it
        return compile_expression(task, self._programs.program(task.kernel), self)

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

    def trim(self) -> int:
        """Give back the memory that is kept for coming outputs, and return how many bytes that was."""
        return self.buffers.trim()

    def register_kernel(self, kernel: KernelSpec) -> None:
        """Add a kernel for the family ``"simd"``."""
        self._check_open()
        self._kernels.add(kernel)

    def close(self) -> None:
        """Refuse all further work and give back memory. May be called twice."""
        self._is_closed = True
        self.buffers.trim()

    def _check_open(self) -> None:
        if self._is_closed:
            raise BackendClosedError("backend 'simd' was closed; open it again", backend=SIMD)


def _check_array(value: object, operation: str) -> None:
    if not isinstance(value, np.ndarray):
        msg = f"{operation} on 'simd': expected a numpy array, got {type(value).__name__}"
        raise InvalidArgumentError(msg)
    if value.dtype.hasobject:
        msg = f"{operation} on 'simd': expected numbers, got an array of Python objects"
        raise InvalidArgumentError(msg)


if TYPE_CHECKING:
    _proof: type[ComputeBackend] = SimdBackend
