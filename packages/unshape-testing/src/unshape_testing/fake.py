"""A backend that does as it is told: facts, prices, failures, delays; and that writes down what it was asked.

It computes what the reference does, in host memory or in a space of its own, so a test states what a planner, a
scheduler or an executor is to make of facts that no machine at hand has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

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
from unshape_backend.cost import Cost, CostBasis
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.identity import GPU, BackendKind, parse_backend_id
from unshape_backend.kernel import KernelSpec
from unshape_backend.protocols import PROTOCOL_VERSION, CompiledTask, MemoryInfo
from unshape_backend.task import Rejection, Task
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.value import Value
from unshape_testing.failure import Failure, FailurePoint, FailureScript
from unshape_testing.fake_task import FakeTask
from unshape_testing.loopback import FEATURES, UNLIMITED, LoopbackBackend

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend

Price: TypeAlias = "Cost | int | Callable[[Task], Cost | None] | None"
"""What a task costs: a cost, nanoseconds, None for unknown, or a function of the task."""


class Call(NamedTuple):
    """One call that a fake backend received."""

    method: str
    subject: str


class FakeBackend:
    """A programmable backend.

    Parameters
    ----------
    id : str
        Its name.
    kind : BackendKind
        Its kind.
    space : MemorySpace or None
        Where its values live; None makes a space named after it, ``HOST`` shares that of the host.
    cost : Cost, int, None or callable
        What a task costs; see :data:`Price`.
    supports : callable or None
        ``supports(task)`` returns a Rejection or None, asked before the reference is.
    limits : DeviceLimits
        What it may not exceed; lower one to see who respects it.
    features : frozenset of Feature
        What it claims.
    throughput : Throughput or None
        Its figures; None is unknown.
    link_ns : int or None
        Latency of its links with the host, at 1 byte/ns; None states no link at all.
    is_software : bool
        Whether a CPU plays it.
    total_memory_bytes : int or None
        Memory of its device; None is unknown.
    failures : sequence of Failure
        What goes wrong; ``script.failures`` may be changed while it runs.
    latency_ns : int
        How long each run takes at least.

    Attributes
    ----------
    calls : list of Call
        Every call in order.
    script : FailureScript
        What goes wrong.
    """

    protocol_version = PROTOCOL_VERSION

    def __init__(
        self,
        id: str = "fake",  # noqa: A002 - the protocol's word
        *,
        kind: BackendKind = GPU,
        space: MemorySpace | None = None,
        cost: Price = 1000,
        supports: Callable[[Task], Rejection | None] | None = None,
        limits: DeviceLimits = UNLIMITED,
        features: frozenset[Feature] = FEATURES,
        throughput: Throughput | None = None,
        link_ns: int | None = 10_000,
        is_software: bool = False,
        total_memory_bytes: int | None = None,
        failures: Sequence[Failure] = (),
        latency_ns: int = 0,
    ) -> None:
        self.id = parse_backend_id(id)
        own = MemorySpace(self.id.partition(":")[0]) if space is None else space
        self.script = FailureScript(failures, backend=self.id)
        self.calls: list[Call] = []
        self._cost = cost
        self._supports = supports
        self._latency_ns = latency_ns
        self._inner: ComputeBackend = CpuBackend() if own == HOST else LoopbackBackend(id=id, space=own, limits=limits)
        self.capabilities = BackendCapabilities(
            id=self.id,
            kind=kind,
            space=own,
            device=DeviceInfo(
                name=f"fake {self.id}",
                api="native",
                vendor="unshape",
                driver="1",
                fingerprint=f"fake {self.id}",
                total_memory_bytes=total_memory_bytes,
                is_software=is_software,
            ),
            limits=limits,
            features=features,
            throughput=throughput,
            links=() if link_ns is None or own == HOST else _links(own, link_ns),
        )

    def count(self, method: str) -> int:
        """Return how often a method was called."""
        return sum(call.method == method for call in self.calls)

    def subjects(self, method: str) -> list[str]:
        """Return what a method was called for, in order: node types, or types of values."""
        return [call.subject for call in self.calls if call.method == method]

    def supports(self, task: Task) -> Rejection | None:
        """Return what it was told, else the reference's answer."""
        self._note("supports", task.node.type_name)
        why = None if self._supports is None else self._supports(task)
        return why or self._inner.supports(task)

    def estimate_cost(self, task: Task) -> Cost | None:
        """Return what it was told."""
        self._note("estimate_cost", task.node.type_name)
        self._inner.estimate_cost(task)  # refuses to answer once it is closed
        price = self._cost(task) if callable(self._cost) else self._cost
        return Cost(compute_ns=price, basis=CostBasis.DECLARED) if isinstance(price, int) else price

    def compile(self, task: Task) -> CompiledTask:
        """Make the task ready, or fail as it was told."""
        self._note("compile", task.node.type_name)
        self.script.raise_if_due(FailurePoint.COMPILE, task.node.type_name)
        return FakeTask(
            task,
            self._inner.compile(task),
            backend=self.id,
            script=self.script,
            latency_ns=self._latency_ns,
            note_run=lambda: self._note("run", task.node.type_name),
        )

    def upload(self, array: npt.NDArray[Any]) -> Value:
        """Copy a host array into its space."""
        self._note("upload", f"{getattr(array, 'dtype', '')}{getattr(array, 'shape', '')}")
        return self._inner.upload(array)

    def download(self, value: Value) -> npt.NDArray[Any]:
        """Copy a value to the host."""
        self._note("download", type(value).__name__)
        return self._inner.download(value)

    def flush(self) -> None:
        """Hand over what was recorded."""
        self._note("flush", "")
        self._inner.flush()

    def synchronize(self) -> None:
        """Wait for all work."""
        self._note("synchronize", "")
        self._inner.synchronize()

    def memory(self) -> MemoryInfo:
        """Return its memory: the total that it was told, and what is used."""
        total, used = self.capabilities.device.total_memory_bytes, self._inner.memory().used_bytes
        return MemoryInfo(
            total_bytes=total, used_bytes=used, available_bytes=None if total is None else max(0, total - used)
        )

    def register_kernel(self, kernel: KernelSpec) -> None:
        """Add a kernel."""
        self._note("register_kernel", kernel.node_type)
        self._inner.register_kernel(kernel)

    def close(self) -> None:
        """Close it."""
        self._note("close", "")
        self._inner.close()

    def _note(self, method: str, subject: str) -> None:
        self.calls.append(Call(method, subject))


def _links(space: MemorySpace, latency_ns: int) -> tuple[Link, ...]:
    return tuple(
        Link(source=source, target=target, path=TransferPath.HOST_STAGING, latency_ns=latency_ns, bytes_per_ns=1.0)
        for source, target in ((HOST, space), (space, HOST))
    )


if TYPE_CHECKING:
    _proof: type[ComputeBackend] = FakeBackend
