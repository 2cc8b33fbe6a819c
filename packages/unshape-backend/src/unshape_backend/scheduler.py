"""The scheduler: prices tasks and transfers, and decides by policy who runs a task.

A policy that asks for the least time of a plan needs the whole plan; its placement takes candidates and prices from
here and hands back its picks (:meth:`Scheduler.conclude`). :meth:`Scheduler.decide` is the same decision for one task
on its own, and all of it for the policies that go task by task.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from types import MappingProxyType

from unshape_backend.candidates import Candidates, consider
from unshape_backend.cost import Cost
from unshape_backend.decision import Decision
from unshape_backend.identity import BackendId, family
from unshape_backend.policy import AUTO, ExecutionPolicy, wanted_families
from unshape_backend.ranking import InputSpaces, Ranking
from unshape_backend.registry import BackendRegistry
from unshape_backend.selection import order_chain
from unshape_backend.task import RejectionCode, Task
from unshape_backend.topology import Topology
from unshape_backend.transfer import LinkTable
from unshape_core.memory_space import MemorySpace

_log = logging.getLogger("unshape_backend")


class Scheduler:
    """Decides by policy and facts. Remembers only whom it warned of; safe to use from several threads.

    Parameters
    ----------
    registry : BackendRegistry
        Who there is.
    policy : ExecutionPolicy
        What is wanted.
    """

    __slots__ = ("_warned", "policy", "registry")

    def __init__(self, registry: BackendRegistry, policy: ExecutionPolicy = AUTO) -> None:
        self.registry = registry
        self.policy = policy
        self._warned: set[str] = set()

    def topology(self, *, beside: Collection[BackendId] = (), is_whole: bool = False) -> Topology:
        """Return the registry's snapshot of now; opens the backends that the policy may choose, and no others.

        Parameters
        ----------
        beside : collection of BackendId
            Backends that are wanted besides.
        is_whole : bool
            Whether all are wanted.
        """
        families = wanted_families(self.policy)
        if is_whole or families is None:
            return self.registry.snapshot()
        return self.registry.snapshot(families | {family(backend_id) for backend_id in beside})

    def consider(self, task: Task, topology: Topology, *, pin: BackendId | None = None) -> Candidates:
        """Return who can run a task, at what price, and whom the policy admits.

        Raises
        ------
        SelectionError
            If nobody can; carries every rejection and names the node.
        """
        candidates = consider(task, topology, self.policy, pin=pin)
        for name, why in candidates.rejected.items():
            if why.code is RejectionCode.FAULT and name not in self._warned:
                self._warned.add(name)
                _log.warning("backend '%s' is passed over: %s", name, why.detail)
        return candidates

    def decide(
        self, task: Task, topology: Topology, residency: InputSpaces = (), *, pin: BackendId | None = None
    ) -> Decision:
        """Decide who runs a task, given where its inputs are.

        Parameters
        ----------
        task : Task
            What is to be run.
        topology : Topology
            Who there is.
        residency : sequence of frozenset of MemorySpace
            Where each input is; missing entries are scalars.
        pin : BackendId or None
            The backend that the caller named for this task; never overridden.

        Raises
        ------
        SelectionError
            If nobody can; carries every rejection and names the node.
        """
        candidates = self.consider(task, topology, pin=pin)
        sizes = task.input_bytes if any(residency) else ()
        placed = [(size, spaces) for size, spaces in zip(sizes, residency, strict=False) if spaces]
        costs = {
            each: _with_transfers(cost, topology.links, placed, topology.space(each))
            for each, cost in candidates.costs.items()
        }
        ranking = Ranking(task, topology=topology, policy=self.policy, costs=costs, residency=residency)
        return self.conclude(
            task,
            topology,
            candidates,
            pick=min(candidates.allowed, key=ranking.key),
            reason="" if pin is None else "pinned by the caller",
            costs=costs,
            residency=residency,
        )

    def conclude(
        self,
        task: Task,
        topology: Topology,
        candidates: Candidates,
        *,
        pick: BackendId,
        reason: str = "",
        costs: Mapping[BackendId, Cost | None] | None = None,
        residency: InputSpaces = (),
    ) -> Decision:
        """Make the decision for a pick: the chain behind it, and the reason of everyone else.

        Parameters
        ----------
        task : Task
            What is to be run.
        topology : Topology
            Who there is.
        candidates : Candidates
            Who can run it.
        pick : BackendId
            One of the candidates.
        reason : str
            Why, if the caller knows better than the costs of this task say.
        costs : mapping of BackendId to (Cost or None), optional
            Prices with transfers, if they decided; those of the candidates if not given.
        residency : sequence of frozenset of MemorySpace
            Where each input is.
        """
        prices = candidates.costs if costs is None else costs
        ranking = Ranking(task, topology=topology, policy=self.policy, costs=prices, residency=residency)
        rest = sorted((each for each in prices if each != pick), key=ranking.key)
        rejected = dict(candidates.rejected)
        for each in rest:
            if each in candidates.allowed:
                rejected[each] = ranking.why_not(each, pick)
        return Decision(
            chain=order_chain((pick, *rest), topology),
            reason=reason or ranking.why(pick),
            costs=MappingProxyType(dict(prices)),
            rejected=MappingProxyType(rejected),
        )


def _with_transfers(
    cost: Cost | None, links: LinkTable, placed: list[tuple[int | None, frozenset[MemorySpace]]], space: MemorySpace
) -> Cost | None:
    """Return a price with that of the inputs that must be brought to a space first."""
    for size, spaces in placed:
        if cost is None:
            return None
        if space in spaces:
            continue
        moves = [links.cost(source, space, size) for source in spaces]
        known = [move for move in moves if move is not None]
        cost = cost + min(known, key=lambda move: move.total_ns) if known else None
    return cost
