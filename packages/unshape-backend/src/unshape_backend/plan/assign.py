"""Assignment: asks who can run each task, has the whole placed, and writes down every decision with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from unshape_backend.candidates import Candidates, price
from unshape_backend.cost import Cost, CostBasis
from unshape_backend.decision import Decision
from unshape_backend.errors import SelectionError
from unshape_backend.identity import REFERENCE, BackendId
from unshape_backend.plan.fusible import Kind
from unshape_backend.plan.inquiry import Inquiry
from unshape_backend.plan.layout import Layout, TransferOrder
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.place import place
from unshape_backend.plan.placement_problem import Assignment, Hop, PlacedValue, PlacementOption, PlacementProblem
from unshape_backend.plan.price import move_price, price_ns, run_price, unknown_count
from unshape_backend.plan.tasks import WiredTask
from unshape_backend.plan.wiring import ValueId
from unshape_backend.policy import Named, minimizes_plan_time
from unshape_backend.routing import is_preferred
from unshape_backend.task import Rejection, RejectionCode
from unshape_backend.topology import Topology
from unshape_backend.transfer import link_cost
from unshape_core.memory_space import HOST, MemorySpace


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where a task runs.

    Parameters
    ----------
    decision : Decision
        The pick, its reasons, and what everyone would cost with the transfers that this takes.
    cost : Cost or None
        What the task itself is estimated to take where it runs.
    """

    decision: Decision
    cost: Cost | None


def assign(layout: Layout, inquiry: Inquiry, options: PlanOptions) -> dict[int, Placed]:
    """Return for each task, by its index among the units, where it runs.

    Parameters
    ----------
    layout : Layout
        The units and values.
    inquiry : Inquiry
        Whom to ask about candidates and prices.
    options : PlanOptions
        Pins, and where results are wanted.

    Raises
    ------
    SelectionError
        If nobody can run a task, or not the one that was named.
    """
    assigner = _Assigner(layout, inquiry, options)
    return {
        index: Placed(decision=decision, cost=assigner.own_cost(index, decision.pick))
        for index, decision in sorted(assigner.decisions().items())
    }


def host_decision(topology: Topology, reason: str, code: RejectionCode, detail: str) -> Decision:
    """Return the decision for what the reference runs and no other backend is asked about."""
    rejected: dict[str, Rejection] = {
        name: Rejection(RejectionCode.UNAVAILABLE, str(why)) for name, why in topology.unopened.items()
    }
    for entry in topology.entries:
        if not entry.is_reference:
            rejected[entry.id] = entry.why_unusable() or Rejection(code, detail)
    return Decision(chain=(REFERENCE,), reason=reason, costs=MappingProxyType({}), rejected=MappingProxyType(rejected))


