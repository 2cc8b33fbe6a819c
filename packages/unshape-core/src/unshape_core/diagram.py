"""Graphs as text that other tools draw: Mermaid and Graphviz DOT.

Equal graphs give equal text. Wires into a latch's ``signal``, which lead to the next tick, are drawn dashed.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from unshape_core.nodes.latch import Latch

if TYPE_CHECKING:
    from unshape_core.graph import Graph
    from unshape_core.protocols import Node
    from unshape_core.snapshot import GraphSnapshot, Wire

_MAX_PARAMETERS = 4
_MAX_CHARACTERS = 28


def to_mermaid(graph: Graph | GraphSnapshot) -> str:
    """Return a graph as a Mermaid flowchart, from left to right.

    Examples
    --------
    >>> from unshape_core import Constant, Graph
    >>> graph = Graph()
    >>> _ = graph.add_node(Constant(1.0))
    >>> print(to_mermaid(graph))
    flowchart LR
        n0["0 core::Constant<br/>value=1.0<br/>value_type=f32"]
    """
    snapshot = snapshot_of(graph)
    lines = ["flowchart LR"]
    for node_id, node in snapshot.nodes.items():
        text = "<br/>".join(_mermaid_text(line) for line in label_lines(node_id, node))
        lines.append(f'    n{node_id}["{text}"]')
    for wire in snapshot.wires:
        arrow = "-.->" if is_delayed(snapshot, wire) else "-->"
        lines.append(f'    n{wire.from_node} {arrow}|"{_mermaid_text(wire_text(snapshot, wire))}"| n{wire.to_node}')
    return "\n".join(lines)


def to_dot(graph: Graph | GraphSnapshot) -> str:
    """Return a graph in Graphviz's language, from left to right."""
    snapshot = snapshot_of(graph)
    lines = ["digraph {", "    rankdir=LR;", '    node [shape=box, fontname="sans-serif"];']
    for node_id, node in snapshot.nodes.items():
        text = "\\n".join(_dot_text(line) for line in label_lines(node_id, node))
        lines.append(f'    n{node_id} [label="{text}"];')
    for wire in snapshot.wires:
        style = ", style=dashed" if is_delayed(snapshot, wire) else ""
        text = _dot_text(wire_text(snapshot, wire))
        lines.append(f'    n{wire.from_node} -> n{wire.to_node} [label="{text}"{style}];')
    return "\n".join([*lines, "}"])


def snapshot_of(graph: Graph | GraphSnapshot) -> GraphSnapshot:
    """Return the snapshot to draw."""
    from unshape_core.graph import Graph

    return graph.snapshot() if isinstance(graph, Graph) else graph


def label_lines(node_id: int, node: Node) -> list[str]:
    """Return what is written in a node's box: number and type, then its first parameters."""
    lines = [f"{node_id} {node.type_name}"]
    names = _parameter_names(node)
    lines += [shortened(f"{name}={_parameter_text(getattr(node, name))}") for name in names[:_MAX_PARAMETERS]]
    if len(names) > _MAX_PARAMETERS:
        lines.append("...")
    return lines


def _parameter_names(node: object) -> list[str]:
    return [field.name for field in fields(node)] if is_dataclass(node) else []


def shortened(text: str) -> str:
    """Return a text cut to what a box has room for."""
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 3]}..."


def wire_text(snapshot: GraphSnapshot, wire: Wire) -> str:
    """Return what is written at a wire: the names of its ports, once if they are the same."""
    start = snapshot.outputs(wire.from_node)[wire.from_port].name
    end = snapshot.inputs(wire.to_node)[wire.to_port].name
    return start if start == end else f"{start} → {end}"


def is_delayed(snapshot: GraphSnapshot, wire: Wire) -> bool:
    """Return whether a wire leads to the next tick."""
    return wire.to_port == Latch.SIGNAL and wire.to_node in snapshot.structure.latches


def _parameter_text(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{', '.join(map(str, value.shape))}]"
    return str(value) if hasattr(value, "axes") else repr(value)


def _mermaid_text(text: str) -> str:
    """Return a text in which nothing means anything to Mermaid or HTML."""
    return "".join(_MERMAID_NAMES.get(c, c) if c.isprintable() else " " for c in text)


_MERMAID_NAMES = {
    '"': "#quot;",
    "#": "#35;",
    "&": "#amp;",
    ";": "#59;",
    "<": "#lt;",
    ">": "#gt;",
    "\\": "#92;",
    "`": "#96;",
}


def _dot_text(text: str) -> str:
    printable = "".join(c if c.isprintable() else " " for c in text)
    return printable.replace("\\", "\\\\").replace('"', '\\"')
