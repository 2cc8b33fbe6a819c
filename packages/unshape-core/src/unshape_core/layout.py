"""Where the boxes of a drawn graph go: in layers from left to right, with few crossings.

Each node is one layer to the right of the rightmost node that it needs. Within a layer nodes are ordered by the mean
position of their neighbours (the barycentre heuristic of Sugiyama, Tagawa and Toda, 1981), in a few sweeps to and fro.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unshape_core.diagram import is_delayed

if TYPE_CHECKING:
    from unshape_core.snapshot import GraphSnapshot

_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, in pixels."""

    x_px: float
    y_px: float
    width_px: float
    height_px: float


def layers_of(snapshot: GraphSnapshot) -> list[list[int]]:
    """Return the nodes by layer, each layer from top to bottom."""
    inward: dict[int, list[int]] = {node_id: [] for node_id in snapshot.nodes}
    outward: dict[int, list[int]] = {node_id: [] for node_id in snapshot.nodes}
    for wire in snapshot.wires:
        if not is_delayed(snapshot, wire):
            inward[wire.to_node].append(wire.from_node)
            outward[wire.from_node].append(wire.to_node)
    depth: dict[int, int] = {}
    for node_id in snapshot.order:
        depth[node_id] = 1 + max((depth[before] for before in inward[node_id]), default=-1)
    layers: list[list[int]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node_id in snapshot.nodes:
        layers[depth[node_id]].append(node_id)
    for sweep in range(_SWEEPS):
        is_forward = sweep % 2 == 0
        position = {node_id: place for layer in layers for place, node_id in enumerate(layer)}
        for layer in layers if is_forward else layers[::-1]:
            _order_by_neighbours(layer, inward if is_forward else outward, position)
    return layers


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
