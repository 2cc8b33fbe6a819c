"""Kernels for particular nodes, and the table that finds them.

Most nodes need none: a backend runs their expression. A :class:`KernelSpec` is for nodes whose meaning is NumPy code
(blur, convolve, resize) and for hand-tuned versions, which take precedence and must give the same bits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.errors import KernelConflictError
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.errors import InvalidArgumentError
from unshape_core.fork_safety import renew_in_children
from unshape_core.workload import WorkloadHint


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelSpec:
    """One kernel for one node type on one family of backends.

    Parameters
    ----------
    node_type : str
        The node's ``type_name``.
    backend : str
        The family: ``"simd"``, ``"opencl"``, ``"gpu"``.
    function : object
        What the backend calls; its protocol is defined by the backend's package.
    dtypes : frozenset of str
        Element types of array inputs and outputs that it handles.
    accepts : callable or None
        ``accepts(task, limits)`` returns a Rejection or None; asked at planning time.
    work : callable or None
        ``work(task)`` returns how much it does; None uses the task's own workload.
    is_exact : bool
        Whether it gives the definition's bits.
    revision : int
        Raised whenever its speed or bits change; part of the key of measurements.
    priority : int
        Among kernels for the same node and backend the highest wins; equal ones are an error naming both origins.
    origin : str
        The distribution that brought it; empty for a script.
    """

    node_type: str
    backend: str
    function: Any
    dtypes: frozenset[str] = frozenset({"float32"})
    accepts: Callable[[Task, DeviceLimits], Rejection | None] | None = None
    work: Callable[[Task], WorkloadHint] | None = None
    is_exact: bool = True
    revision: int = 1
    priority: int = 0
    origin: str = ""

    def why_not(self, task: Task, limits: DeviceLimits) -> Rejection | None:
        """Return why this kernel does not run a task, None if it does."""
        unknown = task.dtypes - self.dtypes
        if unknown:
            detail = f"the kernel takes {', '.join(sorted(self.dtypes))}, not {', '.join(sorted(unknown))}"
            return Rejection(RejectionCode.DTYPE, detail)
        if task.precision == "exact" and not self.is_exact:
            return Rejection(RejectionCode.PRECISION, 'the kernel is not exact; precision="fast" allows it')
        return None if self.accepts is None else self.accepts(task, limits)


class KernelTable:
    """The kernels of one family of backends, by node type. Safe to use from several threads.

    Parameters
    ----------
    family : str
        The family of backends: ``"gpu"`` serves ``"gpu"`` and ``"gpu:1"``.
    """

    __slots__ = ("__weakref__", "_kernels", "_lock", "family")

    def __init__(self, family: str) -> None:
        self.family = family
        self._kernels: dict[str, tuple[KernelSpec, ...]] = {}
        self._lock = threading.Lock()
        renew_in_children(self)

    def renew_after_fork(self) -> None:
        """Replace the lock, which a thread that is not here may have held."""
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[KernelSpec]:
        """Iterate over all kernels, by node type and falling priority."""
        return (kernel for _, kernels in sorted(self._kernels.items()) for kernel in kernels)

    def add(self, kernel: KernelSpec) -> None:
        """Add a kernel. Adding an equal one again changes nothing; a script's kernel replaces its earlier one.

        Raises
        ------
        InvalidArgumentError
            If it is for another family.
        KernelConflictError
            If another one of equal priority handles one of its element types; the table stays as it was.
        """
        if kernel.backend != self.family:
            msg = f"kernel '{kernel.node_type}': expected one for backend '{self.family}', got '{kernel.backend}'"
            raise InvalidArgumentError(msg)
        with self._lock:
            rivals = self._kernels.get(kernel.node_type, ())
            if kernel in rivals:
                return
            kept = []
            for rival in rivals:
                if not is_equal_claim(rival, kernel):
                    kept.append(rival)
                elif rival.origin or kernel.origin:
                    raise KernelConflictError(describe_conflict(rival, kernel), type_name=kernel.node_type)
            self._kernels[kernel.node_type] = tuple(sorted((*kept, kernel), key=lambda each: -each.priority))

    def remove(self, kernel: KernelSpec) -> None:
        """Remove a kernel if it is there."""
        with self._lock:
            kept = tuple(each for each in self._kernels.get(kernel.node_type, ()) if each != kernel)
            if kept:
                self._kernels[kernel.node_type] = kept
            else:
                self._kernels.pop(kernel.node_type, None)

    def of(self, node_type: str) -> tuple[KernelSpec, ...]:
        """Return the kernels for a node type, highest priority first."""
        return self._kernels.get(node_type, ())

    def dtypes(self, node_type: str) -> frozenset[str]:
        """Return the element types for which there is a kernel for that node type."""
        return frozenset(dtype for kernel in self.of(node_type) for dtype in kernel.dtypes)

    def find(self, task: Task, limits: DeviceLimits) -> KernelSpec | Rejection:
        """Return the kernel that runs a task, or why there is none.

        Parameters
        ----------
        task : Task
            Of one node: a kernel for a node type cannot run several fused nodes.
        limits : DeviceLimits
            Those of the device.

        Returns
        -------
        KernelSpec or Rejection
            The kernel of highest priority that takes the task; else the reason of the first one that does not.
        """
        node = task.nodes[-1]
        kernels = self._kernels.get(node.type_name, ()) if len(task.nodes) == 1 else ()
        first: Rejection | None = None
        for kernel in kernels:
            reason = kernel.why_not(task, limits)
            if reason is None:
                return kernel
            first = first or reason
        return first or Rejection(RejectionCode.NO_KERNEL, f"'{self.family}' has none for {node.type_name}")


def is_equal_claim(first: KernelSpec, second: KernelSpec) -> bool:
    """Return whether two kernels claim one node and one element type with equal priority."""
    is_same = (first.node_type, first.backend, first.priority) == (second.node_type, second.backend, second.priority)
    return is_same and bool(first.dtypes & second.dtypes)


def describe_conflict(first: KernelSpec, second: KernelSpec) -> str:
    """Return one sentence about two equal claims, with both origins and the remedy."""
    origins = " and ".join(f"'{kernel.origin or 'the running script'}'" for kernel in (first, second))
    return (
        f"kernel '{second.node_type}' on '{second.backend}': {origins} both bring one of priority {second.priority} "
        f"for {', '.join(sorted(first.dtypes & second.dtypes))}; give one of them another priority, or uninstall it"
    )
