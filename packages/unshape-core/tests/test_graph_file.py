"""Graph files: what is written is read, equal graphs are equal files, and everything else is refused with its place."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from core_nodes import Add, AddPicture, Clock, Fill, Mean, Sum
from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_core import (
    BOOL,
    F32,
    F64,
    I32,
    TEXTURE,
    VEC2,
    ArrayType,
    Constant,
    ContextField,
    CustomType,
    EvalContext,
    Graph,
    GraphFileError,
    GraphInput,
    GraphOutput,
    Latch,
    LazyEvaluator,
    NodeRegistry,
    Vec2,
    Vec3,
    Vec4,
    graph_from_json,
    graph_to_json,
    read_graph,
    write_graph,
)
from unshape_core.content_key import node_key

ORIGIN, UNIT = Vec2(1, 2), Vec4(1, 2, 3, 4)


class Mode(StrEnum):
    FAST = "fast"
    FINE = "fine"


class Level(Enum):
    LOW = 1
    HIGH = 2


@dataclass(frozen=True, slots=True)
class Stop:
    at: float
    colour: tuple[float, ...] = (0.0,)


@dataclass(frozen=True, slots=True)
class Everything(Add):
    """A node with a parameter of every kind."""

    type_name = "test::Everything"

    flag: bool = True
    count: int = 3
    text: str = 'quote " and \\ and é and \u2028'
    mode: Mode = Mode.FINE
    level: Level = Level.HIGH
    side: Literal["left", "right", 1] = "left"
    maybe: float | None = None
    pair: tuple[int, str] = (1, "one")
    stops: tuple[Stop, ...] = (Stop(0.0), Stop(1.0, (1.0, 0.5)))
    either: float | tuple[float, float] = (1.0, 2.0)
    point: Vec2 = ORIGIN
    vector: Vec3 | Vec4 = UNIT


@pytest.fixture
def registry() -> NodeRegistry:
    known = NodeRegistry(points=tuple)
    for node_type in (Add, AddPicture, Clock, Everything, Fill, Mean, Sum):
        known.register(node_type)
    return known


def _sample() -> Graph:
    graph = Graph()
    graph.insert_node_with_id(4, GraphInput("gain", F32, 0.5))
    graph.insert_node_with_id(2, Latch(F32, 3))
    add, fill, out = graph.add_node(Everything()), graph.add_node(Fill(2)), graph.add_node(GraphOutput("o", TEXTURE))
    graph.connect(4, 0, add, 1)
    graph.connect(4, 0, 2, "init")
    graph.connect(2, 0, add, 0)
    graph.connect(add, 0, 2, "signal")
    graph.connect(add, 0, fill, 0)
    graph.connect(fill, 0, out, 0)
    graph.remove_node(graph.add_node(Add()))
    return graph


def test_what_is_written_is_read(registry: NodeRegistry, tmp_path: Path) -> None:
    graph, path = _sample(), tmp_path / "graph.json"
    write_graph(graph, path)
    other = read_graph(path, registry=registry)
    assert dict(sorted(graph.nodes.items())) == dict(other.nodes)
    assert (graph.wires, graph.next_id) == (other.wires, other.next_id)
    assert [node_key(graph.node(i)) for i in graph] == [node_key(other.node(i)) for i in other]
    ctx = EvalContext(resolution=(2, 2))
    assert LazyEvaluator().evaluate(graph, ["o"], ctx).keys == LazyEvaluator().evaluate(other, ["o"], ctx).keys


def test_equal_graphs_are_equal_files_in_the_stated_form(registry: NodeRegistry) -> None:
    data = graph_to_json(_sample())
    assert data == graph_to_json(_sample()) == graph_to_json(graph_from_json(data, registry=registry))
    form = json.loads(data)
    assert ["version", "nodes", "wires", "next_id"] == list(form)
    assert (1, 9) == (form["version"], form["next_id"])
    assert [2, 4, 5, 6, 7] == [node["id"] for node in form["nodes"]]
    assert {"id": 2, "type_name": "core::Latch", "params": {"value_type": "f32", "rate": 3}} == form["nodes"][0]
    assert {"from": "2:out", "to": "5:a"} == form["wires"][0]
    assert sorted(form["wires"], key=lambda w: w["from"]) == form["wires"]


SCALARS = st.one_of(
    st.booleans(),
    st.integers(-(2**31), 2**31 - 1),
    st.floats(width=32),
    st.builds(Vec2, st.floats(width=32), st.floats(width=32)),
)


@given(SCALARS)
def test_constants_keep_their_bits(value: Any) -> None:
    graph = Graph()
    graph.add_node(Constant(value))
    other = graph_from_json(graph_to_json(graph), registry=NodeRegistry(points=tuple))
    assert node_key(graph.node(0)) == node_key(other.node(0))


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(1, 2, 3),
        np.zeros((0, 5, 1), np.float32),
        np.arange(6, dtype=">f4").reshape(2, 3)[::-1],
        np.array([1, 2**40]),
        np.array([math.nan, math.inf, -0.0]),
        np.array([[True, False]]),
        np.array([1 + 2j], np.complex64),
    ],
)
def test_arrays_keep_their_bits(array: np.ndarray[Any, Any]) -> None:
    graph = Graph()
    graph.add_node(Constant(array))
    other = graph_from_json(graph_to_json(graph), registry=NodeRegistry(points=tuple)).node(0)
    assert isinstance(other, Constant)
    assert graph.node(0) == other
    assert isinstance(other.value, np.ndarray)
    assert not other.value.flags.writeable


@pytest.mark.parametrize("value_type", [F32, F64, I32, BOOL, VEC2, TEXTURE, ArrayType("int32", ("bin",))])
def test_value_types_round_trip(value_type: Any) -> None:
    graph = Graph()
    graph.add_node(Latch(value_type))
    assert graph_from_json(graph_to_json(graph), registry=NodeRegistry(points=tuple)).node(0) == Latch(value_type)


def _file(**changes: Any) -> dict[str, Any]:
    form = {
        "version": 1,
        "nodes": [
            {"id": 0, "type_name": "test::Everything", "params": {"k": 1.0}},
            {"id": 1, "type_name": "test::Add", "params": {}},
            {"id": 2, "type_name": "test::Fill", "params": {}},
        ],
        "wires": [{"from": "0:value", "to": "1:a"}],
        "next_id": 3,
    }
    return {**form, **changes}


def _node(**params: Any) -> list[Mapping[str, Any]]:
    return [{"id": 0, "type_name": "test::Everything", "params": params}]


def _wires(*pairs: tuple[str, str]) -> list[Mapping[str, str]]:
    return [{"from": start, "to": end} for start, end in pairs]


@pytest.mark.parametrize(
    ("form", "place", "words"),
    [
        (_file(version=2), "$.version", "expected a version known here, 1, got 2"),
        (_file(version="1"), "$.version", "Expected `int`, got `str`"),
        (_file(extra=1), "$", "unknown field `extra`"),
        (_file(nodes={}), "$.nodes", "Expected `array`"),
        (_file(nodes=[{"type_name": "test::Add"}]), "$.nodes[0]", "missing required field `id`"),
        (
            _file(nodes=[{"id": 0, "type_name": "no::Such"}]),
            "$.nodes[0].type_name",
            "got 'no::Such'; known types: core::C",
        ),
        (_file(nodes=[{"id": -1, "type_name": "test::Add"}]), "$.nodes[0].id", "from 0 to"),
        (_file(nodes=[{"id": 2**60, "type_name": "test::Add"}]), "$.nodes[0].id", "from 0 to"),
        (_file(nodes=[{"id": 1.5, "type_name": "test::Add"}]), "$.nodes[0].id", "Expected `int`, got `float`"),
        (_file(nodes=[{"id": 0, "type_name": "test::Add"}] * 2), "$.nodes[1].id", "each id once, got 0 again"),
        (_file(nodes=_node(kk=1)), "$.nodes[0].params.kk", "expected one of the parameters k, flag,"),
        (_file(nodes=_node(k="1")), "$.nodes[0].params.k", "expected a number, got '1'"),
        (_file(nodes=_node(k=True)), "$.nodes[0].params.k", "expected a number, got true"),
        (_file(nodes=_node(k=None)), "$.nodes[0].params.k", "expected a number, got null"),
        (_file(nodes=_node(k=2**53 + 1)), "$.nodes[0].params.k", "expected a number that a float holds"),
        (_file(nodes=_node(count=1.0)), "$.nodes[0].params.count", "expected a whole number, got 1.0"),
        (_file(nodes=_node(flag=1)), "$.nodes[0].params.flag", "expected true or false, got 1"),
        (_file(nodes=_node(text=1)), "$.nodes[0].params.text", "expected a string, got 1"),
        (_file(nodes=_node(mode="slow")), "$.nodes[0].params.mode", "expected 'fast' or 'fine', got 'slow'"),
        (_file(nodes=_node(level="MID")), "$.nodes[0].params.level", "expected 'LOW' or 'HIGH', got 'MID'"),
        (_file(nodes=_node(side="up")), "$.nodes[0].params.side", "expected 'left' or 'right' or 1, got 'up'"),
        (_file(nodes=_node(side=True)), "$.nodes[0].params.side", "got true"),
        (_file(nodes=_node(maybe="x")), "$.nodes[0].params.maybe", "expected a number or null, got 'x'"),
        (_file(nodes=_node(pair=[1])), "$.nodes[0].params.pair", "expected a list of 2, got one of 1"),
        (_file(nodes=_node(pair=[1, 2])), "$.nodes[0].params.pair[1]", "expected a string, got 2"),
        (_file(nodes=_node(stops=[{"at": 0}, {"at": "x"}])), "$.nodes[0].params.stops[1].at", "expected a number"),
        (_file(nodes=_node(stops=[{}])), "$.nodes[0].params.stops[0]", "expected a parameter 'at', got none"),
        (_file(nodes=_node(stops=[3])), "$.nodes[0].params.stops[0]", "expected an object of at, colour, got 3"),
        (_file(nodes=_node(either=["x", 1])), "$.nodes[0].params.either[0]", "expected a number, got 'x'"),
        (_file(nodes=_node(point=[1])), "$.nodes[0].params.point", "expected a list of 2 numbers, got a list of 1"),
        (
            _file(nodes=[{"id": 0, "type_name": "core::Latch", "params": {}}]),
            "$.nodes[0].params",
            "a parameter 'value_type'",
        ),
        (
            _file(nodes=[{"id": 0, "type_name": "core::Latch", "params": {"value_type": "f32", "rate": 0}}]),
            "$.nodes[0].params",
            "core::Latch: rate: expected a whole number from 1, got 0",
        ),
        (_file(wires=_wires(("0:value", "1:a"), ("0:value", "1:a"))), "$.wires[1]", "input 'a' has a wire from node 0"),
        (_file(wires=_wires(("0:nope", "1:a"))), "$.wires[0]", "no output port 'nope'"),
        (_file(wires=_wires(("7:value", "1:a"))), "$.wires[0]", "no node 7"),
        (_file(wires=_wires(("2:image", "1:a"))), "$.wires[0]", "input 'a' expects f32"),
        (_file(wires=_wires(("0:value", "0:a"))), "$.wires[0]", "would close the cycle"),
        (_file(wires=_wires(("value", "1:a"))), "$.wires[0].from", "expected a node and a port such as '0:value'"),
        (_file(wires=_wires(("0:value", "-1:a"))), "$.wires[0].to", "expected a node and a port"),
        (_file(wires=_wires(("0:value", f"{'9' * 30}:a"))), "$.wires[0].to", "expected a node and a port"),
        (_file(next_id=2), "$.next_id", "expected a number from 3"),
        (_file(next_id=2**60), "$.next_id", "expected a number from 3"),
    ],
)
def test_refused_file_names_the_place(registry: NodeRegistry, form: Any, place: str, words: str) -> None:
    with pytest.raises(GraphFileError) as caught:
        graph_from_json(json.dumps(form), registry=registry, where="g.json")
    assert place == caught.value.json_path
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"g.json: {place}: ")
    assert "\n" not in str(caught.value)


ARRAY = {"dtype": "float32", "shape": [1, 1], "base64": "AAAAAA=="}


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"dtype": "object"}, ".dtype", "a name of a number type"),
        ({"dtype": "O"}, ".dtype", "a name of a number type"),
        ({"dtype": "no"}, ".dtype", "a name of a number type"),
        ({"shape": [2, 1]}, "", "expected 8 bytes for the shape, got 4"),
        ({"shape": [-1, -1]}, "", "bytes for the shape"),
        ({"shape": [2**62, 2**62]}, "", "bytes for the shape"),
        ({"base64": "***"}, ".base64", "expected base64"),
        ({"extra": 1}, "", "expected dtype, shape and base64"),
    ],
)
def test_refused_array_names_the_place(registry: NodeRegistry, changes: Any, place: str, words: str) -> None:
    nodes = [{"id": 0, "type_name": "core::Constant", "params": {"value": {"array": {**ARRAY, **changes}}}}]
    with pytest.raises(GraphFileError) as caught:
        graph_from_json(json.dumps(_file(nodes=nodes, wires=[])), registry=registry)
    assert f"$.nodes[0].params.value.array{place}" == caught.value.json_path
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"null", b"[]", b"\xff\xfe", b"nan", b'{"version": 1', b"[" * 200_000, b'{"version":' * 50_000],
)
def test_what_is_no_graph_is_refused(registry: NodeRegistry, data: bytes) -> None:
    with pytest.raises(GraphFileError):
        graph_from_json(data, registry=registry)


def test_deeply_nested_parameters_are_refused(registry: NodeRegistry) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    nodes = '[{"id": 0, "type_name": "test::Everything", "params": {"stops": ' + deep + "}}]"
    text = '{"version": 1, "nodes": ' + nodes + ', "wires": [], "next_id": 1}'
    with pytest.raises(GraphFileError):
        graph_from_json(text, registry=registry)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_damage_is_refused_or_harmless(data: st.DataObject) -> None:
    known = NodeRegistry(points=tuple)
    for node_type in (Add, Everything, Fill):
        known.register(node_type)
    text = bytearray(graph_to_json(_sample()))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text) - 1))
        match data.draw(st.sampled_from(["replace", "delete", "double"])):
            case "replace":
                text[place] = data.draw(st.integers(0, 255))
            case "delete":
                del text[place : place + data.draw(st.integers(1, 40))]
            case _:
                text[place:place] = text[place : place + data.draw(st.integers(1, 40))]
        if not text:
            break
    try:
        graph = graph_from_json(bytes(text), registry=known)
    except GraphFileError:
        pass  # refused; where, is told in the cases above
    else:
        assert graph_from_json(graph_to_json(graph), registry=known).wires == graph.wires


def test_file_that_is_too_large_is_refused(
    monkeypatch: pytest.MonkeyPatch, registry: NodeRegistry, tmp_path: Path
) -> None:
    path = tmp_path / "large.json"
    path.write_bytes(graph_to_json(_sample()))
    monkeypatch.setattr("unshape_core.graph_file.MAX_BYTES", 100)
    with pytest.raises(GraphFileError, match="expected at most 100 bytes, got more"):
        read_graph(path, registry=registry)
    monkeypatch.undo()
    monkeypatch.setattr("unshape_core.graph_reader.MAX_NODES", 2)
    with pytest.raises(GraphFileError, match=r"\$\.nodes: expected at most 2 nodes, got 5"):
        read_graph(path, registry=registry)


def test_missing_file_and_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=r"none\.json: cannot be read as a graph file: No such file"):
        read_graph(tmp_path / "none.json")
    with pytest.raises(GraphFileError, match="cannot be read as a graph file: Is a directory"):
        read_graph(tmp_path)
    with pytest.raises(GraphFileError, match="cannot be written there"):
        write_graph(Graph(), tmp_path / "no" / "graph.json")


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "graph.json"
    write_graph(Graph(), path)
    path.chmod(0o640)
    before = path.read_bytes()
    write_graph(Graph(), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(GraphFileError, match="No space left on device"):
        write_graph(_sample(), path)
    assert before == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())
    graph = Graph()
    graph.add_node(Latch(CustomType(dict)))
    with pytest.raises(
        GraphFileError, match=r"\$\.nodes\[0\]\.params\.value_type: expected a value type that graph files"
    ):
        write_graph(graph, path)
    assert before == path.read_bytes()


def test_enum_of_the_core_round_trips(registry: NodeRegistry) -> None:
    graph = Graph()
    graph.add_node(Clock(ContextField.TIME))
    assert b'"field":"time_s"' in graph_to_json(graph)
    assert graph_from_json(graph_to_json(graph), registry=registry).node(0) == Clock(ContextField.TIME)
