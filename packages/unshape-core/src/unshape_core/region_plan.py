"""Which part of each picture a program computes.

Specs go forward: each node's output sizes follow from its inputs'. Windows go backward: each node computes the smallest
rectangle that holds what its consumers read. A node that knows nothing of windows gets whole inputs and computes
everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from unshape_core.errors import UnshapeError
from unshape_core.spec import Region, ValueSpec, spec_of
from unshape_core.window import Window

if TYPE_CHECKING:
    from unshape_core.context import EvalContext
    from unshape_core.protocols import Node
    from unshape_core.snapshot import GraphSnapshot

NodeSpecs = tuple[tuple[ValueSpec, ...], tuple[ValueSpec, ...]]
"""Specs of a node's inputs and of its outputs."""

InputWindows = Callable[["Node", Window, Sequence[ValueSpec], "EvalContext"], "tuple[Window | None, ...] | None"]
"""Asks what a node reads to compute a window; None if the node knows nothing of windows."""


def infer_specs(snapshot: GraphSnapshot, order: Sequence[int], ctx: EvalContext) -> dict[int, NodeSpecs]:
    """Return the specs of inputs and outputs of every node in the order.

    Raises
    ------
    InvalidArgumentError
        If a node's inputs do not fit together.
    """
    specs: dict[int, NodeSpecs] = {}
    for node_id in order:
        node = snapshot.nodes[node_id]
        inputs: list[ValueSpec] = []
        for source, port in zip(snapshot.sources(node_id), snapshot.inputs(node_id), strict=True):
            if source is not None:
                inputs.append(specs[source.node_id][1][source.port])
            elif port.default is not None:
                inputs.append(spec_of(port.default, port.value_type))
            else:
                inputs.append(ValueSpec(port.value_type))
        try:
            specs[node_id] = tuple(inputs), tuple(node.infer(inputs, ctx))
        except UnshapeError as error:
            error.node_id = node_id if error.node_id is None else error.node_id
            error.type_name = node.type_name if error.type_name is None else error.type_name
            raise
    return specs


def plan_regions(
    snapshot: GraphSnapshot,
    order: Sequence[int],
    outputs: Sequence[int],
    ctx: EvalContext,
    *,
    input_windows: InputWindows,
    specs: Mapping[int, NodeSpecs],
) -> dict[int, Region]:
    """Return the region of every node in the order that yields a picture.

    ``input_windows`` says what a node reads. An output that is asked for is computed for ``ctx.window``.
    """
    wanted: dict[int, Window] = {}
    reads: dict[int, tuple[Window | None, ...] | None] = {}
    for node_id in outputs:
        whole = _whole(specs[node_id][1])
        if whole is not None:
            wanted[node_id] = whole if ctx.window is None else ctx.window.intersect(whole)
    held: dict[int, Window] = {}
    for node_id in reversed(order):
        in_specs, out_specs = specs[node_id]
        whole = _whole(out_specs)
        window = wanted.get(node_id, whole)
        windows = (
            None if whole is None or window is None else input_windows(snapshot.nodes[node_id], window, in_specs, ctx)
        )
        reads[node_id] = windows
        if whole is not None and window is not None:
            held[node_id] = whole if windows is None else window
        for port, source in enumerate(snapshot.sources(node_id)):
            if source is None:
                continue
            picture = _whole(specs[source.node_id][1])
            if picture is None:
                continue
            read = picture if windows is None else windows[port]
            read = picture if read is None else read.intersect(picture)
            before = wanted.get(source.node_id)
            wanted[source.node_id] = read if before is None else before.union(read)
    return {
        node_id: Region(
            held[node_id],
            tuple(
                held.get(source.node_id) if source is not None and spec.picture_px is not None else _window_of(spec)
                for source, spec in zip(snapshot.sources(node_id), specs[node_id][0], strict=True)
            ),
            *specs[node_id],
        )
        for node_id in order
        if node_id in held and reads[node_id] is not None
    }


def _window_of(spec: ValueSpec) -> Window | None:
    size = spec.picture_px
    return None if size is None else Window.whole(width_px=size[0], height_px=size[1])


def _whole(specs: Sequence[ValueSpec]) -> Window | None:
    """Return the rectangle of a node's picture; all picture outputs of a node are of one size."""
    for spec in specs:
        window = _window_of(spec)
        if window is not None:
            return window
    return None
