"""The seam of unshape-backend: what a backend must offer.

A backend package provides a function under the entry-point group ``unshape.backends`` that probes its device and
returns a backend, or raises :class:`~unshape_backend.errors.BackendUnavailableError` with reason and remedy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy.typing as npt

from unshape_backend.capabilities import BackendCapabilities
from unshape_backend.cost import Cost
from unshape_backend.identity import BackendId
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.task import Rejection, Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value

PROTOCOL_VERSION = 1
"""Version of this module; a backend of another version is refused when it registers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryInfo:
    """Bytes of a backend's memory; None where unknown, never zero for unknown."""

    total_bytes: int | None
    used_bytes: int
    available_bytes: int | None


class CompiledTask(Protocol):
    """A task made ready on one backend."""

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Run the task and return its outputs in the backend's space.

        ``nodes`` are those of the task or differ from them in parameters only; ``inputs`` live in the backend's space
        and cover ``task.region.inputs``. Must not wait for a device: outputs may be values that are not ready yet.
        Must leave the inputs unchanged, whatever happens. Called from one thread at a time for one evaluation, from
        several threads for several. Cancellation is honoured within 50 ms of host work.

        Raises
        ------
        InvalidArgumentError
            If the parameters are wrong; never retried elsewhere.
        BackendError
            If the backend could not do it; the next backend of the chain is tried.
        """


class ComputeBackend(Protocol):
    """One opened device.

    All methods may be called from several threads. ``close`` may be called twice; every other method raises
    ``BackendClosedError`` after it. Costs and answers depend on their arguments and on facts only, never on what the
    planner knows.
    """

    @property
    def protocol_version(self) -> int:
        """The ``PROTOCOL_VERSION`` this backend was written for."""

    @property
    def id(self) -> BackendId:
        """Name of this device among all backends."""

    @property
    def capabilities(self) -> BackendCapabilities:
        """The facts."""

    def supports(self, task: Task) -> Rejection | None:
        """Return None if the task runs here and gives the right result, else why not. Cheap; compiles nothing."""

    def estimate_cost(self, task: Task) -> Cost | None:
        """Return the estimated cost of running the task with its inputs already here, None if unknown."""

    def compile(self, task: Task) -> CompiledTask:
        """Make a task ready. Compiled code is cached by structure, so that the same task compiles once."""

    def upload(self, array: npt.NDArray[Any]) -> Value:
        """Copy a host array into the backend's space and return it; the array may be changed afterwards."""

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Copy a value of the backend's space to a host array that owns its memory; waits for it to be ready."""

    def flush(self) -> None:
        """Hand over to the device whatever was recorded; called where a group of steps ends. Does not wait."""

    def synchronize(self) -> None:
        """Wait until all work handed over is done; raise what went wrong with it."""

    def memory(self) -> MemoryInfo:
        """Return how much memory there is and is used."""

    def register_kernel(self, kernel: KernelSpec) -> None:
        """Add a kernel for this backend's family."""

    def close(self) -> None:
        """Release the device."""


@runtime_checkable
class SupportsDirectTransfer(Protocol):
    """A backend that can take a value from another space, or give one, without a copy through the host."""

    def adopt(self, value: Value) -> Value | None:
        """Return the value in this backend's space, None if it cannot be had directly."""


@runtime_checkable
class SupportsKernelTable(Protocol):
    """A backend that shows its kernels: for measurements by revision, and for the matrix of nodes and backends."""

    @property
    def kernels(self) -> KernelTable:
        """The kernels of its family, own and registered ones."""


@runtime_checkable
class SupportsTrim(Protocol):
    """A backend whose memory pool can give back what it holds in reserve."""

    def trim(self) -> int:
        """Free reserved memory and return how many bytes that was."""
