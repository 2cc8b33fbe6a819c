"""The graph: nodes and wires, checked at every change.

A graph is always valid: a call that would break it raises and changes nothing. Each change counts ``revision`` up.
Replacing a node by one that differs in parameters only leaves ``structure_revision`` as it is, which is how evaluators
know that their programs are still good and which nodes to run again.

A graph may be read and evaluated from several threads; changes are made one at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from unshape_core.argument_checks import check_count
from unshape_core.cycle_guard import CycleGuard
from unshape_core.errors import GraphError
from unshape_core.fork_safety import renew_in_children
from unshape_core.node_facts import Ports, check_node, differs_in_parameters_only, name_in_graph
from unshape_core.nodes.graph_input import GraphInput
from unshape_core.nodes.graph_output import GraphOutput
from unshape_core.nodes.latch import Latch
from unshape_core.snapshot import GraphSnapshot, GraphStructure, Source, Wire, check_node_id, find_port, new_token
from unshape_core.topology import find_cycle, find_path, reachable
from unshape_core.wire_errors import cycle_error, misfit_error, occupied_error, type_error

if TYPE_CHECKING:
    from unshape_core.protocols import Node


_MAX_DRAWN_NODES = 500


class Changes(NamedTuple):
    """The nodes that were replaced since a revision, by others that differ in parameters only."""

    revision: int
    nodes: Mapping[int, Node]


class Graph:
    """Nodes and wires.

    Nodes are numbered in the order they are added; a number is never used again. Ports are named by index or by name.

    Examples
    --------
    >>> from unshape_core import F32, Constant, Graph, GraphOutput
    >>> graph = Graph()
    >>> one = graph.add_node(Constant(1.0))
    >>> result = graph.add_node(GraphOutput("result", F32))
    >>> graph.connect(one, "value", result, 0)
    Wire(from_node=0, from_port=0, to_node=1, to_port=0)
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        renew_in_children(self)
        self._token = new_token()
        self._nodes: dict[int, Node] = {}
        self._ports: dict[int, Ports] = {}
        self._sources: dict[int, list[Source | None]] = {}
        self._consumers: dict[int, dict[Wire, None]] = {}
        self._latches: set[int] = set()
        self._names: dict[tuple[type, str], int] = {}
        self._guard = CycleGuard(successors=self._successors, predecessors=self._predecessors)
        self._wire_count = 0
        self._next_id = 0
        self._revision = 0
        self._structure_revision = 0
        self._changed_at: dict[int, int] = {}
        self._structure: GraphStructure | None = None
        self._snapshot: GraphSnapshot | None = None

    @property
    def token(self) -> int:
        """Stands for this graph among all graphs of the process; never used again, not even by a copy."""
        return self._token

    @property
    def revision(self) -> int:
        """Counts all changes."""
        return self._revision

    @property
    def structure_revision(self) -> int:
        """The revision of the last change that was not one of parameters only."""
        return self._structure_revision

    @property
    def next_id(self) -> int:
        """The number that the next node will have."""
        return self._next_id

    @property
    def nodes(self) -> Mapping[int, Node]:
        """The nodes by number; a view that follows the graph."""
        return MappingProxyType(self._nodes)

    @property
    def wires(self) -> tuple[Wire, ...]:
        """All wires, sorted."""
        return self.snapshot().wires

    def __len__(self) -> int:
        return len(self._nodes)

    def __bool__(self) -> bool:
        return True

    def __contains__(self, node_id: object) -> bool:
        return node_id in self._nodes

    def __iter__(self) -> Iterator[int]:
        return iter(sorted(self._nodes))

    def __repr__(self) -> str:
        return f"<Graph: {len(self._nodes)} nodes, {self._wire_count} wires, revision {self._revision}>"

    def node(self, node_id: int) -> Node:
        """Return a node.

        Raises
        ------
        UnknownNodeError
            If there is none of that number.
        """
        return self._nodes[check_node_id(node_id, self._nodes)]

    def input_nodes(self) -> dict[str, int]:
        """Return the graph's inputs (``GraphInput``) by name."""
        return dict(self.snapshot().input_nodes)

    def output_nodes(self) -> dict[str, int]:
        """Return the graph's outputs (``GraphOutput``) by name."""
        return dict(self.snapshot().output_nodes)

    def source(self, node_id: int, in_port: int | str) -> Source | None:
        """Return the output port that is wired to an input port, None if there is no wire."""
        index = self._input_index(node_id, in_port)
        return self._sources[node_id][index]

    def upstream(self, node_id: int) -> frozenset[int]:
        """Return all nodes that a node depends on, also through latches; itself only if it lies on a cycle."""
        self.node(node_id)
        with self._lock:
            return frozenset(reachable(self._wired_from(node_id), self._wired_from))

    def downstream(self, node_id: int) -> frozenset[int]:
        """Return all nodes that depend on a node, also through latches; itself only if it lies on a cycle."""
        self.node(node_id)
        with self._lock:
            return frozenset(reachable(self._wired_to(node_id), self._wired_to))

    def add_node(self, node: Node) -> int:
        """Add a node and return its number.

        Raises
        ------
        InvalidArgumentError
            If it is no node.
        GraphError
            If it is a graph input or output and its name is taken.
        """
        with self._lock:
            return self._insert(self._next_id, node)

    def insert_node_with_id(self, node_id: int, node: Node) -> None:
        """Add a node under a number of your choice, as a graph file or an undo does.

        Raises
        ------
        GraphError
            If the number is taken.
        """
        check_count("graph: number of the node", node_id, at_least=0)
        with self._lock:
            if node_id in self._nodes:
                taken = self._nodes[node_id].type_name
                msg = f"graph: number {node_id} is taken by {taken}; replace_node({node_id}, ...) would replace it"
                raise GraphError(msg, node_id=node_id, type_name=taken)
            self._insert(node_id, node)

    def reserve_ids(self, next_id: int) -> None:
        """See to it that numbers below ``next_id`` are not given to new nodes."""
        check_count("graph: next_id", next_id, at_least=0)
        with self._lock:
            self._next_id = max(self._next_id, next_id)

    def remove_node(self, node_id: int) -> Node:
        """Remove a node and the wires at it, and return it."""
        with self._lock:
            node = self.node(node_id)
            for port, source in enumerate(self._sources[node_id]):
                if source is not None:
                    self._cut(Wire(*source, node_id, port))
            for wire in list(self._consumers[node_id]):
                self._cut(wire)
            del self._nodes[node_id], self._ports[node_id], self._sources[node_id], self._consumers[node_id]
            self._latches.discard(node_id)
            self._names.pop(name_in_graph(node), None)  # type: ignore[arg-type]  # None is no key
            self._guard.remove(node_id)
            self._restructured()
            return node

    def replace_node(self, node_id: int, node: Node) -> Node:
        """Put a node in the place of another, with its wires, and return the old one.

        If the two differ in parameters only, programs stay valid and only what is downstream is run again.

        Raises
        ------
        PortTypeError
            If a wire does not fit the new node's port of that index; disconnect it first.
        CycleError
            If a latch is replaced by something else and a cycle passes through it.
        """
        with self._lock:
            old = self.node(node_id)
            if node is old:
                return old
            ports = check_node(node)
            if differs_in_parameters_only(old, node, self._ports[node_id], ports):
                self._nodes[node_id] = node
                self._revision += 1
                self._snapshot = None
                self._changed_at.pop(node_id, None)
                self._changed_at[node_id] = self._revision
                return old
            self._check_name(node, replaced=node_id)
            self._check_wires_fit(node_id, node, ports)
            self._check_latch_may_go(node_id, node)
            self._names.pop(name_in_graph(old), None)  # type: ignore[arg-type]  # None is no key
            sources = self._sources[node_id][: len(ports.inputs)]
            self._sources[node_id] = sources + [None] * (len(ports.inputs) - len(sources))
            self._set(node_id, node, ports)
            self._restructured()
            return old

    def connect(self, from_node: int, out_port: int | str, to_node: int, in_port: int | str) -> Wire:
        """Wire an output port to an input port.

        Raises
        ------
        UnknownNodeError, UnknownPortError
            If there is no such node or port.
        PortTypeError
            If the ports are of different types.
        PortOccupiedError
            If the input port has a wire.
        CycleError
            If the wire would close a cycle without a latch; the message names the cycle.
        """
        with self._lock:
            wire = Wire(
                from_node,
                find_port(self.node(from_node), from_node, out_port, self._ports[from_node].outputs, "output"),
                to_node,
                self._input_index(to_node, in_port),
            )
            self._check_wire(wire)
            self._sources[to_node][wire.to_port] = Source(from_node, wire.from_port)
            self._consumers[from_node][wire] = None
            self._wire_count += 1
            self._guard.refresh(self._nodes, wire_count=self._wire_count)
            self._restructured()
            return wire

    def disconnect(self, to_node: int, in_port: int | str) -> Wire:
        """Remove the wire into an input port and return it.

        Raises
        ------
        GraphError
            If there is none.
        """
        with self._lock:
            index = self._input_index(to_node, in_port)
            source = self._sources[to_node][index]
            if source is None:
                node, name = self._nodes[to_node], self._ports[to_node].inputs[index].name
                msg = f"node {to_node} ({node.type_name}): input '{name}' has no wire to remove"
                raise GraphError(msg, node_id=to_node, type_name=node.type_name)
            wire = Wire(*source, to_node, index)
            self._cut(wire)
            self._restructured()
            return wire

    def snapshot(self) -> GraphSnapshot:
        """Return the graph as it is now, immutable; the same object until the next change."""
        with self._lock:
            if self._snapshot is None:
                self._snapshot = GraphSnapshot(self._revision, dict(sorted(self._nodes.items())), self.structure())
            return self._snapshot

    def structure(self) -> GraphStructure:
        """Return wires and ports as they are now, immutable; the same object until they change."""
        with self._lock:
            if self._structure is None:
                nodes = self._nodes.values()
                self._structure = GraphStructure(
                    token=self._token,
                    revision=self._structure_revision,
                    sources={node_id: tuple(sources) for node_id, sources in self._sources.items()},
                    ports=dict(self._ports),
                    latches=frozenset(self._latches),
                    input_types={node.name: node.value_type for node in nodes if isinstance(node, GraphInput)},
                    output_ids={n.name: i for i, n in self._nodes.items() if isinstance(n, GraphOutput)},
                )
            return self._structure

    def changes_since(self, revision: int) -> Changes | None:
        """Return which nodes changed in parameters since a revision, None if something else changed."""
        with self._lock:
            if revision < self._structure_revision:
                return None
            nodes: dict[int, Node] = {}
            for node_id, changed_at in reversed(self._changed_at.items()):
                if changed_at <= revision:
                    break
                nodes[node_id] = self._nodes[node_id]
            return Changes(self._revision, nodes)

    def copy(self) -> Graph:
        """Return a graph of the same nodes, numbers and wires that shares nothing with this one."""
        other = Graph()
        other.__setstate__(self.__getstate__())
        return other

    def _repr_mimebundle_(self, **_options: object) -> dict[str, str]:
        """Return the graph as a notebook shows it: drawn, if it is not too large for that."""
        bundle = {"text/plain": repr(self)}
        if len(self._nodes) <= _MAX_DRAWN_NODES:
            from unshape_core.diagram import to_mermaid
            from unshape_core.svg import to_svg

            snapshot = self.snapshot()
            bundle |= {"image/svg+xml": to_svg(snapshot), "text/vnd.mermaid": to_mermaid(snapshot)}
        return bundle

    def renew_after_fork(self) -> None:
        """Replace the lock, which a thread that is not here may have held."""
        self._lock = threading.RLock()

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            wires = [wire for wires in self._consumers.values() for wire in wires]
            return {"nodes": dict(self._nodes), "wires": wires, "next_id": self._next_id}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Graph.__init__(self)
        for node_id, node in state["nodes"].items():
            self.insert_node_with_id(node_id, node)
        for wire in state["wires"]:
            self.connect(*wire)
        self.reserve_ids(state["next_id"])

    def _insert(self, node_id: int, node: Node) -> int:
        ports = check_node(node)
        self._check_name(node)
        self._sources[node_id] = [None] * len(ports.inputs)
        self._consumers[node_id] = {}
        self._guard.add(node_id)
        self._set(node_id, node, ports)
        self._next_id = max(self._next_id, node_id + 1)
        self._restructured()
        return node_id

    def _set(self, node_id: int, node: Node, ports: Ports) -> None:
        self._nodes[node_id] = node
        self._ports[node_id] = ports
        name = name_in_graph(node)
        if name is not None:
            self._names[name] = node_id
        if isinstance(node, Latch):
            self._latches.add(node_id)
        else:
            self._latches.discard(node_id)

    def _restructured(self) -> None:
        self._revision += 1
        self._structure_revision = self._revision
        self._changed_at.clear()
        self._structure = self._snapshot = None

    def _cut(self, wire: Wire) -> None:
        self._sources[wire.to_node][wire.to_port] = None
        del self._consumers[wire.from_node][wire]
        self._wire_count -= 1

    def _input_index(self, node_id: int, port: int | str) -> int:
        return find_port(self.node(node_id), node_id, port, self._ports[node_id].inputs, "input")

    def _is_delayed(self, wire: Wire) -> bool:
        return wire.to_port == Latch.SIGNAL and wire.to_node in self._latches

    def _successors(self, node_id: int) -> Iterator[int]:
        return (wire.to_node for wire in self._consumers[node_id] if not self._is_delayed(wire))

    def _predecessors(self, node_id: int) -> Iterator[int]:
        sources = self._sources[node_id]
        if node_id in self._latches:
            sources = sources[: Latch.SIGNAL]
        return (source.node_id for source in sources if source is not None)

    def _wired_from(self, node_id: int) -> Iterator[int]:
        return (source.node_id for source in self._sources[node_id] if source is not None)

    def _wired_to(self, node_id: int) -> Iterator[int]:
        return (wire.to_node for wire in self._consumers[node_id])

    def _check_name(self, node: Node, *, replaced: int | None = None) -> None:
        name = name_in_graph(node)
        holder = None if name is None else self._names.get(name)
        if name is not None and holder is not None and holder != replaced:
            msg = f"graph: the name {name[1]!r} is taken by node {holder} ({node.type_name}); choose another"
            raise GraphError(msg, node_id=holder, type_name=node.type_name)

    def _check_wire(self, wire: Wire) -> None:
        given = self._ports[wire.from_node].outputs[wire.from_port]
        wanted = self._ports[wire.to_node].inputs[wire.to_port]
        if given.value_type != wanted.value_type:
            raise type_error(wire, self._nodes, self._ports)
        source = self._sources[wire.to_node][wire.to_port]
        if source is not None:
            raise occupied_error(wire, source, self._nodes, self._ports)
        if not self._is_delayed(wire) and self._guard.closes_cycle(wire.from_node, wire.to_node):
            path = find_path(wire.to_node, wire.from_node, self._successors) or []
            what = f"wire from node {wire.from_node} to node {wire.to_node}"
            raise cycle_error(what, [wire.from_node, *path], self._nodes)

    def _check_wires_fit(self, node_id: int, node: Node, ports: Ports) -> None:
        old = self._ports[node_id]
        wired = [("inputs", port) for port, source in enumerate(self._sources[node_id]) if source is not None]
        wired += [("outputs", port) for port in sorted({wire.from_port for wire in self._consumers[node_id]})]
        for side, port in wired:
            before, after = getattr(old, side), getattr(ports, side)
            if port >= len(after) or after[port].value_type != before[port].value_type:
                raise misfit_error(
                    node_id, self._nodes[node_id], node, side=side, port=port, ports=old, new_ports=ports
                )

    def _check_latch_may_go(self, node_id: int, node: Node) -> None:
        if node_id not in self._latches or isinstance(node, Latch):
            return
        self._latches.discard(node_id)
        cycle = find_cycle([node_id], self._successors)
        if cycle is not None:
            self._latches.add(node_id)
            raise cycle_error(f"node {node_id}: {node.type_name} cannot replace core::Latch", cycle, self._nodes)
