"""Where the boxes of a drawn graph go: in layers from left to right, with few crossings.

Each node is one layer to the right of the rightmost node that it needs. Within a layer nodes are ordered by the mean
position of their neighbours (the barycentre heuristic of Sugiyama, Tagawa and Toda, 1981), in a few sweeps to and fro.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from unshape_core.diagram import is_delayed

if TYPE_CHECKING:
    from unshape_core.snapshot import GraphSnapshot, Wire

_SWEEPS = 8
_MAX_BENDS = 20_000  # beyond that wires run straight behind the boxes: nobody could follow them anyway


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, in pixels."""

    x_px: float
    y_px: float
    width_px: float
    height_px: float


@dataclass(frozen=True, slots=True)
class Layering:
    """Nodes and the bends of long wires, by layer.

    Parameters
    ----------
    layers : list of list of int
        Each from top to bottom. A negative number is a place where a wire passes through the layer.
    routes : mapping of Wire to tuple of int
        For each wire that passes through layers, the places where it does.
    """

    layers: list[list[int]]
    routes: Mapping[Wire, tuple[int, ...]]


def layers_of(snapshot: GraphSnapshot) -> Layering:
    """Return the nodes by layer, each layer from top to bottom, with room for the wires that pass through."""
    inward: dict[int, list[int]] = {node_id: [] for node_id in snapshot.nodes}
    outward: dict[int, list[int]] = {node_id: [] for node_id in snapshot.nodes}
    wires = [wire for wire in snapshot.wires if not is_delayed(snapshot, wire)]
    depth: dict[int, int] = {}
    for node_id in snapshot.order:
        before = snapshot.structure.predecessors(node_id)
        depth[node_id] = 1 + max((depth[source] for source in before), default=-1)
    layers: list[list[int]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node_id in snapshot.nodes:
        layers[depth[node_id]].append(node_id)
    routes: dict[Wire, tuple[int, ...]] = {}
    bends = 0
    for wire in wires:
        stops = [wire.from_node]
        passed = layers[depth[wire.from_node] + 1 : depth[wire.to_node]]
        for layer in passed if bends + len(passed) <= _MAX_BENDS else ():
            bends += 1
            stops.append(-bends)
            layer.append(-bends)
        stops.append(wire.to_node)
        routes[wire] = tuple(stops[1:-1])
        for start, end in pairwise(stops):
            outward.setdefault(start, []).append(end)
            inward.setdefault(end, []).append(start)
    for sweep in range(_SWEEPS):
        is_forward = sweep % 2 == 0
        position = {node_id: place for layer in layers for place, node_id in enumerate(layer)}
        for layer in layers if is_forward else layers[::-1]:
            _order_by_neighbours(layer, inward if is_forward else outward, position)
    return Layering(layers, routes)


def _order_by_neighbours(layer: list[int], neighbours: Mapping[int, Sequence[int]], position: dict[int, int]) -> None:
    def barycentre(node_id: int) -> float:
        places = [position[neighbour] for neighbour in neighbours[node_id]]
        return sum(places) / len(places) if places else position[node_id]

    layer.sort(key=lambda node_id: (barycentre(node_id), position[node_id], node_id))
    position.update((node_id, place) for place, node_id in enumerate(layer))


def place_boxes(
    layers: Sequence[Sequence[int]],
    sizes: Mapping[int, tuple[float, float]],
    *,
    gap_x_px: float,
    gap_y_px: float,
) -> dict[int, Box]:
    """Return a box for each node: layers side by side, each centred on the tallest.

    Parameters
    ----------
    layers : sequence of sequence of int
        The nodes by layer.
    sizes : mapping of int to (float, float)
        Width and height of each node's box.
    gap_x_px, gap_y_px : float
        Room between layers, and between boxes of a layer.
    """
    heights = [sum(sizes[i][1] for i in layer) + gap_y_px * (len(layer) - 1) for layer in layers]
    tallest = max(heights, default=0.0)
    boxes: dict[int, Box] = {}
    x_px = 0.0
    for layer, height_px in zip(layers, heights, strict=True):
        y_px = (tallest - height_px) / 2
        for node_id in layer:
            boxes[node_id] = Box(x_px, y_px, *sizes[node_id])
            y_px += sizes[node_id][1] + gap_y_px
        x_px += max((sizes[node_id][0] for node_id in layer), default=0.0) + gap_x_px
    return boxes
