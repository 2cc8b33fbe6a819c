"""Topologies: numbered, immutable snapshots of what a registry knows.

A plan is a function of a topology, never of the registry: whatever changes afterwards gives a new topology with a
higher number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from unshape_backend.availability import Availability, Available, Unavailable
from unshape_backend.capabilities import BackendCapabilities
from unshape_backend.errors import SelectionError
from unshape_backend.health import Health
from unshape_backend.identity import REFERENCE, BackendId, BackendKind
from unshape_backend.measurement import Measurements
from unshape_backend.opening import not_installed
from unshape_backend.protocols import ComputeBackend
from unshape_backend.task import Rejection, RejectionCode
from unshape_backend.transfer import LinkTable
from unshape_core.memory_space import MemorySpace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BackendEntry:
    """One opened backend and what is known of it.

    Parameters
    ----------
    backend : ComputeBackend
        The backend.
    capabilities : BackendCapabilities
        Its facts; those of the backend unless they were replaced.
    priority : int
        Higher is preferred where costs do not decide.
    availability : Availability
        Whether it may be used.
    health : Health
        How it has done so far.
    """

    backend: ComputeBackend
    capabilities: BackendCapabilities
    priority: int
    availability: Availability = field(default_factory=Available)
    health: Health = field(default_factory=Health)

    @property
    def id(self) -> BackendId:
        """Name of the backend."""
        return self.capabilities.id

    @property
    def is_reference(self) -> bool:
        """Whether this is the reference backend."""
        return self.capabilities.id == REFERENCE

    @property
    def is_software(self) -> bool:
        """Whether a CPU plays the device."""
        return self.capabilities.device.is_software

    def why_unusable(self) -> Rejection | None:
        """Return why nothing may run here now, None if all is well."""
        match self.availability:
            case Unavailable() as why:
                return Rejection(RejectionCode.UNAVAILABLE, str(why))
            case Available():
                pass
        if self.health.is_set_aside:
            return Rejection(RejectionCode.SET_ASIDE, str(self.health))
        return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Topology:
    """What a registry knew at one moment.

    Parameters
    ----------
    number : int
        Counts up with every change of the registry.
    entries : tuple of BackendEntry
        Opened backends: highest priority first, then by name, the reference last.
    unopened : mapping of str to Unavailable
        Installed backends that could not be opened, or were not to be.
    links : LinkTable
        Every link between memory spaces.
    measurements : Measurements
        What was measured on this machine.
    """

    number: int
    entries: tuple[BackendEntry, ...]
    unopened: Mapping[str, Unavailable] = field(default_factory=lambda: MappingProxyType({}))
    links: LinkTable = field(default_factory=LinkTable)
    measurements: Measurements = field(default_factory=Measurements)

    def entry(self, backend_id: BackendId) -> BackendEntry:
        """Return what is known of a backend.

        Raises
        ------
        SelectionError
            If no such backend was opened, with the reason; of a name that nobody knows, with the names that there are.
        """
        for entry in self.entries:
            if entry.capabilities.id == backend_id:
                return entry
        why = self.unopened.get(backend_id) or not_installed().get(backend_id)
        if why is not None:
            rejected = {str(backend_id): Rejection(RejectionCode.UNAVAILABLE, str(why))}
            raise SelectionError("the backend that was named cannot be used", rejected=rejected)
        known = ", ".join(f"'{name}'" for name in (*(entry.id for entry in self.entries), *self.unopened)) or "none"
        msg = f"backend '{backend_id}': there is none of that name, but {known}; `unshape info` says how to get more"
        raise SelectionError(msg)

    def backend(self, backend_id: BackendId) -> ComputeBackend:
        """Return an opened backend."""
        return self.entry(backend_id).backend

    def capabilities(self, backend_id: BackendId) -> BackendCapabilities:
        """Return the facts of an opened backend."""
        return self.entry(backend_id).capabilities

    def space(self, backend_id: BackendId) -> MemorySpace:
        """Return where a backend's values live."""
        return self.entry(backend_id).capabilities.space

    def in_space(self, space: MemorySpace) -> tuple[BackendEntry, ...]:
        """Return the backends whose values live in a space."""
        return tuple(entry for entry in self.entries if entry.capabilities.space == space)

    @property
    def ids(self) -> tuple[BackendId, ...]:
        """Names of the opened backends, usable or not."""
        return tuple(entry.id for entry in self.entries)

    @property
    def available_kinds(self) -> tuple[BackendKind, ...]:
        """Kinds of which a backend may be used now, each once; a software device does not count as its kind."""
        usable = (e for e in self.entries if e.why_unusable() is None and not e.is_software)
        return tuple(dict.fromkeys(entry.capabilities.kind for entry in usable))


def make_topology(
    number: int, entries: Iterable[BackendEntry], *, unopened: Mapping[str, Unavailable], measurements: Measurements
) -> Topology:
    """Return a snapshot.

    Parameters
    ----------
    number : int
        Higher than that of any earlier one.
    entries : iterable of BackendEntry
        Opened backends in any order.
    unopened : mapping of str to Unavailable
        Installed ones that are not open.
    measurements : Measurements
        What was measured; links count only if they were measured on one of these devices as it is now.
    """
    order = sorted(entries, key=lambda entry: (-entry.priority, entry.id))
    return Topology(
        number=number,
        entries=tuple(order),
        unopened=MappingProxyType(dict(unopened)),
        links=_links(order, measurements),
        measurements=measurements,
    )


def _links(entries: Sequence[BackendEntry], measurements: Measurements) -> LinkTable:
    devices = {(entry.capabilities.space, entry.capabilities.device.fingerprint) for entry in entries}
    measured = [
        each.link
        for each in measurements.links
        if {(each.link.source, each.fingerprint), (each.link.target, each.fingerprint)} & devices
    ]
    return LinkTable([entry.capabilities for entry in entries], measured=measured)
