"""Snapshots: a graph as it was at one moment, for whoever plans and runs it.

A snapshot never changes and may be read from any thread. Its structure (wires, ports) is shared between all snapshots
that differ in parameters only.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from unshape_core.argument_checks import shown
from unshape_core.errors import UnknownNodeError, UnknownPortError
from unshape_core.node_facts import Ports
from unshape_core.nodes.graph_input import GraphInput
from unshape_core.nodes.latch import Latch
from unshape_core.topology import dependency_order

if TYPE_CHECKING:
    from unshape_core.port import Port
    from unshape_core.protocols import Node
    from unshape_core.value_type import ValueType


class Wire(NamedTuple):
    """A connection from an output port to an input port; ports are numbers."""

    from_node: int
    from_port: int
    to_node: int
    to_port: int


class Source(NamedTuple):
    """An output port that a wire comes from."""

    node_id: int
    port: int


_tokens = itertools.count()


def new_token() -> int:
    """Return a number that no graph of this process has had."""
    return next(_tokens)


class Changes(NamedTuple):
    """The nodes that were replaced since a revision, by others that differ in parameters only."""

    revision: int
    nodes: Mapping[int, Node]


@dataclass(frozen=True, eq=False)
class GraphStructure:
    """What does not change when a parameter does.

    Parameters
    ----------
    token : int
        Stands for the graph; never used again in this process.
    revision : int
        The graph's revision at which the structure last changed.
    sources : mapping of int to tuple of (Source or None)
        For each node and each of its input ports where the wire comes from.
    ports : mapping of int to Ports
        The ports of each node.
    latches : frozenset of int
        The nodes that are latches.
    input_types : mapping of str to ValueType
        The graph's inputs.
    output_ids : mapping of str to int
        The graph's outputs.
    stand_ins : mapping of int to Node
        What was put in the place of latches.
    derived : dict of str to GraphStructure
        Structures that were made of this one, so that each is made once.
    """

    token: int
    revision: int
    sources: Mapping[int, tuple[Source | None, ...]]
    ports: Mapping[int, Ports]
    latches: frozenset[int]
    input_types: Mapping[str, ValueType]
    output_ids: Mapping[str, int]
    stand_ins: Mapping[int, Node] = field(default_factory=dict, repr=False)
    derived: dict[str, GraphStructure] = field(default_factory=dict, repr=False)

    @cached_property
    def wires(self) -> tuple[Wire, ...]:
        """All wires, sorted."""
        return tuple(
            sorted(
                Wire(source.node_id, source.port, node_id, port)
                for node_id, sources in self.sources.items()
                for port, source in enumerate(sources)
                if source is not None
            )
        )

    @cached_property
    def consumers(self) -> Mapping[int, tuple[Wire, ...]]:
        """The wires that leave each node, sorted; nodes without one are left out."""
        leaving: dict[int, list[Wire]] = {}
        for wire in self.wires:
            leaving.setdefault(wire.from_node, []).append(wire)
        return {node_id: tuple(wires) for node_id, wires in leaving.items()}

    def resolve_output(self, output: int | str) -> int:
        """Return the node that an output is asked for by: its number, or the name of a ``GraphOutput``.

        Raises
        ------
        UnknownNodeError
            If there is none.
        """
        if isinstance(output, str):
            node_id = self.output_ids.get(output)
            if node_id is None:
                known = ", ".join(map(repr, sorted(self.output_ids))) or "none; add a GraphOutput"
                raise UnknownNodeError(f"graph: no output named {shown(output)}; known outputs: {known}")
            return node_id
        return check_node_id(output, self.sources)

    def predecessors(self, node_id: int) -> list[int]:
        """Return the nodes that a node needs within one tick: those wired to it, but not to a latch's signal."""
        sources = self.sources[node_id]
        if node_id in self.latches:
            sources = sources[: Latch.SIGNAL]
        return [source.node_id for source in sources if source is not None]


