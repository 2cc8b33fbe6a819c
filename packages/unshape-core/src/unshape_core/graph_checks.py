"""Checks of a change before it is made, so that a graph is valid at all times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unshape_core import graph_errors
from unshape_core.nodes.latch import Latch

if TYPE_CHECKING:
    from unshape_core.node_facts import Ports
    from unshape_core.protocols import Node
    from unshape_core.snapshot import Wire
    from unshape_core.wiring import Wiring


def check_wire(wire: Wire, *, nodes: Mapping[int, Node], ports: Mapping[int, Ports], wiring: Wiring) -> None:
    """Check that a wire may be added.

    Raises
    ------
    PortTypeError
        If its ends are of different types.
    PortOccupiedError
        If its input has a wire.
    CycleError
        If it would close a cycle without a latch.
    """
    given = ports[wire.from_node].outputs[wire.from_port]
    wanted = ports[wire.to_node].inputs[wire.to_port]
    if given.value_type != wanted.value_type:
        raise graph_errors.type_error(wire, nodes, ports)
    source = wiring.sources[wire.to_node][wire.to_port]
    if source is not None:
        raise graph_errors.occupied_error(wire, source, nodes, ports)
    cycle = wiring.closed_cycle(wire)
    if cycle is not None:
        what = f"wire from node {wire.from_node} to node {wire.to_node}"
        raise graph_errors.cycle_error(what, cycle, nodes)


def check_wires_fit(
    node_id: int,
    node: Node,
    new_ports: Ports,
    *,
    nodes: Mapping[int, Node],
    ports: Mapping[int, Ports],
    wiring: Wiring,
) -> None:
    """Check that the wires of a node fit another one in its place; raises PortTypeError if one does not."""
    old = ports[node_id]
    for side, port in wiring.wired_ports(node_id):
        before, after = getattr(old, side), getattr(new_ports, side)
        if port >= len(after) or after[port].value_type != before[port].value_type:
            raise graph_errors.misfit_error(
                node_id, nodes[node_id], node, side=side, port=port, ports=old, new_ports=new_ports
            )


def check_latch_may_go(node_id: int, node: Node, *, nodes: Mapping[int, Node], wiring: Wiring) -> None:
    """Check that no cycle is left without a latch by another node in the place of one; raises CycleError if so."""
    if node_id not in wiring.latches or isinstance(node, Latch):
        return
    cycle = wiring.cycle_without_latch(node_id)
    if cycle is not None:
        what = f"node {node_id}: {node.type_name} cannot replace core::Latch"
        raise graph_errors.cycle_error(what, cycle, nodes)
