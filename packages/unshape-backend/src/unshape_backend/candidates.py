"""Candidates: which backends can run a task, right, and which of them a policy admits as the pick.

This answers "can it run here?" and "what would it cost there?"; who wins is up to the scheduler or the placement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import assert_never

from unshape_backend.cost import Cost, roofline
from unshape_backend.errors import SelectionError
from unshape_backend.identity import BackendId
from unshape_backend.kernel import KernelSpec
from unshape_backend.limits import Extent, exceeded_limit
from unshape_backend.measurement import CellKey
from unshape_backend.policy import Auto, ByPriority, ExecutionPolicy, LocalFirst, MinimizeCost, Named, PreferKind
from unshape_backend.protocols import SupportsKernelTable
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_backend.topology import BackendEntry, Topology


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Who can run a task.

    Parameters
    ----------
    costs : mapping of BackendId to (Cost or None)
        Everyone who can, in the order of the topology, with the estimate for inputs that are there already; None is
        unknown and ranks last.
    allowed : tuple of BackendId
        Those among which the policy lets cost, place or priority decide; never empty.
    rejected : mapping of str to Rejection
        Everyone else that the topology knows, and those who can but are not allowed, each with the reason.
    """

    costs: Mapping[BackendId, Cost | None]
    allowed: tuple[BackendId, ...]
    rejected: Mapping[str, Rejection]


def consider(
    task: Task,
    topology: Topology,
    policy: ExecutionPolicy,
    *,
    pin: BackendId | None = None,
) -> Candidates:
    """Find out who can run a task, and whom the policy admits.

    Parameters
    ----------
    task : Task
        What is to be run.
    topology : Topology
        Who there is.
    policy : ExecutionPolicy
        Who is wanted.
    pin : BackendId or None
        The one backend that the caller named for this task.

    Raises
    ------
    SelectionError
        If nobody can; carries every rejection and names the node.
    """
    wanted = policy.id if pin is None and isinstance(policy, Named) else pin
    rejected: dict[str, Rejection] = {
        name: Rejection(RejectionCode.UNAVAILABLE, str(why)) for name, why in topology.unopened.items()
    }
    costs: dict[BackendId, Cost | None] = {}
    entries = []
    extent = Extent.of(task)
    for entry in topology.entries:
        reason = why_not(entry, task, pin=wanted, extent=extent)
        if reason is None:
            costs[entry.id] = price(entry, task, topology)
            entries.append(entry)
        else:
            rejected[entry.id] = reason
    if not entries:
        who = "no backend can run it"
        if wanted is not None:
            kind = topology.entry(wanted).capabilities.kind
            rejected = {wanted: rejected[wanted]}  # the others were not asked
            who = "the backend that was named cannot run it"
            if pin is None:
                who += f", policy prefer:{kind} would take another one there"
        raise SelectionError(
            f"node {task.node_ids[-1]} ({task.node.type_name}): {who}",
            rejected=rejected,
            node_id=task.node_ids[-1],
            type_name=task.node.type_name,
        )
    allowed = _allowed(entries, policy)
    kept = {entry.id for entry in allowed}
    for entry in entries:
        if entry.id not in kept:
            rejected[entry.id] = _why_not_allowed(entry, policy)
    return Candidates(
        costs=MappingProxyType(costs),
        allowed=tuple(entry.id for entry in allowed),
        rejected=MappingProxyType(rejected),
    )


def why_not(
    entry: BackendEntry, task: Task, *, pin: BackendId | None = None, extent: Extent | None = None
) -> Rejection | None:
    """Return why a backend cannot run a task, None if it can.

    Parameters
    ----------
    entry : BackendEntry
        The backend.
    task : Task
        The task.
    pin : BackendId or None
        The one backend that is admitted.
    extent : Extent or None
        That of the task, if the caller knows it.
    """
    if pin is not None and entry.id != pin:
        return Rejection(RejectionCode.NOT_PINNED, f"'{pin}' is")
    known = Extent.of(task) if extent is None else extent
    return entry.why_unusable() or exceeded_limit(entry, known) or why_not_supported(entry, task)


def price(entry: BackendEntry, task: Task, topology: Topology) -> Cost | None:
    """Return what a task is estimated to take on a backend that supports it, its inputs there already.

    A measured time comes first, then what the backend states, corrected by how far the device is from what was stated
    of its measured tasks; None is unknown.
    """
    facts, measurements = entry.capabilities, topology.measurements
    if not measurements.cells:
        return stated_cost(entry, task)
    key = CellKey.of(task, facts.device.fingerprint, revision=kernel_revision(entry, task))
    measured = measurements.cost(key, elements=task.workload.elements)
    if measured is not None:
        return measured
    stated, correction = stated_cost(entry, task), measurements.correction(facts.device.fingerprint)
    return stated if stated is None or correction is None else correction.applied(stated)


def stated_cost(entry: BackendEntry, task: Task) -> Cost | None:
    """Return what a backend estimates before anything is measured, or else the roofline of its facts."""
    try:
        estimate = entry.backend.estimate_cost(task)
    except Exception:  # a faulty estimate is no estimate
        estimate = None
    return roofline(task.workload, entry.capabilities.throughput) if estimate is None else estimate


def kernel_revision(entry: BackendEntry, task: Task) -> int | None:
    """Return the revision of the kernel that a backend runs a task by, None if it runs the expression or definition."""
    if not isinstance(entry.backend, SupportsKernelTable):
        return None
    kernel = entry.backend.kernels.find(task, entry.capabilities.limits)
    return kernel.revision if isinstance(kernel, KernelSpec) else None


def why_not_supported(entry: BackendEntry, task: Task) -> Rejection | None:
    """Return what a backend itself has against a task, None if nothing."""
    try:
        return entry.backend.supports(task)
    except Exception as error:  # a faulty backend must not take the others down
        return Rejection(RejectionCode.FAULT, f"its supports() raised {type(error).__name__}: {error}")


def _allowed(entries: list[BackendEntry], policy: ExecutionPolicy) -> list[BackendEntry]:
    match policy:
        case Auto():
            return [entry for entry in entries if not entry.is_software] or entries
        case PreferKind(kind):
            of_kind = [e for e in entries if e.capabilities.kind == kind and not e.is_software]
            return of_kind or _allowed(entries, Auto())
        case Named() | LocalFirst() | MinimizeCost() | ByPriority():
            return entries
        case _:
            assert_never(policy)


def _why_not_allowed(entry: BackendEntry, policy: ExecutionPolicy) -> Rejection:
    if entry.is_software:
        return Rejection(RejectionCode.SOFTWARE, f"a CPU plays {entry.capabilities.device.name}")
    kind = f"{policy.kind} is preferred, this is " if isinstance(policy, PreferKind) else ""
    return Rejection(RejectionCode.KIND, f"{kind}{entry.capabilities.kind}")