class _Assigner:
    def __init__(self, layout: Layout, inquiry: Inquiry, options: PlanOptions) -> None:
        self.layout, self.inquiry, self.options = layout, inquiry, options
        self.scheduler, self.topology = inquiry.scheduler, inquiry.topology
        self.spaces = {entry.id: entry.capabilities.space for entry in self.topology.entries}
        self.entries = {entry.id: entry for entry in self.topology.entries}
        self._hops: dict[tuple[int | None, MemorySpace, MemorySpace], tuple[Hop, ...]] = {}
        self._scalars: Decision | None = None

    def decisions(self) -> dict[int, Decision]:
        fixed: dict[int, Decision] = {}
        candidates: dict[int, Candidates] = {}
        where: dict[ValueId, MemorySpace] = dict(self.layout.given)
        is_planned = minimizes_plan_time(self.scheduler.policy)
        for index, unit in enumerate(self.layout.units):
            if isinstance(unit, TransferOrder):
                where[unit.result] = where.get(unit.value, HOST) if unit.space is None else unit.space
                continue
            decision = self._without_choice(unit)
            pin = self._pin(unit)
            if decision is None and (pin is not None or not is_planned):
                residency = [frozenset({where[value]}) if value in where else frozenset() for value in unit.inputs]
                decision = self.scheduler.decide(unit.task, self.topology, residency, pin=pin)
            if decision is None:
                candidates[index] = self.inquiry.consider(unit.task)
            else:
                fixed[index] = decision
                where.update(
                    {value: self.spaces[decision.pick] for value in unit.outputs if value in self.layout.sizes}
                )
        return {**fixed, **self._placed(candidates, fixed)} if candidates else fixed

    def own_cost(self, index: int, pick: BackendId) -> Cost | None:
        """Return what a task is estimated to take; numbers cost nothing worth counting."""
        unit = self.layout.units[index]
        assert isinstance(unit, WiredTask)  # orders have no decision
        if self._without_choice(unit) is None:
            return price(self.entries[pick], unit.task, self.topology)
        return None if unit.is_late else Cost(basis=CostBasis.DECLARED)

    def _pin(self, unit: WiredTask) -> BackendId | None:
        return self.options.pins.get(unit.task.node_ids[-1])

    def _without_choice(self, unit: WiredTask) -> Decision | None:
        """Return the decision for what only the host can do: numbers, and what is not known before it runs."""
        pin = self._pin(unit)
        if unit.kind is Kind.SCALARS and pin is None:
            if self._scalars is None:
                self._scalars = host_decision(
                    self.topology,
                    "numbers are computed where the plan runs",
                    RejectionCode.LOCALITY,
                    "numbers live on the host",
                )
            return self._scalars
        if not unit.is_late:
            return None
        named = self.scheduler.policy.id if isinstance(self.scheduler.policy, Named) and pin is None else pin
        detail = "how large something is depends on data"
        if named is not None and named != REFERENCE:
            raise SelectionError(
                f"node {unit.task.node_ids[-1]} ({unit.task.node.type_name}): the backend that was named cannot run it",
                rejected={str(named): Rejection(RejectionCode.SIZE, detail)},
                node_id=unit.task.node_ids[-1],
                type_name=unit.task.node.type_name,
            )
        return host_decision(self.topology, f"{detail}; the reference needs no sizes", RejectionCode.SIZE, detail)

    def _placed(self, candidates: Mapping[int, Candidates], fixed: Mapping[int, Decision]) -> dict[int, Decision]:
        position: dict[int, int] = {}
        options: list[list[PlacementOption]] = []
        for index in range(len(self.layout.units)):
            allowed = self._allowed(index, candidates, fixed)
            if allowed:
                position[index] = len(options)
                options.append([self._option(index, each, candidates) for each in allowed])
        values, names = self._values(position)
        sizes = [self.layout.sizes[name] for name in names]
        problem = PlacementProblem(
            options=options,
            values=values,
            route=lambda value, source, target: self._route(sizes[value], source, target),
        )
        choice = place(problem)
        return {
            index: self._conclude(index, candidates[index], problem, choice, position[index]) for index in candidates
        }

    def _allowed(
        self, index: int, candidates: Mapping[int, Candidates], fixed: Mapping[int, Decision]
    ) -> tuple[BackendId, ...]:
        """Return the backends a unit may be placed on; none for what has no place (numbers, and where orders stand)."""
        unit = self.layout.units[index]
        if isinstance(unit, TransferOrder) or unit.kind is Kind.SCALARS:
            return ()
        return candidates[index].allowed if index in candidates else (fixed[index].pick,)

    def _option(self, index: int, backend_id: BackendId, candidates: Mapping[int, Candidates]) -> PlacementOption:
        unit = self.layout.units[index]
        assert isinstance(unit, WiredTask)  # orders have no options
        entry = self.entries[backend_id]
        group = self.topology.ids.index(backend_id)
        rank = group if is_preferred(entry.capabilities, unit.task.op_class) else group + len(self.entries)
        cost = candidates[index].costs[backend_id] if index in candidates else Cost()
        return PlacementOption(space=entry.capabilities.space, price=run_price(cost, rank), group=group)

    def _values(self, position: Mapping[int, int]) -> tuple[list[PlacedValue], list[ValueId]]:
        """Return the arrays between tasks. An order ends a value in one space and begins another one there."""
        consumers: dict[ValueId, list[int]] = {}
        exits: dict[ValueId, list[MemorySpace]] = {}
        origins: dict[ValueId, MemorySpace] = dict(self.layout.given)
        behind: dict[ValueId, ValueId] = {}
        for index, unit in enumerate(self.layout.units):
            if isinstance(unit, TransferOrder):
                if unit.value not in self.layout.sizes:
                    continue
                if unit.space is None:
                    behind[unit.result] = behind.get(unit.value, unit.value)
                else:
                    exits.setdefault(behind.get(unit.value, unit.value), []).append(unit.space)
                    origins[unit.result] = unit.space
            elif index in position:
                for value in self.layout.reads(index):
                    consumers.setdefault(behind.get(value, value), []).append(position[index])
        result_space = HOST if self.options.result_space is None else self.options.result_space
        for value in self.layout.results.values():
            if value in self.layout.sizes:
                exits.setdefault(behind.get(value, value), []).append(result_space)
        values: list[PlacedValue] = []
        names: list[ValueId] = []
        for name in dict.fromkeys((*consumers, *exits)):
            producer = self.layout.producers.get(name)
            values.append(
                PlacedValue(
                    producer=None if name in origins or producer is None else position.get(producer),
                    origin=origins.get(name, None if producer in position else HOST),
                    consumers=tuple(dict.fromkeys(consumers.get(name, ()))),
                    exits=tuple(dict.fromkeys(exits.get(name, ()))),
                )
            )
            names.append(name)
        return values, names

    def _route(self, nbytes: int | None, source: MemorySpace, target: MemorySpace) -> tuple[Hop, ...]:
        key = (nbytes, source, target)
        hops = self._hops.get(key)
        if hops is None:
            hops = self._hops[key] = tuple(
                (link.source, link.target, move_price(None if nbytes is None else link_cost(link, nbytes)))
                for link in self.topology.links.route(source, target, nbytes or 0).links
            )
        return hops

    def _conclude(
        self, index: int, candidates: Candidates, problem: PlacementProblem, choice: Assignment, at: int
    ) -> Decision:
        """Write down a decision with the prices that made it: running, and moving what goes in and out."""
        unit = self.layout.units[index]
        assert isinstance(unit, WiredTask)  # orders have no candidates
        pick = candidates.allowed[choice[at]]
        if len(candidates.costs) == 1:
            return self.scheduler.conclude(unit.task, self.topology, candidates, pick=pick)
        kept = choice[at]
        costs: dict[BackendId, Cost | None] = dict(candidates.costs)
        for option, backend_id in enumerate(candidates.allowed):
            choice[at] = option
            touched = {*problem.reads[at], *problem.writes[at]}
            moving = sum(problem.value_price(value, choice) for value in touched)
            own = candidates.costs[backend_id]
            costs[backend_id] = _with_moves(own, moving)
        choice[at] = kept
        return self.scheduler.conclude(unit.task, self.topology, candidates, pick=pick, costs=costs)


def _with_moves(own: Cost | None, moving: int) -> Cost | None:
    """Return a cost with the price of moves added; the moves of neighbours that are equal everywhere are among them."""
    if own is None or unknown_count(moving):
        return None
    return own + Cost(transfer_ns=price_ns(moving), basis=own.basis)
