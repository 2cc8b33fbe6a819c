"""One tick of a graph with latches, as a graph without.

At tick 0 a latch passes on its ``init``. Afterwards it is an input of the tick, given what was remembered, and needs
neither of its wires. Executors see only such graphs. Nodes keep their numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.node_facts import Ports
from unshape_core.nodes.graph_input import GraphInput
from unshape_core.nodes.latch import Latch
from unshape_core.port import Port
from unshape_core.snapshot import GraphSnapshot, new_token
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import ValueType
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_core.snapshot import GraphStructure


@dataclass(frozen=True, slots=True)
class LatchStart:
    """A latch at tick 0.

    Parameters
    ----------
    value_type : ValueType
        Of the latch.
    """

    type_name: ClassVar[str] = "core::LatchStart"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The latch's ``init``."""
        return (Port("init", self.value_type),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The same value."""
        return (Port("out", self.value_type),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of ``init``."""
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext) -> tuple[Value, ...]:
        """Return ``init``."""
        return (inputs[0],)


def state_name(latch_id: int) -> str:
    """Return the name of the input that stands for a latch at a later tick."""
    return f"state of latch {latch_id}"


def at_first_tick(snapshot: GraphSnapshot) -> GraphSnapshot:
    """Return the graph at tick 0: each latch passes on its ``init``."""
    if not snapshot.structure.latches:
        return snapshot
    return _with_stand_ins(snapshot, "first tick", lambda _, value_type: LatchStart(value_type))


def at_later_tick(snapshot: GraphSnapshot) -> GraphSnapshot:
    """Return the graph at a later tick: each latch is an input, named by :func:`state_name`."""
    if not snapshot.structure.latches:
        return snapshot
    return _with_stand_ins(
        snapshot, "later tick", lambda latch_id, value_type: GraphInput(state_name(latch_id), value_type)
    )


def _with_stand_ins(snapshot: GraphSnapshot, what: str, make: Callable[[int, ValueType], Node]) -> GraphSnapshot:
    structure = snapshot.structure.derived.get(what)
    if structure is None:
        latches = snapshot.structure.latches
        stand_ins = {i: make(i, snapshot.outputs(i)[0].value_type) for i in latches}
        structure = snapshot.structure.derived.setdefault(what, _cut(snapshot.structure, stand_ins))
    return GraphSnapshot(snapshot.revision, {**snapshot.nodes, **structure.stand_ins}, structure)


def _cut(structure: GraphStructure, stand_ins: Mapping[int, Node]) -> GraphStructure:
    ports = {node_id: Ports(node.inputs, node.outputs) for node_id, node in stand_ins.items()}
    named = {node.name: node.value_type for node in stand_ins.values() if isinstance(node, GraphInput)}
    sources = {i: structure.sources[i][: Latch.SIGNAL] if ports[i].inputs else () for i in stand_ins}
    return replace(
        structure,
        token=new_token(),
        sources={**structure.sources, **sources},
        ports={**structure.ports, **ports},
        latches=frozenset(),
        input_types={**structure.input_types, **named},
        stand_ins=stand_ins,
        derived={},
    )
