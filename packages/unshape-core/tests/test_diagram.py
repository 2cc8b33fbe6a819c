"""Drawings of graphs: right, deterministic, and safe whatever names hold."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import pytest
from core_nodes import Add, AddPicture, Fill, Mean, Sum, chain
from hypothesis import given
from hypothesis import strategies as st

from unshape_core import F32, Constant, Graph, GraphInput, GraphOutput, Latch
from unshape_core.diagram import to_dot, to_mermaid
from unshape_core.layout import layers_of, place_boxes
from unshape_core.svg import to_svg

NASTY = '"]; <script>alert(1)</script> & \\ ` # | \n\t\x00 é'


def _graph(name: str = "gain") -> Graph:
    graph = Graph()
    start, latch, add = graph.add_node(GraphInput(name, F32, 0.0)), graph.add_node(Latch(F32)), graph.add_node(Add(1.0))
    out = graph.add_node(GraphOutput(name, F32))
    graph.connect(start, 0, latch, "init")
    graph.connect(latch, 0, add, 0)
    graph.connect(add, 0, latch, "signal")
    graph.connect(add, 0, out, 0)
    return graph


def test_mermaid_has_a_line_for_each_node_and_wire() -> None:
    lines = to_mermaid(_graph()).splitlines()
    assert lines[0] == "flowchart LR"
    assert [f"    n{i}[" for i in range(4)] == [line[:7] for line in lines[1:5]]
    assert lines[5:] == [
        '    n0 -->|"value → init"| n1',
        '    n1 -->|"out → a"| n2',
        '    n2 -.->|"value → signal"| n1',
        '    n2 -->|"value"| n3',
    ]


def test_dot_has_a_line_for_each_node_and_wire() -> None:
    lines = to_dot(_graph()).splitlines()
    assert lines[0] == "digraph {"
    assert lines[3:7] == [
        "    n0 [label=\"0 core::GraphInput\\nname='gain'\\nvalue_type=f32\\ndefault=0.0\"];",
        '    n1 [label="1 core::Latch\\nvalue_type=f32\\nrate=1"];',
        '    n2 [label="2 test::Add\\nk=1.0"];',
        "    n3 [label=\"3 core::GraphOutput\\nname='gain'\\nvalue_type=f32\"];",
    ]
    assert '    n2 -> n1 [label="value → signal", style=dashed];' in lines
    assert lines[-1] == "}"


@given(st.one_of(st.just(NASTY), st.text(min_size=1)))
def test_no_name_breaks_out_of_its_place(name: str) -> None:
    graph = _graph(name)
    mermaid, dot, svg = to_mermaid(graph), to_dot(graph), to_svg(graph)
    for line in mermaid.splitlines()[1:5]:
        assert re.fullmatch(r'    n\d\["[^"<>\\`]*(?:<br/>[^"<>\\`]*)*"\]', line)
    for line in dot.splitlines()[3:7]:
        assert re.fullmatch(r'    n\d \[label="(?:[^"\\]|\\.)*"\];', line)
    ET.fromstring(svg)
    assert "<script" not in svg


def test_drawings_do_not_depend_on_the_order_of_building() -> None:
    one, other = Graph(), Graph()
    for graph, ids in ((one, (0, 1, 2)), (other, (2, 0, 1))):
        for node_id in ids:
            graph.insert_node_with_id(node_id, Add(float(node_id)))
    one.connect(0, 0, 2, 0)
    one.connect(1, 0, 2, 1)
    other.connect(1, 0, 2, 1)
    other.connect(0, 0, 2, 0)
    for draw in (to_mermaid, to_dot, to_svg):
        assert draw(one) == draw(other) == draw(one.snapshot())


def test_svg_shows_every_node_port_and_wire() -> None:
    root = ET.fromstring(to_svg(_graph()))
    space = {"s": "http://www.w3.org/2000/svg"}
    assert len(root.findall(".//s:path", space)) == 4
    assert len(root.findall(".//s:path[@class='wire later']", space)) == 1
    assert len(root.findall(".//s:rect[@class='box']", space)) == 4
    assert len(root.findall(".//s:circle", space)) == 1 + (2 + 1) + (2 + 1) + 2
    texts = [text.text for text in root.findall(".//s:text", space)]
    assert "2 test::Add" in texts
    assert "(elementwise)" in texts


def _crossing_graph() -> Graph:
    graph = Graph()
    top, bottom = graph.add_node(Constant(1.0)), graph.add_node(Constant(2.0))
    first, second = graph.add_node(Add(1.0)), graph.add_node(Add(2.0))
    graph.connect(bottom, 0, first, 0)
    graph.connect(top, 0, second, 0)
    return graph


def test_layers_follow_the_wires_and_cross_no_more_than_needed() -> None:
    graph = _crossing_graph()
    assert layers_of(graph.snapshot()).layers in ([[0, 1], [3, 2]], [[1, 0], [2, 3]])


def test_wires_lead_to_the_right_and_boxes_do_not_overlap() -> None:
    graph = Graph()
    fill = graph.add_node(Fill())
    last = fill
    for _ in range(4):
        left, right, both = graph.add_node(AddPicture()), graph.add_node(AddPicture()), graph.add_node(Sum())
        for side, node in enumerate((left, right)):
            graph.connect(last, 0, node, 0)
            graph.connect(node, 0, both, side)
        last = both
    mean, total = graph.add_node(Mean()), graph.add_node(Sum())
    graph.connect(fill, 0, mean, 0)
    graph.connect(fill, 0, total, 0)
    graph.connect(last, 0, total, 1)
    layering = layers_of(graph.snapshot())
    sizes = {i: (50.0, 20.0 + i) for layer in layering.layers for i in layer}
    boxes = place_boxes(
        layering.layers, sizes | dict.fromkeys(range(-99, 0), (50.0, 12.0)), gap_x_px=30.0, gap_y_px=10.0
    )
    assert any(layering.routes.values()), "some wire is longer than a layer"
    for wire in graph.wires:
        for start, end in pairwise((wire.from_node, *layering.routes[wire], wire.to_node)):
            assert boxes[start].x_px + boxes[start].width_px < boxes[end].x_px
    every = list(boxes.values())
    for index, a in enumerate(every):
        for b in every[index + 1 :]:
            assert (
                a.x_px + a.width_px <= b.x_px
                or b.x_px + b.width_px <= a.x_px
                or a.y_px + a.height_px <= b.y_px
                or b.y_px + b.height_px <= a.y_px
            )


def test_notebook_shows_small_graphs_drawn_and_large_ones_in_words() -> None:
    bundle = _graph()._repr_mimebundle_()
    assert {"text/plain", "image/svg+xml", "text/vnd.mermaid"} == set(bundle)
    large = Graph()
    chain(large, lambda _: Add(), 501)
    assert {"text/plain": "<Graph: 501 nodes, 500 wires, revision 1001>"} == large._repr_mimebundle_()


@pytest.mark.parametrize("draw", [to_mermaid, to_dot, to_svg])
def test_empty_graph_is_drawn(draw: Callable[[Graph], str]) -> None:
    assert draw(Graph())


def test_node_that_is_no_dataclass_is_drawn() -> None:
    class Plain(Add):
        __dataclass_fields__: ClassVar[dict[str, Any]] = {}

    graph = Graph()
    graph.add_node(Plain())
    assert "0 test::Add" in to_mermaid(graph)


@dataclass(frozen=True, slots=True)
class ManyParameters(Add):
    """More parameters than a box has room for."""

    text: str = "x" * 100
    a: int = 1
    b: int = 2
    c: int = 3


def test_long_and_many_parameters_are_shortened() -> None:
    graph = Graph()
    graph.add_node(ManyParameters())
    label = to_mermaid(graph).splitlines()[1]
    shown = f"text='{'x' * 19}..."
    assert f'    n0["0 test::Add<br/>k=0.0<br/>{shown}<br/>a=1<br/>b=2<br/>..."]' == label