@dataclass(frozen=True, eq=False)
class GraphSnapshot:
    """A graph as it was at one revision.

    Parameters
    ----------
    revision : int
        The graph's revision.
    nodes : mapping of int to Node
        All nodes by number, in ascending order.
    structure : GraphStructure
        Wires and ports; the same object in snapshots that differ in parameters only.
    """

    revision: int
    nodes: Mapping[int, Node]
    structure: GraphStructure
    _orders: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict, repr=False)

    @property
    def wires(self) -> tuple[Wire, ...]:
        """All wires, sorted."""
        return self.structure.wires

    def node(self, node_id: int) -> Node:
        """Return a node.

        Raises
        ------
        UnknownNodeError
            If there is none of that number.
        """
        return self.nodes[check_node_id(node_id, self.nodes)]

    def inputs(self, node_id: int) -> tuple[Port, ...]:
        """Return the input ports of a node."""
        return self.structure.ports[node_id].inputs

    def outputs(self, node_id: int) -> tuple[Port, ...]:
        """Return the output ports of a node."""
        return self.structure.ports[node_id].outputs

    def sources(self, node_id: int) -> tuple[Source | None, ...]:
        """Return for each input port the output port that is wired to it, None where there is no wire."""
        return self.structure.sources[node_id]

    def consumers(self, node_id: int) -> tuple[Wire, ...]:
        """Return the wires that leave a node."""
        return self.structure.consumers.get(node_id, ())

    def order_for(self, outputs: Iterable[int]) -> tuple[int, ...]:
        """Return the nodes that are needed to compute the outputs of those nodes, each after what it needs."""
        targets = tuple(outputs)
        order = self._orders.get(targets)
        if order is None:
            for node_id in targets:
                self.structure.resolve_output(node_id)
            order = self._orders[targets] = tuple(dependency_order(targets, self.structure.predecessors))
        return order

    @cached_property
    def order(self) -> tuple[int, ...]:
        """All nodes, each after what it needs."""
        return self.order_for(self.nodes)

    @cached_property
    def input_nodes(self) -> Mapping[str, int]:
        """The graph's inputs by name."""
        return {node.name: node_id for node_id, node in self.nodes.items() if isinstance(node, GraphInput)}

    @property
    def output_nodes(self) -> Mapping[str, int]:
        """The graph's outputs by name."""
        return self.structure.output_ids

    def resolve_output(self, output: int | str) -> int:
        """Return the node that an output is asked for by; see :meth:`GraphStructure.resolve_output`."""
        return self.structure.resolve_output(output)


def check_node_id(node_id: object, nodes: Mapping[int, object]) -> int:
    """Return the number of a node that is there.

    Raises
    ------
    UnknownNodeError
        If it is no number, or no node has it.
    """
    if isinstance(node_id, bool) or not isinstance(node_id, int):
        msg = f"graph: expected the number of a node, got {shown(node_id)} of type {type(node_id).__name__}"
        raise UnknownNodeError(msg)
    if node_id not in nodes:
        known = f"it has {len(nodes)} nodes, {min(nodes)} to {max(nodes)}" if nodes else "it is empty"
        raise UnknownNodeError(f"graph: no node {node_id}; {known}", node_id=node_id)
    return node_id


def find_port(node: Node, node_id: int, port: object, ports: tuple[Port, ...], side: str) -> int:
    """Return the index of a port that is named by index or name.

    Raises
    ------
    UnknownPortError
        If the node has no such port.
    """
    match port:
        case str():
            for index, candidate in enumerate(ports):
                if candidate.name == port:
                    return index
        case bool():
            pass
        case int() if 0 <= port < len(ports):
            return port
    names = ", ".join(f"{index} {shown(candidate.name)}" for index, candidate in enumerate(ports)) or "none"
    msg = f"node {node_id} ({node.type_name}): no {side} port {shown(port)}; its {side} ports: {names}"
    raise UnknownPortError(msg, node_id=node_id, type_name=node.type_name)
