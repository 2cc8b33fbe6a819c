"""Running the steps whose values are worth keeping: keys first, then what is missing, and nothing else.

Keys need no values, so it is known before anything runs which values are in the cache; what leads only to those is not
run, even if it has been dropped since. Values are released as soon as their last consumer has run.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unshape_core.compiled_program import NO_STEP, CompiledProgram
from unshape_core.content_key import digest, node_key, value_key
from unshape_core.context_keys import ContextKeys, unique_key
from unshape_core.light_steps import StepFailure, bind_step, check_outputs
from unshape_core.program import StepKind
from unshape_core.settle import settle

if TYPE_CHECKING:
    import numpy.typing as npt

    from unshape_core.cache import ValueCache
    from unshape_core.context import EvalContext
    from unshape_core.given_inputs import GivenInputs
    from unshape_core.key_recipe import NodeKeyRecipe
    from unshape_core.protocols import Node
    from unshape_core.value import Value
    from unshape_core.watch import Watch

Foreign = Sequence["npt.NDArray[Any]"]
Call = Callable[[Sequence["Value"], "EvalContext"], Sequence["Value"]]
_port_tag = struct.Struct("<H").pack


class HeavySteps:
    """The heavy steps of a program, bound to nodes.

    Parameters
    ----------
    compiled : CompiledProgram
        The program.
    nodes : dict of int to Node
        The nodes as they are now; kept up to date by the owner.
    values : list of (Value or None)
        The slots. Heavy ones are filled during a run only.
    """

    def __init__(self, compiled: CompiledProgram, nodes: dict[int, Node], values: list[Value | None]) -> None:
        self._compiled = compiled
        self._nodes = nodes
        self._values = values
        self._keys = [b""] * len(values)
        self._node_keys: dict[int, bytes | None] = {}
        self._calls: dict[int, tuple[Call, tuple[Node, ...]]] = {}
        self._filled: list[int] = []
        for slot, constant in compiled.program.constants.items():
            self._keys[slot] = value_key(constant)

    def forget(self, node_id: int) -> None:
        """Note that a node was replaced."""
        self._node_keys.pop(node_id, None)
        for index in self._compiled.steps_of_node[node_id]:
            self._calls.pop(index, None)

    def key_of(self, slot: int) -> bytes:
        """Return the key of the value of a slot, which stands for a scalar too."""
        if self._compiled.is_heavy_slot[slot] or self._compiled.producer[slot] == NO_STEP:
            return self._keys[slot]
        value = self._values[slot]
        assert value is not None  # light steps run first
        return value_key(value)

    def renew_keys(self, indices: Sequence[int], ctx: EvalContext, given: GivenInputs) -> None:
        """Work out the keys of steps, in order, after something before them changed."""
        context = ContextKeys(ctx, given)
        keys = self._keys
        for index in indices:
            step = self._compiled.steps[index]
            match step.kind:
                case StepKind.TRANSFER:
                    for slot, source in zip(step.output_slots, step.input_slots, strict=True):
                        keys[slot] = self.key_of(source)
                case StepKind.CUT:
                    for slot, source in zip(step.output_slots, step.input_slots, strict=True):
                        keys[slot] = b"c" + digest(self.key_of(source) + self._compiled.step_keys[index])
                case StepKind.NODE:
                    local: dict[int, bytes] = {}
                    for recipe in self._compiled.recipes[index]:
                        local[recipe.node_id] = self._node_output_key(recipe, index, local, context)
                    for slot in step.output_slots:
                        node_id, port = self._compiled.slot_ports[slot]
                        keys[slot] = local[node_id] + _port_tag(port)

    def _node_output_key(
        self, recipe: NodeKeyRecipe, index: int, local: Mapping[int, bytes], context: ContextKeys
    ) -> bytes:
        if recipe.input_name is not None and recipe.input_name in context.given.keys:
            return context.given.keys[recipe.input_name] or unique_key()
        key = self._node_keys.get(recipe.node_id, b"")
        if key == b"":
            key = self._node_keys[recipe.node_id] = node_key(self._nodes[recipe.node_id])
        if key is None:
            return unique_key()
        parts = [key, context.precision, self._compiled.step_keys[index]]
        parts.extend(context.key_of(field) for field in recipe.fields)
        for ref in recipe.refs:
            if ref.slot is not None:
                parts.append(self.key_of(ref.slot))
            elif ref.local is not None:
                parts.append(local[ref.local[0]] + _port_tag(ref.local[1]))
            else:
                parts.append(ref.key)
        return b"k" + digest(b"".join(parts))

    def find(self, wanted: Sequence[int], cache: ValueCache) -> tuple[list[int], list[int]]:
        """Fill the slots that are wanted from the cache as far as possible.

        Returns
        -------
        needed : list of int
            The steps that have to run for the rest, in order.
        found : list of int
            The steps whose values were found.
        """
        compiled = self._compiled
        needed: set[int] = set()
        found: set[int] = set()
        seen: set[int] = set()
        pending = [slot for slot in wanted if compiled.is_heavy_slot[slot]]
        while pending:
            slot = pending.pop()
            index = compiled.producer[slot]
            if slot in seen or index == NO_STEP or index in needed:
                continue
            seen.add(slot)
            step = compiled.steps[index]
            value = None
            if step.is_cacheable and not compiled.is_external[index]:
                value = cache.get(self._keys[slot], step.space)
            if value is not None:
                self._values[slot] = value
                self._filled.append(slot)
                found.add(index)
            else:
                needed.add(index)
                pending.extend(source for source in step.input_slots if compiled.is_heavy_slot[source])
        return sorted(needed), sorted(found - needed)

    def run(
        self, needed: Sequence[int], ctx: EvalContext, foreign: Foreign, watch: Watch | None
    ) -> Iterator[tuple[bytes, Value]]:
        """Run steps in order, and yield what is to be kept, by key, as it is computed.

        ``foreign`` are the caller's arrays; see :func:`~unshape_core.settle.settle`.

        Raises
        ------
        StepFailure
            If a step raises; it says which.
        """
        compiled, values = self._compiled, self._values
        for index, released in compiled.schedule(tuple(needed)):
            step = compiled.steps[index]
            if watch is not None:
                watch.before()
            try:
                outputs = self._compute(index, ctx)
            except Exception as error:
                raise StepFailure(index) from error
            is_external = compiled.is_external[index]
            for slot, output in zip(step.output_slots, outputs, strict=True):
                value = output if is_external else settle(output, foreign)
                values[slot] = value
                self._filled.append(slot)
                if step.is_cacheable and not is_external:
                    yield self._keys[slot], value
            if watch is not None:
                watch.after(step, values)
            for slot in released:
                values[slot] = None

    def release(self) -> None:
        """Let go of all heavy values; the cache has what it wants to keep."""
        for slot in self._filled:
            self._values[slot] = None
        self._filled.clear()

    def _compute(self, index: int, ctx: EvalContext) -> Sequence[Value]:
        compiled = self._compiled
        step = compiled.steps[index]
        bound = self._calls.get(index)
        if bound is None:
            nodes = tuple([self._nodes[node_id] for node_id in step.node_ids])
            bound = self._calls[index] = (bind_step(step, nodes), nodes)
        call, nodes = bound
        values: list[Any] = self._values
        outputs = call([values[slot] for slot in step.input_slots], ctx)
        return check_outputs(outputs, [compiled.slot_types[slot] for slot in step.output_slots], step, nodes)
