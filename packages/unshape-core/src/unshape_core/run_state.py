"""One run after another of one program: what changed, what is found, what has to run.

A state belongs to one evaluation at a time. A run notes what changed since the last one, runs the light steps behind
that, gives the heavy values behind it new keys, and then finds or computes what was asked for. Where nothing changed,
nothing is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unshape_core.compiled_program import CompiledProgram
from unshape_core.content_key import content_bytes
from unshape_core.heavy_steps import HeavySteps
from unshape_core.light_steps import LightSteps, StepFailure
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.result import EvalResult, EvalStatistics
from unshape_core.snapshot import Changes, GraphSnapshot
from unshape_core.step_errors import step_error
from unshape_core.watch import Watch

if TYPE_CHECKING:
    from unshape_core.cache import ValueCache
    from unshape_core.context import ContextField, EvalContext
    from unshape_core.given_inputs import GivenInputs
    from unshape_core.protocols import Node
    from unshape_core.value import Value


class Place(NamedTuple):
    """Where a value is found: under a key in a space, or right here."""

    key: bytes | None
    space: MemorySpace
    scalar: Value | None


class RunState:
    """The slots of a program, and what they were computed from.

    Parameters
    ----------
    compiled : CompiledProgram
        The program.

    Attributes
    ----------
    revision : int
        The graph's revision that the nodes are of.
    nodes : dict of int to Node
        The nodes as they are now.
    """

    def __init__(self, compiled: CompiledProgram) -> None:
        self.compiled = compiled
        self.revision = compiled.snapshot.revision
        self.nodes: dict[int, Node] = {i: compiled.snapshot.nodes[i] for i in compiled.steps_of_node}
        self._values: list[Value | None] = [None] * compiled.program.slot_count
        for slot, constant in compiled.program.constants.items():
            self._values[slot] = constant
        self._light = LightSteps(compiled, self._values)
        self._heavy = HeavySteps(compiled, self.nodes, self._values)
        self._is_fresh = True
        self._changed: set[int] = set()
        self._fields: dict[ContextField, tuple[object, bytes]] = {}
        self._input_keys: Mapping[str, bytes | None] = {}
        for index, is_light in enumerate(compiled.is_light):
            if is_light:
                self._bind(index)

    def _replace_node(self, node_id: int, node: Node) -> None:
        self.nodes[node_id] = node
        self._heavy.forget(node_id)
        for index in self.compiled.steps_of_node[node_id]:
            self._changed.add(index)
            if self.compiled.is_light[index]:
                self._bind(index)

    def adopt(self, donor: RunState) -> bool:
        """Take over the scalars that a state of another program of the same graph has; return False if there are none.

        Both must be of one revision. The next run looks at everything that was not taken over.
        """
        if donor.revision != self.revision or not self._is_fresh or donor._is_fresh:
            return False
        compiled, there = self.compiled, donor.compiled
        places = {ports: slot for slot, ports in there.slot_ports.items() if not there.is_heavy_slot[slot]}
        adopted: set[int] = set()
        for index, step in enumerate(compiled.steps):
            sources = [places.get(compiled.slot_ports[slot]) for slot in step.output_slots]
            if compiled.is_light[index] and None not in sources:
                for slot, source in zip(step.output_slots, sources, strict=True):
                    self._values[slot] = donor._values[source] if source is not None else None
                adopted.add(index)
        if not adopted:
            return False
        self._changed = set(range(len(compiled.steps))) - adopted
        self._fields = dict(donor._fields)
        self._input_keys = donor._input_keys
        self._is_fresh = False
        return True

    def run(self, ctx: EvalContext, given: GivenInputs, cache: ValueCache, *, keeps_records: bool) -> EvalResult:
        """Compute what was asked for.

        If this raises, the state must not be used again.
        """
        compiled = self.compiled
        sources = self._note_changes(ctx, given)
        light, heavy = compiled.closure(sources)
        watch: Watch | None = None
        if keeps_records or ctx.cancellation is not None or ctx.progress is not None:
            ctx.raise_if_cancelled()
            watch = Watch(ctx, self.nodes, total=len(compiled.steps), keeps_records=keeps_records)
            watch.skip_to(len(compiled.steps) - len(light) - len(heavy))
        needed: list[int] = []
        found: list[int] = []
        try:
            if light and watch is None:
                self._light.run(light, sources, ctx)
            elif watch is not None:
                self._run_watched(light, ctx, watch)
            if heavy:
                self._heavy.renew_keys(heavy, ctx, given)
            if compiled.has_heavy_outputs:
                needed, found = self._heavy.find(compiled.requested_slots, cache)
                if watch is not None:
                    watch.skip_to(len(compiled.steps) - len(needed))
                    watch.found((compiled.steps[index] for index in found), self._values)
                for key, value in self._heavy.run(needed, ctx, given.arrays, watch):
                    cache.put(key, value)
            outputs = tuple(self._outputs_of(node_id) for node_id in compiled.requested)
        except StepFailure as failure:
            step = compiled.steps[failure.index]
            cause = failure.__cause__
            assert isinstance(cause, Exception)
            error = step_error(cause, step.node_ids, [self.nodes[node_id] for node_id in step.node_ids])
            raise error from (cause if error is not cause else cause.__cause__)
        finally:
            self._heavy.release()
            if watch is not None:
                watch.close()
        return EvalResult(
            outputs=outputs,
            plan=compiled.program.explanation,
            records=tuple(watch.records) if watch is not None else (),
            statistics=EvalStatistics(
                steps=len(compiled.steps),
                steps_run=len(light) + len(needed),
                cache_hits=len(found),
                copied_bytes=given.copied_bytes,
            ),
            keys=self._keys() if compiled.has_heavy_outputs else (),
        )

    def difference_to(self, snapshot: GraphSnapshot) -> Changes:
        """Return the nodes that are others in a snapshot of the same structure."""
        if snapshot.revision == self.revision:
            return Changes(self.revision, {})
        before, nodes = self.compiled.snapshot.nodes, snapshot.nodes
        needed = self.compiled.needed
        return Changes(snapshot.revision, {i: nodes[i] for i in needed if nodes[i] is not self.nodes.get(i, before[i])})

    def accept(self, changes: Changes, ctx: EvalContext) -> bool:
        """Take nodes that differ in parameters; return False if the program is not good for one of them."""
        accepts = self.compiled.program.accepts
        for node_id, node in changes.nodes.items():
            if node_id in self.nodes:
                if accepts is None or not accepts(node_id, node, ctx):
                    return False
                self._replace_node(node_id, node)
            elif node_id in self.compiled.needed:
                return False  # the executor made something else of it than a step
        self.revision = changes.revision
        return True

    def places(self) -> tuple[tuple[Place, ...], ...]:
        """Return where the outputs of the last run are found, if nothing changes."""
        compiled = self.compiled
        return tuple(
            tuple(
                Place(self._heavy.key_of(slot), compiled.steps[compiled.producer[slot]].space, None)
                if compiled.is_heavy_slot[slot]
                else Place(None, HOST, self._values[slot])
                for slot in compiled.program.outputs[node_id]
            )
            for node_id in compiled.requested
        )

    def _bind(self, index: int) -> None:
        step = self.compiled.steps[index]
        self._light.bind(index, tuple(self.nodes[node_id] for node_id in step.node_ids))

    def _run_watched(self, light: tuple[int, ...], ctx: EvalContext, watch: Watch) -> None:
        for index in light:
            watch.before()
            self._light.run_one(index, ctx)
            watch.after(self.compiled.steps[index], self._values)

    def _note_changes(self, ctx: EvalContext, given: GivenInputs) -> frozenset[int] | None:
        """Return the steps that themselves changed since the last run; None for all of them."""
        changed = self._changed
        for field, steps in self.compiled.field_steps.items():
            value = getattr(ctx, field.value)
            before = self._fields.get(field)
            if before is None or before[0] is not value:
                content = content_bytes(value)
                if before is None or before[1] != content:
                    changed.update(steps)
                self._fields[field] = (value, content)
        for name, steps in self.compiled.input_steps.items():
            if name is None:
                is_same = self._input_keys == given.keys and None not in given.keys.values()
            else:
                key = given.keys.get(name)
                is_same = key == self._input_keys.get(name) and (key is not None or name not in given.keys)
            if not is_same:
                changed.update(steps)
        self._input_keys = given.keys
        self._changed = set()
        if self._is_fresh:
            self._is_fresh = False
            return None
        return frozenset(changed)

    def _outputs_of(self, node_id: int) -> tuple[Value, ...]:
        outputs: list[Value] = []
        for slot in self.compiled.program.outputs[node_id]:
            value = self._values[slot]
            assert value is not None  # every slot asked for was filled
            if self.compiled.gives_external(slot) and isinstance(value, np.ndarray):
                value = np.array(value, order="C")
                value.flags.writeable = False
            outputs.append(value)
        return tuple(outputs)

    def _keys(self) -> tuple[tuple[bytes, ...], ...]:
        outputs = self.compiled.program.outputs
        return tuple(
            tuple(self._heavy.key_of(slot) for slot in outputs[node_id]) for node_id in self.compiled.requested
        )
