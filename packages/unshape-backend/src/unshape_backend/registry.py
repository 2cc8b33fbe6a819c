"""The registry: the one mutable object of the backend layer.

Everybody else works on its snapshots (:class:`~unshape_backend.topology.Topology`). A snapshot is made anew only when
something changed. Nothing is imported or opened before the first one is wanted.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType, TracebackType
from typing import Any, Self

from unshape_backend import routing, selection
from unshape_backend.availability import Availability, Available, Unavailable, UnavailableReason
from unshape_backend.capabilities import BackendCapabilities, DeviceLimits
from unshape_backend.config import Settings
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.errors import SelectionError
from unshape_backend.health import Health
from unshape_backend.identity import BackendId, BackendKind, family, parse_backend_id
from unshape_backend.kernel import KernelSpec
from unshape_backend.kernel_library import KernelLibrary
from unshape_backend.measurement import Measurements
from unshape_backend.measurement_store import load_measurements
from unshape_backend.opening import InstalledBackends, check_protocol, disabled, not_installed, wanted_in_vain
from unshape_backend.priority import default_priority
from unshape_backend.protocols import ComputeBackend
from unshape_backend.selection import SelectionRequest
from unshape_backend.task import Rejection, Task
from unshape_backend.topology import BackendEntry, Topology, make_topology
from unshape_core.errors import InvalidArgumentError
from unshape_core.fork_safety import renew_in_children
from unshape_core.protocols import Node
from unshape_core.workload import OpClass, WorkloadHint

_SCRIPT_PRIORITY = 1
_log = logging.getLogger("unshape_backend")


class BackendRegistry:
    """Backends, what is known of them and how they do. Safe to use from several threads, and after a fork.

    Parameters
    ----------
    settings : Settings or None
        What the user sets outside the program; read from the environment if not given.
    discover : bool
        Whether installed backends are opened, each when a snapshot with it is wanted.

    Examples
    --------
    >>> registry = BackendRegistry.with_cpu()
    >>> registry.select(SelectionRequest.any())
    'cpu'
    """

    def __init__(self, *, settings: Settings | None = None, discover: bool = False) -> None:
        self.settings = Settings.from_environment() if settings is None else settings
        self._lock = threading.RLock()
        renew_in_children(self)
        self._entries: dict[BackendId, BackendEntry] = {}
        self._owned: list[ComputeBackend] = []
        self._without_kernels: list[BackendId] = []
        self._unopened: dict[str, Unavailable] = {}
        self._kernels = KernelLibrary()
        self._measurements = Measurements()
        self._is_discovery_due = discover
        self._installed: InstalledBackends | None = None
        self._number = 0
        self._snapshot: Topology | None = None

    @classmethod
    def with_cpu(cls, *, settings: Settings | None = None) -> Self:
        """Return a registry that holds the reference backend and nothing else."""
        registry = cls(settings=settings)
        registry._own(CpuBackend())
        return registry

    @classmethod
    def with_defaults(cls, *, settings: Settings | None = None) -> Self:
        """Return a registry of the reference backend and of every installed one, opened when first wanted.

        Measurements that were kept on this machine are taken over.
        """
        registry = cls(settings=settings, discover=True)
        registry._own(CpuBackend())
        return registry

    def register(self, backend: ComputeBackend, *, priority: int | None = None) -> None:
        """Add a backend; one of the same id is replaced, and starts with a clean record.

        Parameters
        ----------
        backend : ComputeBackend
            An opened backend, which stays the caller's to close.
        priority : int, optional
            Higher is preferred where costs do not decide; follows from kind and device if not given.

        Raises
        ------
        ProtocolVersionError
            If it was written for another version of the protocol.
        InvalidArgumentError
            If its id is none, or differs from that of its facts.
        """
        check_protocol(backend)
        facts = backend.capabilities
        parse_backend_id(backend.id)
        if facts.id != backend.id:
            msg = f"backend '{backend.id}': expected facts of that id, got those of '{facts.id}'"
            raise InvalidArgumentError(msg)
        setting = self.settings.why_disabled(backend.id)
        entry = BackendEntry(
            backend=backend,
            capabilities=facts,
            priority=default_priority(facts) if priority is None else priority,
            availability=Available() if setting is None else disabled(setting),
        )
        with self._lock:
            self._entries[backend.id] = entry
            self._without_kernels.append(backend.id)
            self._snapshot = None

    def unregister(self, backend_id: BackendId) -> ComputeBackend:
        """Take a backend out and return it, still open.

        Raises
        ------
        SelectionError
            If it is not registered.
        """
        with self._lock:
            entry = self._entry(backend_id)
            del self._entries[backend_id]
            self._snapshot = None
            return entry.backend

    def set_available(self, backend_id: BackendId, is_available: bool, reason: str = "") -> None:  # noqa: FBT001
        """Switch a backend on or off. Switching it on also forgets its failures.

        Parameters
        ----------
        backend_id : BackendId
            Which one.
        is_available : bool
            Whether it may be used from now on.
        reason : str
            Why not.

        Raises
        ------
        SelectionError
            If it is not registered.
        """
        if is_available:
            self._change(backend_id, availability=Available(), health=Health())
        else:
            detail = reason or "switched off by the program"
            remedy = f"registry.set_available({backend_id!r}, True)"
            why = Unavailable(reason=UnavailableReason.DISABLED, detail=detail, remedy=remedy)
            self._change(backend_id, availability=why)

    def set_capabilities(self, capabilities: BackendCapabilities) -> None:
        """Replace the facts of a backend, for example by lower limits.

        Raises
        ------
        SelectionError
            If it is not registered.
        """
        self._change(capabilities.id, capabilities=capabilities)

    def set_measurements(self, measurements: Measurements) -> None:
        """Replace what was measured."""
        with self._lock:
            self._open(())
            self._measurements = measurements
            self._snapshot = None

    def register_kernel(
        self,
        node_type: str | type[Node],
        *,
        backend: str,
        function: Any,
        dtypes: frozenset[str] = frozenset({"float32"}),
        accepts: Callable[[Task, DeviceLimits], Rejection | None] | None = None,
        work: Callable[[Task], WorkloadHint] | None = None,
        is_exact: bool = True,
        revision: int = 1,
        priority: int = _SCRIPT_PRIORITY,
    ) -> KernelSpec:
        """Register a kernel for one node type on one family of backends, open or still to come.

        The parameters are those of :class:`~unshape_backend.kernel.KernelSpec`. A script's kernel comes before those
        that distributions bring, and replaces its own earlier one.

        Raises
        ------
        KernelConflictError
            If a distribution brings one of the same priority.
        """
        name = node_type if isinstance(node_type, str) else str(node_type.type_name)
        kernel = KernelSpec(
            node_type=name,
            backend=backend,
            function=function,
            dtypes=dtypes,
            accepts=accepts,
            work=work,
            is_exact=is_exact,
            revision=revision,
            priority=priority,
        )
        with self._lock:
            self._kernels.add(kernel)
            for entry in self._entries.values():
                if family(entry.id) == backend and entry.id not in self._without_kernels:
                    entry.backend.register_kernel(kernel)
            self._snapshot = None
        return kernel

    def report_failure(self, backend_id: BackendId, error: BaseException) -> Health:
        """Take note that a backend could not do its work; after the third time, or a lost device, it is set aside.

        The reference backend is counted but never set aside, since there is nothing behind it.

        Returns
        -------
        Health
            How it has done so far.
        """
        with self._lock:
            entry = self._entries.get(backend_id)
            if entry is None:
                return Health()
            health = entry.health.after(error, may_be_set_aside=not entry.is_reference)
            self._entries[backend_id] = replace(entry, health=health)
            self._snapshot = None
        if health.is_set_aside and not entry.health.is_set_aside:
            _log.warning("backend '%s' is set aside %s", backend_id, health)
        return health

    def snapshot(self, families: Collection[str] | None = None) -> Topology:
        """Return what is known once every installed backend is open; the same object until something changes.

        Parameters
        ----------
        families : collection of str, optional
            The only families that have to be open; opening is what a user waits for.
        """
        with self._lock:
            self._open(families)
            return self.current()

    def current(self) -> Topology:
        """Return what is known now, without opening anything; the same object until something changes."""
        snapshot = self._snapshot
        if snapshot is not None:  # asked for before every evaluation, so without the lock
            return snapshot
        with self._lock:
            for backend_id in self._without_kernels:
                if backend_id in self._entries:
                    self._kernels.give(self._entries[backend_id].backend, family(backend_id))
            self._without_kernels.clear()
            if self._snapshot is None:
                self._number += 1
                closed = {} if self._installed is None else self._installed.closed
                self._snapshot = make_topology(
                    self._number,
                    self._entries.values(),
                    unopened={**closed, **self._unopened},
                    measurements=self._measurements,
                )
            return self._snapshot

    def availability(self) -> Mapping[str, Availability]:
        """Return whether each backend can be used: registered, installed, or known and not installed."""
        topology = self.snapshot()
        known: dict[str, Availability] = {entry.id: entry.availability for entry in topology.entries}
        for others in (topology.unopened, not_installed()):
            for name, why in others.items():
                known.setdefault(name, why)
        return MappingProxyType(known)

    @property
    def available_kinds(self) -> tuple[BackendKind, ...]:
        """Kinds of which a backend may be used now."""
        return self.snapshot().available_kinds

    def select(self, request: SelectionRequest) -> BackendId:
        """Return the backend for a request; see :func:`unshape_backend.selection.select`."""
        return selection.select(self.snapshot(), request)

    def select_best(self, requests: Sequence[SelectionRequest] = ()) -> BackendId:
        """Return the best backend; see :func:`unshape_backend.selection.select_best`."""
        return selection.select_best(self.snapshot(), requests)

    def fallback_chain(self, request: SelectionRequest) -> tuple[BackendId, ...]:
        """Return who is tried for a request, in order; see :func:`unshape_backend.selection.fallback_chain`."""
        return selection.fallback_chain(self.snapshot(), request)

    def route(self, op_class: OpClass) -> routing.RoutedChain:
        """Return who runs a class of operation while nothing is measured; see :func:`unshape_backend.routing.route`."""
        return routing.route(self.snapshot(), op_class)

    def renew_after_fork(self) -> None:
        """Replace the lock, which a thread that is not here may have held."""
        self._lock = threading.RLock()

    def close(self) -> None:
        """Close the backends that this registry opened and forget all others. May be called twice."""
        with self._lock:
            owned, self._owned = self._owned, []
            self._entries.clear()
            self._without_kernels.clear()
            self._is_discovery_due = False
            self._installed = None
            self._snapshot = None
        for backend in owned:
            backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _own(self, backend: ComputeBackend) -> None:
        self.register(backend)
        self._owned.append(backend)

    def _open(self, families: Collection[str] | None) -> None:
        if self._is_discovery_due:
            self._is_discovery_due = False
            self._installed = InstalledBackends(self.settings)
            self._unopened |= wanted_in_vain(self.settings, {*self._entries, *self._installed.names})
            self._measurements = load_measurements(self.settings).merged(self._measurements)
            self._snapshot = None
        for opened in () if self._installed is None else self._installed.open(families):
            self._snapshot = None
            if opened.why_not is not None:
                self._unopened[opened.name] = opened.why_not
            for backend in opened.backends:
                if backend.id in self._entries:  # what a program registered itself comes first
                    backend.close()
                else:
                    self._own(backend)

    def _change(self, backend_id: BackendId, **changes: Any) -> None:
        with self._lock:
            self._open({family(backend_id)})
            self._entries[backend_id] = replace(self._entry(backend_id), **changes)
            self._snapshot = None

    def _entry(self, backend_id: BackendId) -> BackendEntry:
        entry = self._entries.get(backend_id)
        if entry is None:
            known = ", ".join(f"'{each}'" for each in self._entries) or "none"
            msg = f"registry: expected the id of a registered backend ({known}), got '{backend_id}'"
            raise SelectionError(msg)
        return entry


_default: BackendRegistry | None = None
_default_lock = threading.Lock()


def default_registry() -> BackendRegistry:
    """Return the registry that the easy calls share, with every installed backend; made on first use."""
    global _default  # noqa: PLW0603
    with _default_lock:
        if _default is None:
            _default = BackendRegistry.with_defaults()
        return _default
