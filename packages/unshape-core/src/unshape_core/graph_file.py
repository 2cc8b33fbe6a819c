"""Graph files: JSON version 1.

::

    {
      "version": 1,
      "nodes": [{"id": 0, "type_name": "core::Constant", "params": {"value": 1.5, "value_type": "f32"}}],
      "wires": [{"from": "0:value", "to": "2:a"}],
      "next_id": 3
    }

A file is untrusted input: it is parsed and checked, never executed; its size and the number of its nodes are bounded;
what it does not say is not guessed. Every error names the place in the file. A graph is written in one order only, so
that equal graphs are equal files, and a file is replaced as a whole or not at all.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from unshape_core.errors import GraphFileError
from unshape_core.graph import Graph
from unshape_core.node_registry import NodeRegistry, default_node_registry
from unshape_core.parameter_json import ParameterError, parameters_to_json

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_core.snapshot import GraphSnapshot

VERSION = 1
MAX_BYTES = 64 * 1024 * 1024


def read_graph(path: str | os.PathLike[str], *, registry: NodeRegistry | None = None) -> Graph:
    """Return the graph that a file holds.

    Parameters
    ----------
    path : path
        The file.
    registry : NodeRegistry or None
        The node types that it may hold; None takes all that are installed.

    Raises
    ------
    GraphFileError
        If it cannot be read; ``json_path`` says where.
    """
    from pathlib import Path

    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        msg = f"{path}: cannot be read as a graph file: {error.strerror or error}"
        raise GraphFileError(msg) from error
    return graph_from_json(data, registry=registry, where=str(path))


def write_graph(graph: Graph | GraphSnapshot, path: str | os.PathLike[str]) -> None:
    """Write a graph to a file, which is replaced as a whole or not at all.

    Raises
    ------
    GraphFileError
        If a parameter has no JSON form, or the file cannot be written.
    """
    from unshape_core.atomic_file import replacing

    data = graph_to_json(graph)
    try:
        with replacing(path) as temporary:
            temporary.write_bytes(data)
    except OSError as error:
        msg = f"{path}: the graph cannot be written there: {error.strerror or error}"
        raise GraphFileError(msg) from error


def graph_to_json(graph: Graph | GraphSnapshot) -> bytes:
    """Return a graph as JSON: one line for each node and wire, nodes by number, wires by their ends.

    Raises
    ------
    GraphFileError
        If a parameter has no JSON form.
    """
    import msgspec.json

    snapshot = graph.snapshot() if isinstance(graph, Graph) else graph
    nodes = [
        {"id": node_id, "type_name": node.type_name, "params": _params(index, node_id, node)}
        for index, (node_id, node) in enumerate(snapshot.nodes.items())
    ]
    wires = [
        {
            "from": f"{wire.from_node}:{snapshot.outputs(wire.from_node)[wire.from_port].name}",
            "to": f"{wire.to_node}:{snapshot.inputs(wire.to_node)[wire.to_port].name}",
        }
        for wire in snapshot.wires
    ]
    next_id = graph.next_id if isinstance(graph, Graph) else max(snapshot.nodes, default=-1) + 1
    return b'{\n  "version": %d,\n  "nodes": %b,\n  "wires": %b,\n  "next_id": %d\n}\n' % (
        VERSION,
        _lines([msgspec.json.encode(node) for node in nodes]),
        _lines([msgspec.json.encode(wire) for wire in wires]),
        next_id,
    )


def _lines(items: list[bytes]) -> bytes:
    return b"[\n    %b\n  ]" % b",\n    ".join(items) if items else b"[]"


def _params(index: int, node_id: int, node: Node) -> dict[str, Any]:
    try:
        return parameters_to_json(node)
    except ParameterError as error:
        json_path = f"$.nodes[{index}].params{error.path}"
        msg = f"node {node_id} ({node.type_name}): {json_path}: expected {error.expected}, got {error.got}"
        raise GraphFileError(msg, json_path=json_path, node_id=node_id, type_name=node.type_name) from None


def graph_from_json(data: bytes | str, *, registry: NodeRegistry | None = None, where: str = "graph") -> Graph:
    """Return the graph that JSON describes.

    Parameters
    ----------
    data : bytes or str
        The JSON.
    registry : NodeRegistry or None
        The node types that it may hold; None takes all that are installed.
    where : str
        Begins error messages.

    Raises
    ------
    GraphFileError
        If it is no graph; ``json_path`` says where.
    """
    if isinstance(data, str):
        data = data.encode()
    if len(data) > MAX_BYTES:
        raise GraphFileError(f"{where}: expected at most {MAX_BYTES} bytes, got more")
    from unshape_core.graph_reader import GraphReader

    return GraphReader(where, default_node_registry() if registry is None else registry).read(data)
