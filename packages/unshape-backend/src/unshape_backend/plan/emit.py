"""Emission: from placed units to steps over slots, with every transfer a step of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unshape_backend.errors import SelectionError
from unshape_backend.identity import BackendId
from unshape_backend.plan.analysis import Analysis
from unshape_backend.plan.assign import Placed
from unshape_backend.plan.fusible import Kind
from unshape_backend.plan.group import grouped
from unshape_backend.plan.layout import Layout, TransferOrder
from unshape_backend.plan.sequence import in_sequence
from unshape_backend.plan.steps import GivenStep, PlanStep, TaskStep, TransferStep
from unshape_backend.plan.tasks import WiredTask
from unshape_backend.plan.wiring import ValueId
from unshape_backend.topology import Topology
from unshape_backend.transfer import link_cost
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.value import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Emission:
    """Steps over numbered slots.

    Parameters
    ----------
    steps : tuple of PlanStep
        In the order they run.
    slot_count : int
        Number of slots.
    constants : dict of int to Value
        Slots of defaults.
    result_slots : dict of ValueId to int
        Where each result is in the end.
    """

    steps: tuple[PlanStep, ...]
    slot_count: int
    constants: dict[int, Value]
    result_slots: dict[ValueId, int]


def emit(
    layout: Layout,
    placed: Mapping[int, Placed],
    facts: Analysis,
    topology: Topology,
    *,
    result_space: MemorySpace | None,
) -> Emission:
    """Return the steps of a placed plan: each value moved once into each space where somebody needs it.

    Parameters
    ----------
    layout : Layout
        The units.
    placed : mapping of int to Placed
        For each task, by index among the units, where it runs.
    facts : Analysis
        What is known of the graph.
    topology : Topology
        Who there is.
    result_space : MemorySpace or None
        Where results have to be; None leaves them where they are.
    """
    return _Emitter(layout, placed, facts, topology).emit(result_space)


class _Emitter:
    def __init__(self, layout: Layout, placed: Mapping[int, Placed], facts: Analysis, topology: Topology) -> None:
        self.layout, self.placed, self.facts, self.topology = layout, placed, facts, topology
        self.steps: list[PlanStep] = []
        self.constants: dict[int, Value] = {}
        self.slots: dict[tuple[ValueId, MemorySpace], int] = {}
        self.homes: dict[ValueId, MemorySpace] = {}
        self.moved: dict[ValueId, ValueId] = {}
        self.slot_count = 0

    def emit(self, result_space: MemorySpace | None) -> Emission:
        for index in in_sequence(self._predecessors(), [self._owner(i) for i in range(len(self.layout.units))]):
            unit = self.layout.units[index]
            if isinstance(unit, TransferOrder):
                self._order(unit)
            else:
                self._task(index, unit)
        results: dict[ValueId, int] = {}
        for value in self.layout.results.values():
            here = self._home(value)
            results[value] = self._slot(value, here if result_space is None else result_space)
        return Emission(
            steps=tuple(grouped(self.steps)),
            slot_count=self.slot_count,
            constants=self.constants,
            result_slots=results,
        )

    def _predecessors(self) -> list[list[int]]:
        producers = self.layout.producers
        return [
            [
                producers[value]
                for value in ((u.value,) if isinstance(u, TransferOrder) else u.inputs)
                if value in producers
            ]
            for u in self.layout.units
        ]

    def _owner(self, index: int) -> BackendId | None:
        """Return who runs a unit; nobody in particular runs numbers and orders."""
        unit = self.layout.units[index]
        if isinstance(unit, TransferOrder) or unit.kind is Kind.SCALARS:
            return None
        return self.placed[index].decision.pick

    def _task(self, index: int, unit: WiredTask) -> None:
        decision = self.placed[index].decision
        space = self.topology.space(decision.pick)
        inputs = tuple([self._slot(value, space, backend=decision.pick) for value in unit.inputs])
        outputs = tuple(
            [self._new_slot(value, space if value in self.layout.sizes else HOST) for value in unit.outputs]
        )
        self.steps.append(
            TaskStep(
                wired=unit,
                decision=decision,
                cost=self.placed[index].cost,
                space=space,
                input_slots=inputs,
                output_slots=outputs,
                is_excerpt=unit.outputs[0].is_excerpt,
            )
        )

    def _order(self, unit: TransferOrder) -> None:
        here = self._home(unit.value)
        space = here if unit.space is None or unit.value not in self.layout.sizes else unit.space
        self.slots[unit.result, space] = self._slot(unit.value, space, ordered_by=unit.node_id)
        self.homes[unit.result] = space
        self.moved[unit.result] = self.moved.get(unit.value, unit.value)

    def _home(self, value: ValueId) -> MemorySpace:
        """Return where a value is made, or given."""
        home = self.homes.get(value)
        return self.layout.given.get(value, HOST) if home is None else home

    def _new_slot(self, value: ValueId, space: MemorySpace) -> int:
        slot = self.slots[value, space] = self.slot_count
        self.slot_count += 1
        self.homes[value] = space
        return slot

    def _slot(
        self,
        value: ValueId,
        space: MemorySpace,
        *,
        backend: BackendId | None = None,
        ordered_by: int | None = None,
    ) -> int:
        """Return the slot of a value in a space, with the transfers that bring it there if need be."""
        home = self._home(value)
        if (value, home) not in self.slots:
            self._begin(value, home)
        if value not in self.layout.sizes or value.is_default:
            return self.slots[value, home]
        slot = self.slots.get((value, space))
        if slot is not None:
            return slot
        nbytes = self.layout.sizes[value]
        for link in self.topology.links.route(home, space, nbytes or 0).links:
            if (value, link.target) in self.slots:
                continue
            source = self.slots[value, link.source]
            target = self.slots[value, link.target] = self.slot_count
            self.slot_count += 1
            self.steps.append(
                TransferStep(
                    value=self.moved.get(value, value),
                    source=link.source,
                    target=link.target,
                    backend=self._mover(link.source, link.target, backend),
                    nbytes=nbytes,
                    cost=None if nbytes is None else link_cost(link, nbytes),
                    path=link.path,
                    input_slot=source,
                    output_slot=target,
                    ordered_by=ordered_by,
                )
            )
        return self.slots[value, space]

    def _begin(self, value: ValueId, home: MemorySpace) -> None:
        """Fill the slot of a value that no task makes."""
        each = self.facts.live[value.node_id]
        slot = self._new_slot(value, home)
        if value.is_default:
            default = each.inputs[value.port].default
            assert default is not None  # inference refused a missing one
            self.constants[slot] = default
        else:
            self.steps.append(
                GivenStep(node_id=each.id, type_name=each.node.type_name, space=home, output_slots=(slot,))
            )

    def _mover(self, source: MemorySpace, target: MemorySpace, preferred: BackendId | None) -> BackendId:
        """Return the backend that does a transfer: the one on the device's side, the target's if both are devices."""
        space = source if target == HOST else target
        if preferred is not None and self.topology.space(preferred) == space:
            return preferred
        for entry in self.topology.in_space(space):
            if entry.why_unusable() is None:
                return entry.id
        msg = f"a value in '{space}': expected an open backend there to move it; register the backend that made it"
        raise SelectionError(msg)
