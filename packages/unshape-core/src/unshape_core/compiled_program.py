"""A program made ready for the evaluator's loop: who needs whom, and what kind each step is.

Steps are of two kinds. A *light* step computes scalars from scalars on the host: its values stay in their slots from
run to run, and it is run again when something before it changed. All others are *heavy*: their values are found and
kept by content key, in the cache and nowhere else, so that the cache's budget bounds what is held.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unshape_core.coercion import is_graph_value
from unshape_core.content_key import content_bytes
from unshape_core.context import ContextField
from unshape_core.errors import GraphError
from unshape_core.key_recipe import NodeKeyRecipe, recipes_of
from unshape_core.memory_space import HOST
from unshape_core.nodes.graph_input import GraphInput
from unshape_core.program import StepKind
from unshape_core.value_type import ScalarType

if TYPE_CHECKING:
    from unshape_core.program import Program, Step
    from unshape_core.snapshot import GraphSnapshot
    from unshape_core.value_type import ValueType

NO_STEP = -1
_CLOSURES_KEPT = 16


class Closure(NamedTuple):
    """The steps to look at when some have changed, in order."""

    light: tuple[int, ...]
    heavy: tuple[int, ...]


class CompiledProgram:
    """The facts about a program that do not change from run to run.

    Parameters
    ----------
    program : Program
        What the executor made.
    snapshot : GraphSnapshot
        The graph it was made for.
    requested : tuple of int
        The nodes asked for, in order.

    Attributes
    ----------
    needed : frozenset of int
        The nodes that the requested ones depend on, those included.
    producer : list of int
        For each slot the step that fills it, ``NO_STEP`` for a constant.
    slot_types : list of (ValueType or None)
        The types of slots that steps fill.
    slot_ports : dict of int to (int, int)
        For each slot that a step fills the node and port whose value it holds.
    is_heavy_slot : list of bool
        Whether a slot holds a value of a heavy step, or a constant that is no scalar.
    is_light : list of bool
        The kind of each step.
    is_external : list of bool
        Whether a step gives out an array of the caller, which is never kept.
    field_steps : dict
        For each context field the steps that depend on it.
    input_steps : dict
        For each graph input the steps that depend on it; under None those that may depend on any.
    is_repeatable : bool
        Whether all outputs are kept somewhere.
    recipes, step_keys : dict
        For each heavy step what its keys are made of.
    """

    def __init__(self, program: Program, snapshot: GraphSnapshot, requested: tuple[int, ...]) -> None:
        self.program = program
        self.steps = program.steps
        self.snapshot = snapshot
        self.requested = requested
        self.needed = frozenset(snapshot.order_for(requested))
        self.producer = [NO_STEP] * program.slot_count
        self.slot_types: list[ValueType | None] = [None] * program.slot_count
        self.steps_of_node: dict[int, list[int]] = {}
        self.field_steps: dict[ContextField, list[int]] = {}
        self.input_steps: dict[str | None, list[int]] = {}
        self.is_light: list[bool] = []
        self.is_external: list[bool] = []
        self.recipes: dict[int, tuple[NodeKeyRecipe, ...]] = {}
        self.step_keys: dict[int, bytes] = {}
        self.is_heavy_slot = [False] * program.slot_count
        self._consumers: list[list[int]] = []
        self._closures: dict[frozenset[int] | None, Closure] = {}
        self._schedules: dict[tuple[int, ...], tuple[tuple[int, tuple[int, ...]], ...]] = {}
        self.slot_ports: dict[int, tuple[int, int]] = {}
        for slot, constant in program.constants.items():
            self.is_heavy_slot[slot] = isinstance(constant, np.ndarray) or is_graph_value(constant)
        for index, step in enumerate(self.steps):
            self._take(index, step)
        self.requested_slots = tuple(slot for node_id in requested for slot in program.outputs[node_id])
        self.is_repeatable = not any(self.gives_external(slot) for slot in self.requested_slots)
        self.has_heavy_outputs = any(self.is_heavy_slot[slot] for slot in self.requested_slots)

    def closure(self, sources: frozenset[int] | None) -> Closure:
        """Return the steps that depend on some steps, those included; None stands for all steps."""
        closure = self._closures.get(sources)
        if closure is None:
            reached: Iterable[int] = range(len(self.steps)) if sources is None else sorted(self._reached(sources))
            order = list(reached)
            closure = Closure(
                tuple(index for index in order if self.is_light[index]),
                tuple(index for index in order if not self.is_light[index]),
            )
            if len(self._closures) >= _CLOSURES_KEPT:
                self._closures.clear()
            self._closures[sources] = closure
        return closure

    def schedule(self, needed: tuple[int, ...]) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """Return for each of some heavy steps, in order, the slots whose values nobody needs after it."""
        schedule = self._schedules.get(needed)
        if schedule is None:
            last_use: dict[int, int] = {}
            for index in needed:
                for slot in self.steps[index].input_slots:
                    if self.is_heavy_slot[slot] and self.producer[slot] != NO_STEP:
                        last_use[slot] = index
            for slot in self.requested_slots:
                last_use.pop(slot, None)
            released: dict[int, list[int]] = {}
            for slot, index in last_use.items():
                released.setdefault(index, []).append(slot)
            schedule = tuple([(index, tuple(released.get(index, ()))) for index in needed])
            if len(self._schedules) >= _CLOSURES_KEPT:
                self._schedules.clear()
            self._schedules[needed] = schedule
        return schedule

    def gives_external(self, slot: int) -> bool:
        """Return whether the value of a slot is memory of the caller."""
        producer = self.producer[slot]
        return producer != NO_STEP and self.is_external[producer]

    def _reached(self, sources: frozenset[int]) -> set[int]:
        seen = set(sources)
        pending = list(sources)
        while pending:
            for consumer in self._consumers[pending.pop()]:
                if consumer not in seen:
                    seen.add(consumer)
                    pending.append(consumer)
        return seen

    def _take(self, index: int, step: Step) -> None:
        self._consumers.append([])
        for producer in {self.producer[slot] for slot in step.input_slots} - {NO_STEP}:
            self._consumers[producer].append(index)
        ports = _output_ports(step, self.snapshot)
        for slot, (node_id, port) in zip(step.output_slots, ports, strict=True):
            self.slot_ports[slot] = (node_id, port)
            self.slot_types[slot] = self.snapshot.outputs(node_id)[port].value_type
            self.producer[slot] = index
        if step.kind is StepKind.NODE:
            for node_id in step.node_ids:
                self.steps_of_node.setdefault(node_id, []).append(index)
            self._take_dependences(index, step)
        is_light = self._is_light(step)
        nodes = [self.snapshot.nodes[node_id] for node_id in step.node_ids]
        self.is_light.append(is_light)
        self.is_external.append(
            not is_light and step.kind is StepKind.NODE and len(nodes) == 1 and isinstance(nodes[0], GraphInput)
        )
        for slot in step.output_slots:
            self.is_heavy_slot[slot] = not is_light
        if not is_light:
            self.step_keys[index] = content_bytes(step.key)
            if step.kind is StepKind.NODE:
                self.recipes[index] = recipes_of(step, self.snapshot, self.slot_ports)

    def _is_light(self, step: Step) -> bool:
        return (
            step.kind is StepKind.NODE
            and step.space == HOST
            and step.is_cacheable
            and all(isinstance(self.slot_types[slot], ScalarType) for slot in step.output_slots)
            and not any(self.is_heavy_slot[slot] for slot in step.input_slots)
        )

    def _take_dependences(self, index: int, step: Step) -> None:
        for field in sorted(step.context_fields):
            if field is not ContextField.INPUTS:
                self.field_steps.setdefault(field, []).append(index)
        for node_id in step.node_ids:
            node = self.snapshot.nodes[node_id]
            if ContextField.INPUTS in node.context_fields:
                name = node.name if isinstance(node, GraphInput) else None
                self.input_steps.setdefault(name, []).append(index)


def _output_ports(step: Step, snapshot: GraphSnapshot) -> tuple[tuple[int, int], ...]:
    """Return whose values a step's outputs are."""
    last = step.node_ids[-1]
    ports = step.output_ports
    if ports is None:
        ports = tuple((last, port) for port in range(len(snapshot.outputs(last))))
    if len(ports) != len(step.output_slots):
        msg = (
            f"step of node {last}: expected an output slot for each of {len(ports)} ports, got {len(step.output_slots)}"
        )
        raise GraphError(msg, node_id=last, type_name=snapshot.nodes[last].type_name)
    return ports
