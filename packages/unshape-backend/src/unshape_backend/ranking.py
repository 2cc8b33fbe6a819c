"""Ranking: candidates of one task in the order that a policy wants, and the reasons in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from unshape_backend.cost import Cost, CostBasis, format_ns, rank
from unshape_backend.identity import BackendId
from unshape_backend.policy import Auto, ByPriority, ExecutionPolicy, LocalFirst, MinimizeCost, Named, PreferKind
from unshape_backend.routing import is_preferred, op_route
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_backend.topology import BackendEntry, Topology
from unshape_core.memory_space import MemorySpace

InputSpaces: TypeAlias = Sequence[frozenset[MemorySpace]]
"""For each input of a task the spaces that hold it; none for a scalar, which is everywhere."""

_SortKey: TypeAlias = tuple[int | str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Locality:
    """How much of a task's inputs is in a space.

    Parameters
    ----------
    local, total : int
        Bytes there and in all; numbers of inputs if the size of one is unknown, so that it does not count as zero.
    unit : str
        What is counted.
    """

    local: int
    total: int
    unit: str

    def __str__(self) -> str:
        return f"{self.local} of {self.total} {self.unit}"


class Localities:
    """How much of a task's inputs each space holds; scalars do not count.

    Parameters
    ----------
    task : Task
        The task.
    residency : sequence of frozenset of MemorySpace
        Where the inputs are; missing ones are scalars.
    """

    __slots__ = ("_placed", "_total", "_unit")

    def __init__(self, task: Task, residency: InputSpaces) -> None:
        sizes = task.input_bytes if any(residency) else ()
        placed = [(size, spaces) for size, spaces in zip(sizes, residency, strict=False) if spaces]
        known = [(size, spaces) for size, spaces in placed if size is not None]
        is_known = len(known) == len(placed)
        self._placed = known if is_known else [(1, spaces) for _, spaces in placed]
        self._total = sum(size for size, _ in self._placed)
        self._unit = "input bytes" if is_known else "inputs"

    def of(self, space: MemorySpace) -> Locality:
        """Return how much one space holds."""
        local = sum(size for size, spaces in self._placed if space in spaces)
        return Locality(local=local, total=self._total, unit=self._unit)


class Ranking:
    """Every candidate of a task with its place in the order.

    Parameters
    ----------
    task : Task
        What is to be run.
    topology : Topology
        Who there is.
    policy : ExecutionPolicy
        What is wanted.
    costs : mapping of BackendId to (Cost or None)
        Everyone who can run it, with the price that decides.
    residency : sequence of frozenset of MemorySpace
        Where the inputs are.
    """

    __slots__ = ("_costs", "_entries", "_is_routed", "_locality", "_policy", "_task")

    def __init__(
        self,
        task: Task,
        *,
        topology: Topology,
        policy: ExecutionPolicy,
        costs: Mapping[BackendId, Cost | None],
        residency: InputSpaces,
    ) -> None:
        self._task = task
        self._policy = policy
        self._costs = costs
        self._entries = {each: topology.entry(each) for each in costs}
        localities = Localities(task, residency)
        self._locality = {each: localities.of(entry.capabilities.space) for each, entry in self._entries.items()}
        self._is_routed = not any(cost is not None and cost.basis is CostBasis.MEASURED for cost in costs.values())

    def key(self, backend_id: BackendId) -> _SortKey:
        """Return the sort key of a candidate; the best has the least."""
        entry = self._entries[backend_id]
        by_priority = (-entry.priority, entry.id)
        near = self._locality[backend_id]
        by_cost = (
            *rank(self._costs[backend_id]),
            near.local < near.total,
            self._is_routed and not self._is_routed_to(entry),
            *by_priority,
        )
        match self._policy:
            case Auto() | PreferKind() | Named():
                return (entry.is_software, *by_cost)
            case MinimizeCost():
                return by_cost
            case LocalFirst():
                return (-near.local, entry.is_software, *by_cost)
            case ByPriority():
                return by_priority
            case _:
                assert_never(self._policy)

    def why(self, pick: BackendId) -> str:
        """Return in words why a candidate is the pick."""
        entry, near, cost = self._entries[pick], self._locality[pick], self._costs[pick]
        match self._policy:
            case Named():
                return "named by the policy"
            case ByPriority():
                return f"highest priority, {entry.priority}"
            case LocalFirst() if near.local:
                return f"{near} are in {entry.capabilities.space}"
            case PreferKind(kind) if entry.capabilities.kind != kind or entry.is_software:
                prefix = f"no {kind} can run it; "
            case PreferKind(kind):
                prefix = f"{kind} is preferred; "
            case LocalFirst() | Auto() | MinimizeCost():
                prefix = ""
            case _:
                assert_never(self._policy)
        if len(self._entries) == 1:
            return f"{prefix}the only one that can run it"
        if cost is not None:
            moved = " with transfers" if cost.transfer_ns else ""
            return f"{prefix}least estimated time{moved}, {format_ns(cost.total_ns)} ({cost.basis})"
        if self._is_routed_to(entry):
            return f"{prefix}no time is known; {op_route(self._task.op_class).reason}"
        return f"{prefix}no time is known; highest priority"

    def why_not(self, loser: BackendId, pick: BackendId) -> Rejection:
        """Return why one candidate is not the pick and another one is."""
        near = self._locality[loser]
        match self._policy:
            case ByPriority():
                detail = f"{self._entries[loser].priority} against {self._entries[pick].priority}"
                return Rejection(RejectionCode.PRIORITY, detail)
            case LocalFirst() if near.local < self._locality[pick].local:
                detail = f"{near} are in {self._entries[loser].capabilities.space}"
                return Rejection(RejectionCode.LOCALITY, detail)
            case LocalFirst() | Auto() | MinimizeCost() | PreferKind() | Named():
                return self._why_dearer(loser, pick)
            case _:
                assert_never(self._policy)

    def _why_dearer(self, loser: BackendId, pick: BackendId) -> Rejection:
        theirs, ours = self._costs[loser], self._costs[pick]
        if theirs is None:
            return Rejection(RejectionCode.COST, "its time is unknown")
        if ours is None or theirs.total_ns < ours.total_ns:
            return Rejection(RejectionCode.COST, f"{format_ns(theirs.total_ns)} here, but the whole plan takes longer")
        if theirs.total_ns == ours.total_ns:
            return Rejection(RejectionCode.PRIORITY, f"equal estimates of {format_ns(ours.total_ns)}")
        detail = f"{format_ns(theirs.total_ns)} ({theirs.basis}) against {format_ns(ours.total_ns)}"
        return Rejection(RejectionCode.COST, detail)

    def _is_routed_to(self, entry: BackendEntry) -> bool:
        return is_preferred(entry.capabilities, self._task.op_class)
