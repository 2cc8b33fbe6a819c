"""What fusion knows of each node: its kind, and which of its inputs an expression could take the place of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from unshape_backend.plan.analysis import Analysis
from unshape_backend.plan.bodies import NodeBody
from unshape_backend.plan.infer import LiveNode
from unshape_backend.plan.wiring import ValueId, is_alias, is_given
from unshape_core.spec import ValueSpec
from unshape_core.value_type import ArrayType, ScalarType

MAX_PICTURE_INSTRUCTIONS = 768
"""What the compilers of all devices take well."""

MAX_SCALAR_NODES = 32
"""Few enough that one changed parameter runs little again, many enough that the cost of a step is spread."""


class Kind(StrEnum):
    """What a node computes, as far as fusion is concerned."""

    SCALARS = "scalars"
    PICTURES = "pictures"
    ALONE = "alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionRules:
    """What may be fused.

    Parameters
    ----------
    is_enabled : bool
        False computes every node by itself.
    max_arrays : int or None
        Arrays in and out of one kernel, None if there is no limit.
    classes : mapping of int to hashable
        Only nodes of one class are fused: those that the caller put on the same backend, or that the same backends can
        run. Nodes that are left out are of one class.
    breaks : frozenset of int
        Nodes that begin a cluster.
    may_fuse : callable or None
        ``may_fuse(producer, consumer)`` is asked about every pair of picture nodes that could be fused otherwise.
    """

    is_enabled: bool = True
    max_arrays: int | None = None
    classes: Mapping[int, Hashable] = field(default_factory=dict)
    breaks: frozenset[int] = frozenset()
    may_fuse: Callable[[int, int], bool] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One node that computes something.

    Parameters
    ----------
    node_id : int
        The node.
    kind : Kind
        What it computes.
    copies : tuple of int
        Cheap nodes that are computed again together with it, in dependency order.
    reads : tuple of ValueId
        What it and its copies read from elsewhere, defaults included, each once.
    arrays : frozenset of ValueId
        Those of the reads that are bulk data.
    fused : frozenset of int
        Nodes whose expression may take the place of inputs.
    outputs : tuple of ValueId
        What it yields.
    array_outputs : frozenset of ValueId
        Those of the outputs that are bulk data.
    instructions : int
        Operations of its expression and its copies'.
    """

    node_id: int
    kind: Kind
    copies: tuple[int, ...]
    reads: tuple[ValueId, ...]
    arrays: frozenset[ValueId]
    fused: frozenset[int]
    outputs: tuple[ValueId, ...]
    array_outputs: frozenset[ValueId]
    instructions: int


def describe_work(facts: Analysis, rules: FusionRules) -> dict[int, Work]:
    """Return what every node computes, in dependency order; those that give or hand on a value are left out."""
    return _Describer(facts, rules).describe()


def is_array(spec: ValueSpec) -> bool:
    """Return whether a value is bulk data."""
    return isinstance(spec.value_type, ArrayType)


def kind_of(each: LiveNode, body: NodeBody | None) -> Kind:
    """Return whether a node's body computes scalars from scalars, or pictures of one size."""
    if body is None:
        return Kind.ALONE
    if all(isinstance(spec.value_type, ScalarType) for spec in (*each.input_specs, *each.output_specs)):
        return Kind.SCALARS
    sizes = {spec.picture_px for spec in each.output_specs}
    return Kind.PICTURES if len(sizes) == 1 and None not in sizes else Kind.ALONE


_NOTHING: frozenset[int] = frozenset()
_NO_VALUES: frozenset[ValueId] = frozenset()


class _Describer:
    def __init__(self, facts: Analysis, rules: FusionRules) -> None:
        self.live, self.wiring, self.bodies, self.regions = facts.live, facts.wiring, facts.bodies.by_id, facts.regions
        self.rules = rules
        self.kinds = {node_id: kind_of(each, self.bodies.get(node_id)) for node_id, each in self.live.items()}
        self.positions = {node_id: position for position, node_id in enumerate(self.live)}
        self.given = frozenset([each.id for each in self.live.values() if is_given(each)])

    def describe(self) -> dict[int, Work]:
        given = self.given
        return {each.id: self._work(each) for each in self.live.values() if each.id not in given and not is_alias(each)}

    def _work(self, each: LiveNode) -> Work:
        fused = self._fused(each) if self.rules.is_enabled else _NOTHING
        copies = self._copies(each, fused) if self.rules.is_enabled else ()
        inside = (*copies, each.id)
        kind = self.kinds[each.id]
        reads = dict.fromkeys([value for member in inside for value in self.wiring.inputs[member]])
        if copies:
            reads = dict.fromkeys([value for value in reads if value.is_default or value.node_id not in inside])
        outputs = tuple([ValueId(each.id, port) for port in range(len(each.output_specs))])
        arrays = array_outputs = _NO_VALUES
        if kind is not Kind.SCALARS:
            specs = {
                value: spec
                for member in inside
                for value, spec in zip(self.wiring.inputs[member], self.live[member].input_specs, strict=True)
            }
            arrays = frozenset([value for value in reads if is_array(specs[value])])
            array_outputs = frozenset([v for v, spec in zip(outputs, each.output_specs, strict=True) if is_array(spec)])
        bodies = [self.bodies.get(member) for member in inside]
        return Work(
            node_id=each.id,
            kind=kind,
            copies=copies,
            reads=tuple(reads),
            arrays=arrays,
            fused=fused.difference(copies) if copies else fused,
            outputs=outputs,
            array_outputs=array_outputs,
            instructions=sum([body.instruction_count for body in bodies if body is not None]),
        )

    def _copies(self, each: LiveNode, fused: frozenset[int]) -> tuple[int, ...]:
        producers = dict.fromkeys([value.node_id for value in self.wiring.inputs[each.id] if not value.is_default])
        found = [p for p in producers if self._is_copied(p, each.id, is_fused=p in fused)]
        return tuple(sorted(found, key=self.positions.__getitem__)) if len(found) > 1 else tuple(found)

    def _is_copied(self, producer: int, consumer: int, *, is_fused: bool) -> bool:
        body = self.bodies.get(producer)
        if body is None or not body.is_cheap:
            return False
        if producer in self.given:
            return self.kinds[consumer] is Kind.SCALARS
        return is_fused and self.kinds[consumer] is Kind.PICTURES

    def _fused(self, each: LiveNode) -> frozenset[int]:
        by_producer: dict[int, list[str]] = {}
        for port, value in zip(each.inputs, self.wiring.inputs[each.id], strict=True):
            if not value.is_default:
                by_producer.setdefault(value.node_id, []).append(port.name)
        return frozenset([p for p, ports in by_producer.items() if self._is_fusible(p, each.id, ports)])

    def _is_fusible(self, producer: int, consumer: int, ports: list[str]) -> bool:
        kind, rules = self.kinds[consumer], self.rules
        if kind is Kind.ALONE or self.kinds[producer] is not kind or producer in self.given:
            return False
        if rules.classes.get(producer) != rules.classes.get(consumer):
            return False
        if kind is Kind.SCALARS:
            return True
        body = self.bodies.get(consumer)
        one, other = self.regions[producer].region, self.regions[consumer].region
        return (
            body is not None
            and body.pixel_ports.issuperset(ports)
            and one.output == other.output
            and one.output_specs[0].picture_px == other.output_specs[0].picture_px
            and (rules.may_fuse is None or rules.may_fuse(producer, consumer))
        )
