"""Which output of a graph a verb works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unshape_core.graph import Graph


def choose_output(graph: Graph, name: str | None) -> int | str:
    """Return the output of that name; without a name the only one there is.

    A graph without ``GraphOutput`` nodes is taken at its only node that no wire leaves.

    Raises
    ------
    InvalidArgumentError
        If there is none, or more than one to choose from.
    """
    from unshape_core.errors import InvalidArgumentError

    names = sorted(graph.output_nodes())
    if name is not None:
        if name in names:
            return name
        known = ", ".join(names) or "none"
        msg = f"--output {name}: the graph has no output of that name; it has: {known}"
        raise InvalidArgumentError(msg)
    if len(names) == 1:
        return names[0]
    if names:
        msg = f"the graph has {len(names)} outputs; choose one with --output {'|'.join(names)}"
        raise InvalidArgumentError(msg)
    feeding = {wire.from_node for wire in graph.wires}
    ends = [node_id for node_id in graph if node_id not in feeding]
    if len(ends) == 1:
        return ends[0]
    msg = f"the graph has no core::GraphOutput and {len(ends)} nodes that no wire leaves; add a core::GraphOutput"
    raise InvalidArgumentError(msg)
