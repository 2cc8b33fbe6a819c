"""What is said when a change of a graph cannot be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from unshape_core.errors import CycleError, GraphError, PortOccupiedError, PortTypeError

if TYPE_CHECKING:
    from unshape_core.node_facts import Ports
    from unshape_core.protocols import Node
    from unshape_core.snapshot import Source, Wire

_SHOWN_AT_START, _SHOWN_AT_END = 6, 5


def number_taken_error(node_id: int, holder: Node) -> GraphError:
    """Return the error for a node that is to have the number of another."""
    msg = f"graph: number {node_id} is taken by {holder.type_name}; replace_node({node_id}, ...) would replace it"
    return GraphError(msg, node_id=node_id, type_name=holder.type_name)


def name_taken_error(name: str, holder_id: int, node: Node) -> GraphError:
    """Return the error for a graph input or output that is to have the name of another."""
    msg = f"graph: the name {name!r} is taken by node {holder_id} ({node.type_name}); choose another"
    return GraphError(msg, node_id=holder_id, type_name=node.type_name)


def type_error(wire: Wire, nodes: Mapping[int, Node], ports: Mapping[int, Ports]) -> PortTypeError:
    """Return the error for a wire whose ends are of different types."""
    given = ports[wire.from_node].outputs[wire.from_port]
    wanted = ports[wire.to_node].inputs[wire.to_port]
    node = nodes[wire.to_node]
    msg = (
        f"node {wire.to_node} ({node.type_name}): input '{wanted.name}' expects {wanted.value_type}, "
        f"got {given.value_type} from output '{given.name}' of node {wire.from_node} "
        f"({nodes[wire.from_node].type_name}); put a node between them that converts"
    )
    return PortTypeError(msg, node_id=wire.to_node, type_name=node.type_name)


def occupied_error(
    wire: Wire, source: Source, nodes: Mapping[int, Node], ports: Mapping[int, Ports]
) -> PortOccupiedError:
    """Return the error for a wire into an input that has one."""
    node, name = nodes[wire.to_node], ports[wire.to_node].inputs[wire.to_port].name
    msg = (
        f"node {wire.to_node} ({node.type_name}): input '{name}' has a wire from node {source.node_id} "
        f"({nodes[source.node_id].type_name}); disconnect({wire.to_node}, '{name}') would remove it"
    )
    return PortOccupiedError(msg, node_id=wire.to_node, type_name=node.type_name)


def unwired_error(node_id: int, port: int, nodes: Mapping[int, Node], ports: Mapping[int, Ports]) -> GraphError:
    """Return the error for a wire that is to be removed and is not there."""
    node, name = nodes[node_id], ports[node_id].inputs[port].name
    msg = f"node {node_id} ({node.type_name}): input '{name}' has no wire to remove"
    return GraphError(msg, node_id=node_id, type_name=node.type_name)


def misfit_error(
    node_id: int, old: Node, new: Node, *, side: str, port: int, ports: Ports, new_ports: Ports
) -> PortTypeError:
    """Return the error for a node that cannot replace another because a wire at a port would not fit."""
    before = getattr(ports, side)[port]
    after = getattr(new_ports, side)[port : port + 1]
    got = f"'{after[0].name}' of {after[0].value_type}" if after else "no such port"
    msg = (
        f"node {node_id}: {new.type_name} cannot replace {old.type_name}: the wire at {side}[{port}] "
        f"'{before.name}' expects {before.value_type}, got {got}; disconnect it first"
    )
    return PortTypeError(msg, node_id=node_id, type_name=new.type_name)


def cycle_error(what: str, cycle: Sequence[int], nodes: Mapping[int, Node]) -> CycleError:
    """Return the error for a cycle without a latch; ``cycle`` begins and ends with the same node."""
    names = [f"{node_id} {nodes[node_id].type_name}" for node_id in cycle]
    left_out = len(names) - _SHOWN_AT_START - _SHOWN_AT_END
    if left_out > 1:
        names[_SHOWN_AT_START:-_SHOWN_AT_END] = [f"... ({left_out} more) ..."]
    msg = f"{what}: it would close the cycle {' -> '.join(names)}; a Latch on the way makes it a loop in time"
    return CycleError(msg, node_id=cycle[0], type_name=nodes[cycle[0]].type_name)
