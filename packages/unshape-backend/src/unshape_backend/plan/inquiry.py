"""Inquiries: who can run a task, asked once for each task of a plan."""

from __future__ import annotations

from unshape_backend.candidates import Candidates
from unshape_backend.cost import Cost
from unshape_backend.errors import SelectionError
from unshape_backend.identity import BackendId
from unshape_backend.protocols import SupportsKernelTable
from unshape_backend.scheduler import Scheduler
from unshape_backend.task import RejectionCode, Task
from unshape_backend.topology import Topology

_NOT_ABOUT_THE_TASK = frozenset({RejectionCode.NOT_PINNED, RejectionCode.UNAVAILABLE, RejectionCode.SET_ASIDE})


class Inquiry:
    """Asks a scheduler, and remembers the answers.

    Parameters
    ----------
    scheduler : Scheduler
        Knows candidates, prices and the policy.
    topology : Topology
        Who there is.
    """

    def __init__(self, scheduler: Scheduler, topology: Topology) -> None:
        self.scheduler, self.topology = scheduler, topology
        self._known: dict[int, tuple[Task, Candidates]] = {}

    def consider(self, task: Task) -> Candidates:
        """Return who can run a task; raises as :meth:`Scheduler.consider` does."""
        known = self._known.get(id(task))
        if known is None:
            known = self._known[id(task)] = (task, self.scheduler.consider(task, self.topology))
        return known[1]

    def supporters(self, task: Task) -> frozenset[BackendId]:
        """Return who can run a task, maybe nobody."""
        try:
            return frozenset(self.consider(task).costs)
        except SelectionError:
            return frozenset()

    def refusers(self, task: Task) -> frozenset[str]:
        """Return the usable backends that cannot run a task for a reason that lies in the task."""
        try:
            candidates = self.consider(task)
            rejected = {name: why for name, why in candidates.rejected.items() if name not in candidates.costs}
        except SelectionError as error:
            rejected = dict(error.rejected)
        return frozenset(name for name, why in rejected.items() if why.code not in _NOT_ABOUT_THE_TASK)

    def costs(self, task: Task) -> dict[BackendId, Cost]:
        """Return the known estimates of a task."""
        try:
            costs = self.consider(task).costs
        except SelectionError:
            return {}
        return {backend_id: cost for backend_id, cost in costs.items() if cost is not None}

    def has_own_kernel(self, type_name: str) -> bool:
        """Return whether some usable backend brings a kernel of its own for a node type."""
        return any(
            isinstance(entry.backend, SupportsKernelTable) and bool(entry.backend.kernels.of(type_name))
            for entry in self.topology.entries
            if entry.why_unusable() is None
        )

    @property
    def max_arrays(self) -> int | None:
        """The least number of arrays that a usable backend binds at once, None if none has a limit."""
        limits = [e.capabilities.limits.max_bindings for e in self.topology.entries if e.why_unusable() is None]
        return min((limit for limit in limits if limit is not None), default=None)
