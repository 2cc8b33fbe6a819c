"""Building a graph from the parsed form of a file, with the place of every fault."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn, TypeVar

import msgspec

from unshape_core.argument_checks import shown
from unshape_core.errors import GraphError, GraphFileError, UnshapeError
from unshape_core.graph import Graph
from unshape_core.graph_file_form import FileForm, NodeForm, VersionForm, WireForm
from unshape_core.parameter_json import ParameterError, parameters_from_json

if TYPE_CHECKING:
    from unshape_core.node_registry import NodeRegistry
    from unshape_core.protocols import Node

VERSION = 1
MAX_NODES = 1_000_000
MAX_ID = 2**53

_Form = TypeVar("_Form")
_END = re.compile(r"([0-9]{1,16}):(.+)", re.DOTALL)
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?P<path>\$.*)`)?", re.DOTALL)


class GraphReader:
    """Reads one file.

    Parameters
    ----------
    where : str
        Begins error messages.
    registry : NodeRegistry
        The node types that it may hold.
    """

    def __init__(self, where: str, registry: NodeRegistry) -> None:
        self._where = where
        self._registry = registry

    def read(self, data: bytes) -> Graph:
        """Return the graph."""
        version = self._decode(data, VersionForm).version
        if version != VERSION:
            self._fail("$.version", f"expected a version known here, {VERSION}, got {version}; update unshape-core")
        form = self._decode(data, FileForm)
        if len(form.nodes) > MAX_NODES:
            self._fail("$.nodes", f"expected at most {MAX_NODES} nodes, got {len(form.nodes)}")
        graph = Graph()
        for index, node_form in enumerate(form.nodes):
            self._add_node(graph, node_form, f"$.nodes[{index}]")
        for index, wire_form in enumerate(form.wires):
            self._add_wire(graph, wire_form, f"$.wires[{index}]")
        if not graph.next_id <= form.next_id <= MAX_ID:
            self._fail("$.next_id", f"expected a number from {graph.next_id} to {MAX_ID}, got {form.next_id}")
        graph.reserve_ids(form.next_id)
        return graph

    def _decode(self, data: bytes, form: type[_Form]) -> _Form:
        try:
            return msgspec.json.decode(data, type=form)
        except RecursionError:
            self._fail("$", "nested too deeply")
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            match = _PLACE.fullmatch(str(error))
            what, path = (str(error), None) if match is None else (match["what"], match["path"])
            self._fail(path or "$", what, cause=error)

    def _add_node(self, graph: Graph, form: NodeForm, place: str) -> None:
        if not 0 <= form.id < MAX_ID:
            self._fail(f"{place}.id", f"expected a number from 0 to {MAX_ID - 1}, got {form.id}")
        if form.id in graph:
            self._fail(f"{place}.id", f"expected each id once, got {form.id} again", node_id=form.id)
        node = self._make(form, place)
        try:
            graph.insert_node_with_id(form.id, node)
        except UnshapeError as error:
            self._fail(place, error.message, cause=error, node_id=form.id, type_name=form.type_name)

    def _make(self, form: NodeForm, place: str) -> Node:
        node_type = self._registry.find(form.type_name)
        if node_type is None:
            known = ", ".join(self._registry.types())
            msg = f"expected a node type that is installed, got {shown(form.type_name)}; known types: {known}"
            self._fail(f"{place}.type_name", msg, node_id=form.id, type_name=form.type_name)
        try:
            return node_type(**parameters_from_json(node_type, form.params))
        except ParameterError as error:
            msg = f"expected {error.expected}, got {error.got}"
            self._fail(f"{place}.params{error.path}", msg, node_id=form.id, type_name=form.type_name)
        except (UnshapeError, TypeError, ValueError, RecursionError) as error:
            self._fail(f"{place}.params", str(error), cause=error, node_id=form.id, type_name=form.type_name)

    def _add_wire(self, graph: Graph, form: WireForm, place: str) -> None:
        from_node, out_port = self._end(form.from_, f"{place}.from")
        to_node, in_port = self._end(form.to, f"{place}.to")
        try:
            graph.connect(from_node, out_port, to_node, in_port)
        except GraphError as error:
            self._fail(place, error.message, cause=error, node_id=error.node_id, type_name=error.type_name)

    def _end(self, text: str, place: str) -> tuple[int, str]:
        match = _END.fullmatch(text)
        if match is None:
            self._fail(place, f"expected a node and a port such as '0:value', got {text[:40]!r}")
        return int(match[1]), match[2]

    def _fail(
        self,
        json_path: str,
        what: str,
        *,
        cause: BaseException | None = None,
        node_id: int | None = None,
        type_name: str | None = None,
    ) -> NoReturn:
        msg = f"{self._where}: {json_path}: {what}"
        raise GraphFileError(msg, json_path=json_path, node_id=node_id, type_name=type_name) from cause
