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
from typing import TYPE_CHECKING, Any

from unshape_core import graph_errors
from unshape_core.argument_checks import check_count
from unshape_core.fork_safety import renew_in_children
from unshape_core.graph_checks import check_latch_may_go, check_wire, check_wires_fit
from unshape_core.node_facts import Ports, check_node, differs_in_parameters_only, name_in_graph
from unshape_core.nodes.graph_input import GraphInput
from unshape_core.nodes.graph_output import GraphOutput
from unshape_core.nodes.latch import Latch
from unshape_core.snapshot import (
    Changes,
    GraphSnapshot,
    GraphStructure,
    Source,
    Wire,
    check_node_id,
    find_port,
    new_token,
)
from unshape_core.wiring import Wiring

if TYPE_CHECKING:
    from unshape_core.protocols import Node


_MAX_DRAWN_NODES = 500


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
        self._wiring = Wiring()
        self._names: dict[tuple[type, str], int] = {}
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
        return f"<Graph: {len(self._nodes)} nodes, {len(self._wiring)} wires, revision {self._revision}>"

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
        return self._wiring.sources[node_id][index]

    def upstream(self, node_id: int) -> frozenset[int]:
        """Return all nodes that a node depends on, also through latches; itself only if it lies on a cycle."""
        self.node(node_id)
        with self._lock:
            return self._wiring.upstream(node_id)

    def downstream(self, node_id: int) -> frozenset[int]:
        """Return all nodes that depend on a node, also through latches; itself only if it lies on a cycle."""
        self.node(node_id)
        with self._lock:
            return self._wiring.downstream(node_id)

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
                raise graph_errors.number_taken_error(node_id, self._nodes[node_id])
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
            self._wiring.remove_node(node_id)
            del self._nodes[node_id], self._ports[node_id]
            self._names.pop(name_in_graph(node), None)  # type: ignore[arg-type]  # None is no key
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
            check_wires_fit(node_id, node, ports, nodes=self._nodes, ports=self._ports, wiring=self._wiring)
            check_latch_may_go(node_id, node, nodes=self._nodes, wiring=self._wiring)
            self._names.pop(name_in_graph(old), None)  # type: ignore[arg-type]  # None is no key
            self._wiring.resize_inputs(node_id, input_count=len(ports.inputs))
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
            check_wire(wire, nodes=self._nodes, ports=self._ports, wiring=self._wiring)
            self._wiring.connect(wire)
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
            source = self._wiring.sources[to_node][index]
            if source is None:
                raise graph_errors.unwired_error(to_node, index, self._nodes, self._ports)
            wire = Wire(*source, to_node, index)
            self._wiring.cut(wire)
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
                    sources={node_id: tuple(sources) for node_id, sources in self._wiring.sources.items()},
                    ports=dict(self._ports),
                    latches=frozenset(self._wiring.latches),
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
            return {"nodes": dict(self._nodes), "wires": list(self._wiring), "next_id": self._next_id}

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
        self._wiring.add_node(node_id, input_count=len(ports.inputs))
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
            self._wiring.latches.add(node_id)
        else:
            self._wiring.latches.discard(node_id)

    def _restructured(self) -> None:
        self._revision += 1
        self._structure_revision = self._revision
        self._changed_at.clear()
        self._structure = self._snapshot = None

    def _input_index(self, node_id: int, port: int | str) -> int:
        return find_port(self.node(node_id), node_id, port, self._ports[node_id].inputs, "input")

    def _check_name(self, node: Node, *, replaced: int | None = None) -> None:
        name = name_in_graph(node)
        holder = None if name is None else self._names.get(name)
        if name is not None and holder is not None and holder != replaced:
            raise graph_errors.name_taken_error(name[1], holder, node)
