"""Selection without a task: which backend satisfies hard constraints, and which ones come after it.

Every backend of a chain satisfies the request; what is pinned or required is never substituted. Answers carry the
reason of every rejection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from unshape_backend.capabilities import Feature
from unshape_backend.errors import SelectionError
from unshape_backend.identity import GPU, BackendId, BackendKind
from unshape_backend.memory_fit import FitStatus, would_fit
from unshape_backend.task import Rejection, RejectionCode
from unshape_backend.topology import BackendEntry, Topology
from unshape_core.context import Precision


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionRequest:
    """What a backend must offer.

    Parameters
    ----------
    kind : BackendKind or None
        The kind it must be of; a software device does not count as its kind.
    features : frozenset of Feature
        What it must be able to do.
    pin : BackendId or None
        The one backend that is meant; a software device may be pinned.
    precision : {"exact", "fast"}
        "exact" admits only devices that gave the promised bits in their self-test.
    min_memory_bytes : int or None
        Memory that it must have; a backend of unknown memory is admitted.
    allow_fallback : bool
        Whether others that satisfy the request as well follow in the chain.
    """

    kind: BackendKind | None = None
    features: frozenset[Feature] = frozenset()
    pin: BackendId | None = None
    precision: Precision = "exact"
    min_memory_bytes: int | None = None
    allow_fallback: bool = True

    @classmethod
    def any(cls) -> SelectionRequest:
        """Return the request that every exact backend satisfies."""
        return cls()

    @classmethod
    def require_gpu(cls) -> SelectionRequest:
        """Return the request for a GPU, exact or not."""
        return cls(kind=GPU, precision="fast")

    @classmethod
    def pinned(cls, backend_id: BackendId) -> SelectionRequest:
        """Return the request for one backend and no other."""
        return cls(pin=backend_id, precision="fast", allow_fallback=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The answer to a request.

    Parameters
    ----------
    chain : tuple of BackendId
        Who satisfies the request, best first; the reference comes last unless it is the only one before software
        devices. Empty if nobody does.
    rejected : mapping of str to Rejection
        Everyone else, with the reason; backends that could not be opened are among them.
    """

    chain: tuple[BackendId, ...]
    rejected: Mapping[str, Rejection]

    @property
    def pick(self) -> BackendId | None:
        """The first of the chain, None if it is empty."""
        return self.chain[0] if self.chain else None


def consider_request(topology: Topology, request: SelectionRequest) -> Selection:
    """Answer a request, also where nobody satisfies it."""
    rejected: dict[str, Rejection] = {
        name: Rejection(RejectionCode.UNAVAILABLE, str(why)) for name, why in topology.unopened.items()
    }
    fitting = []
    for entry in topology.entries:
        reason = _why_not(entry, request)
        if reason is None:
            fitting.append(entry)
        else:
            rejected[entry.id] = reason
    chain = order_chain([entry.id for entry in sorted(fitting, key=_by_priority)], topology)
    if not request.allow_fallback:
        for backend_id in chain[1:]:
            rejected[backend_id] = Rejection(RejectionCode.PRIORITY, "the request allows no fallback")
        chain = chain[:1]
    return Selection(chain=chain, rejected=MappingProxyType(rejected))


def select(topology: Topology, request: SelectionRequest) -> BackendId:
    """Return the backend for a request.

    Raises
    ------
    SelectionError
        If nobody satisfies it; carries every rejection.
    """
    return fallback_chain(topology, request)[0]


def select_best(topology: Topology, requests: Sequence[SelectionRequest] = ()) -> BackendId:
    """Return the backend for the first of several requests that is satisfied; without any, the best of all.

    Raises
    ------
    SelectionError
        If none is; carries the rejections of the last.
    """
    *early, last = requests or (SelectionRequest.any(),)
    for request in early:
        pick = consider_request(topology, request).pick
        if pick is not None:
            return pick
    return select(topology, last)


def fallback_chain(topology: Topology, request: SelectionRequest) -> tuple[BackendId, ...]:
    """Return who is tried for a request, in order; the first is what :func:`select` returns.

    Raises
    ------
    SelectionError
        If nobody satisfies it; carries every rejection.
    """
    selection = consider_request(topology, request)
    if not selection.chain:
        raise SelectionError("selection: no backend satisfies the request", rejected=selection.rejected)
    return selection.chain


def order_chain(preferred: Sequence[BackendId], topology: Topology) -> tuple[BackendId, ...]:
    """Put the reference last unless it leads.

    Parameters
    ----------
    preferred : sequence of BackendId
        Best first.
    topology : Topology
        Knows the reference.
    """
    pick, rest = preferred[:1], preferred[1:]
    reference = [backend_id for backend_id in rest if topology.entry(backend_id).is_reference]
    others = [backend_id for backend_id in rest if backend_id not in reference]
    return (*pick, *others, *reference)


def _by_priority(entry: BackendEntry) -> tuple[int, str]:
    return -entry.priority, entry.id


def _why_not(entry: BackendEntry, request: SelectionRequest) -> Rejection | None:
    facts = entry.capabilities
    if request.pin is not None and facts.id != request.pin:
        return Rejection(RejectionCode.NOT_PINNED, f"'{request.pin}' is")
    unusable = entry.why_unusable()
    if unusable is not None:
        return unusable
    if request.kind is not None:
        if facts.kind != request.kind:
            return Rejection(RejectionCode.KIND, f"{request.kind} is required, this is {facts.kind}")
        if entry.is_software and request.pin is None:
            return Rejection(RejectionCode.SOFTWARE, f"a CPU plays {facts.device.name}; pin it to use it all the same")
    missing = request.features - facts.features
    if missing:
        return Rejection(RejectionCode.FEATURE, f"it lacks {', '.join(sorted(missing))}")
    if request.precision == "exact" and Feature.EXACT_F32 not in facts.features:
        return Rejection(RejectionCode.PRECISION, INEXACT)
    total = memory_limit_bytes(entry)
    if would_fit(request.min_memory_bytes, total_bytes=total) is FitStatus.WONT_FIT:
        return Rejection(RejectionCode.MEMORY, f"{request.min_memory_bytes} bytes are required, it has {total}")
    return None


INEXACT = 'it did not give the promised bits in its self-test; precision="fast" allows it'


def memory_limit_bytes(entry: BackendEntry) -> int | None:
    """Return the memory that a backend may use: its budget, else the device's memory, None if unknown."""
    budget = entry.capabilities.limits.memory_budget_bytes
    return entry.capabilities.device.total_memory_bytes if budget is None else budget
