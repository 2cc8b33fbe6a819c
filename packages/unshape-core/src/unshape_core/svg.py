"""Graphs as SVG pictures.

The colour at the left edge of a box says what kind of work a node is, in the palette of Okabe and Ito (2008), whose
colours can be told apart with any kind of colour vision; the kind is written as well, so that no colour is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from unshape_core.diagram import is_delayed, label_lines, shortened, snapshot_of
from unshape_core.layout import Box, Layering, layers_of, place_boxes
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.graph import Graph
    from unshape_core.port import Port
    from unshape_core.snapshot import GraphSnapshot, Wire

_COLOURS: Mapping[OpClass, str] = {
    OpClass.MATMUL: "#D55E00",
    OpClass.CONVOLUTION: "#0072B2",
    OpClass.ATTENTION: "#CC79A7",
    OpClass.REDUCTION: "#F0E442",
    OpClass.ELEMENTWISE: "#009E73",
    OpClass.MEMORY: "#999999",
    OpClass.GENERATE: "#E69F00",
    OpClass.OTHER: "#56B4E9",
}
_LINE_PX = 16.0
_CHARACTER_PX = 7.0
_PADDING_PX = 12.0
_MARGIN_PX = 24.0
_BEND_PX = 12.0
_LATER_PX = 20.0
_STYLE = (
    "<style>text{font:12px ui-monospace,monospace;fill:#111}.dim{fill:#555}"
    ".box{fill:#fff;stroke:#444}.wire{fill:none;stroke:#444;stroke-width:1.5}.later{stroke-dasharray:5 4}"
    ".port{fill:#444}</style>"
)


def to_svg(graph: Graph | GraphSnapshot) -> str:
    """Return a graph as an SVG picture, from left to right; wires to the next tick are dashed."""
    snapshot = snapshot_of(graph)
    texts = {node_id: _text_of(snapshot, node_id) for node_id in snapshot.nodes}
    layering = layers_of(snapshot)
    boxes = _boxes(snapshot, layering, texts)
    right_px = max((box.x_px + box.width_px for box in boxes.values()), default=0.0)
    bottom_px = max((box.y_px + box.height_px for box in boxes.values()), default=0.0)
    paths: list[str] = []
    for wire in snapshot.wires:
        if is_delayed(snapshot, wire):
            bottom_px += _LATER_PX
            paths.append(_later_wire(snapshot, wire, boxes, bottom_px))
        else:
            paths.append(_wire(snapshot, wire, boxes, layering.routes[wire]))
    width_px, height_px = right_px + 2 * _MARGIN_PX, bottom_px + 2 * _MARGIN_PX
    size = f'width="{width_px:g}" height="{height_px:g}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width_px:g} {height_px:g}" role="img">',
        f"<title>graph of {len(texts)} nodes</title>",
        _STYLE,
        f'<rect {size} fill="#fff"/>',
        f'<g transform="translate({_MARGIN_PX:g} {_MARGIN_PX:g})">',
    ]
    parts += paths
    parts += [_node(snapshot, node_id, boxes[node_id], lines) for node_id, lines in texts.items()]
    return "".join([*parts, "</g></svg>"])


def _boxes(snapshot: GraphSnapshot, layering: Layering, texts: Mapping[int, Sequence[str]]) -> dict[int, Box]:
    sizes = {node_id: _size_of(snapshot, node_id, lines) for node_id, lines in texts.items()}
    for layer in layering.layers:
        width_px = max(sizes[node_id][0] for node_id in layer if node_id >= 0)
        sizes |= {bend: (width_px, _BEND_PX) for bend in layer if bend < 0}
    return place_boxes(layering.layers, sizes, gap_x_px=56.0, gap_y_px=20.0)


def _text_of(snapshot: GraphSnapshot, node_id: int) -> list[str]:
    node = snapshot.nodes[node_id]
    lines = label_lines(node_id, node)
    return [shortened(lines[0]), f"({node.op_class.value})", *lines[1:]]


def _size_of(snapshot: GraphSnapshot, node_id: int, lines: Sequence[str]) -> tuple[float, float]:
    ports = max(len(snapshot.inputs(node_id)), len(snapshot.outputs(node_id)))
    width_px = max(map(len, lines)) * _CHARACTER_PX + 2 * _PADDING_PX
    return width_px, max(len(lines), ports) * _LINE_PX + _PADDING_PX


def _port_y_px(box: Box, ports: Sequence[Port], index: int) -> float:
    return box.y_px + box.height_px * (index + 1) / (len(ports) + 1)


def _ends(snapshot: GraphSnapshot, wire: Wire, boxes: Mapping[int, Box]) -> tuple[float, float, float, float]:
    """Return where a wire starts and where it ends."""
    start, end = boxes[wire.from_node], boxes[wire.to_node]
    y0 = _port_y_px(start, snapshot.outputs(wire.from_node), wire.from_port)
    y1 = _port_y_px(end, snapshot.inputs(wire.to_node), wire.to_port)
    return start.x_px + start.width_px, y0, end.x_px, y1


def _wire(snapshot: GraphSnapshot, wire: Wire, boxes: Mapping[int, Box], bends: Sequence[int]) -> str:
    """Return a wire that passes between the boxes of the layers on its way."""
    x, y, x1, y1 = _ends(snapshot, wire, boxes)
    path = f"M{x:g} {y:g}"
    for box in (boxes[bend] for bend in bends):
        middle = box.y_px + box.height_px / 2
        path += _curve(x, y, box.x_px, middle) + f"H{box.x_px + box.width_px:g}"
        x, y = box.x_px + box.width_px, middle
    return f'<path class="wire" d="{path}{_curve(x, y, x1, y1)}"/>'


def _curve(x0: float, y0: float, x1: float, y1: float) -> str:
    bend = (x1 - x0) / 2
    return f"C{x0 + bend:g} {y0:g} {x1 - bend:g} {y1:g} {x1:g} {y1:g}"


def _later_wire(snapshot: GraphSnapshot, wire: Wire, boxes: Mapping[int, Box], y_px: float) -> str:
    """Return a wire to the next tick, which runs back below all boxes."""
    x0, y0, x1, y1 = _ends(snapshot, wire, boxes)
    out, back = x0 + _LATER_PX, x1 - _LATER_PX
    down = f"M{x0:g} {y0:g}C{out:g} {y0:g} {out:g} {y_px:g} {x0:g} {y_px:g}"
    return f'<path class="wire later" d="{down}H{x1:g}C{back:g} {y_px:g} {back:g} {y1:g} {x1:g} {y1:g}"/>'


def _node(snapshot: GraphSnapshot, node_id: int, box: Box, lines: Sequence[str]) -> str:
    colour = _COLOURS.get(snapshot.nodes[node_id].op_class, _COLOURS[OpClass.OTHER])
    place = f'x="{box.x_px:g}" y="{box.y_px:g}" height="{box.height_px:g}"'
    parts = [
        f'<rect class="box" {place} width="{box.width_px:g}" rx="4"/>',
        f'<rect {place} width="5" fill="{colour}"/>',
    ]
    for index, line in enumerate(lines):
        y_px = box.y_px + _PADDING_PX / 2 + (index + 0.75) * _LINE_PX
        dim = "" if index == 0 else ' class="dim"'
        parts.append(f'<text{dim} x="{box.x_px + _PADDING_PX:g}" y="{y_px:g}">{escaped(line)}</text>')
    for x_px, ports in (
        (box.x_px, snapshot.inputs(node_id)),
        (box.x_px + box.width_px, snapshot.outputs(node_id)),
    ):
        for index, port in enumerate(ports):
            title = escaped(f"{port.name}: {port.value_type}")
            y_px = _port_y_px(box, ports, index)
            parts.append(f'<circle class="port" cx="{x_px:g}" cy="{y_px:g}" r="3"><title>{title}</title></circle>')
    return "".join(parts)


def escaped(text: str) -> str:
    """Return a text as XML holds it; characters that XML forbids become blanks."""
    return escape("".join(c if c.isprintable() else " " for c in text))
