"""Windows: which part of each picture is computed.

Demand goes backwards from the window that the caller asks for: each node computes the smallest rectangle that holds
what its consumers read, which is a neighbourhood node's reach or what a body's expression can sample, cut off at the
picture's edge. A node that knows nothing of windows gets whole inputs and computes everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unshape_backend.plan.bodies import BodyTable, NodeBody
from unshape_backend.plan.infer import LiveGraph, LiveNode
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.protocols import Node, SupportsInputWindows
from unshape_core.region_plan import plan_regions
from unshape_core.snapshot import GraphSnapshot
from unshape_core.spec import Region, ValueSpec
from unshape_core.window import Window

POINT = Window(0, 0, 1, 1)
"""The window of what is no picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRegion:
    """What one node computes.

    Parameters
    ----------
    region : Region
        The rectangle that is computed, and what the inputs at hand cover.
    is_told : bool
        Whether the node knows of windows and is told the region; others compute everything.
    """

    region: Region
    is_told: bool


def plan_windows(
    snapshot: GraphSnapshot, live: LiveGraph, outputs: Sequence[int], ctx: EvalContext, bodies: BodyTable
) -> Mapping[int, NodeRegion]:
    """Return the region of every needed node.

    Raises
    ------
    InvalidArgumentError
        If a window is asked for that is no part of the picture of an output.
    """
    _check_window(live, outputs, ctx)
    if not any(spec.picture_px for each in live.values() for spec in each.output_specs):
        return {node_id: _numbers_only(each) for node_id, each in live.items()}
    specs = {node_id: (each.input_specs, each.output_specs) for node_id, each in live.items()}
    alike = {(id(each.node), each.input_specs): each for each in live.values()}

    def input_windows(
        node: Node, window: Window, input_specs: Sequence[ValueSpec], ctx: EvalContext
    ) -> tuple[Window | None, ...] | None:
        each = alike[id(node), tuple(input_specs)]
        return windows_read(each, bodies.get(each.id), window, ctx)

    told = plan_regions(snapshot, tuple(live), outputs, ctx, input_windows=input_windows, specs=specs)
    held: dict[int, Window] = {}
    regions: dict[int, NodeRegion] = {}
    for node_id, each in live.items():
        whole = picture_window(each.output_specs)
        output = told[node_id].output if node_id in told else whole
        held[node_id] = POINT if output is None else output
        inputs = tuple(
            _whole_window(spec) if source is None or spec.picture_px is None else held[source.node_id]
            for source, spec in zip(each.sources, each.input_specs, strict=True)
        )
        regions[node_id] = NodeRegion(
            region=Region(held[node_id], inputs, each.input_specs, each.output_specs), is_told=node_id in told
        )
    return regions


def _numbers_only(each: LiveNode) -> NodeRegion:
    """Return the region of a node of a graph that computes no pictures, though a default may be one."""
    inputs = tuple([_whole_window(spec) for spec in each.input_specs])
    return NodeRegion(region=Region(POINT, inputs, each.input_specs, each.output_specs), is_told=False)


def windows_read(
    each: LiveNode, body: NodeBody | None, window: Window, ctx: EvalContext
) -> tuple[Window | None, ...] | None:
    """Return what a node reads of each input to compute a window; None if it knows nothing of windows."""
    size_px = picture_size(each.output_specs)
    if body is not None and size_px is not None:
        return body.input_windows(window, each.inputs, each.input_specs, size_px)
    if body is None and isinstance(each.node, SupportsInputWindows):
        return tuple(each.node.input_windows(window, each.input_specs, ctx))
    return None


def picture_size(specs: Sequence[ValueSpec]) -> tuple[int, int] | None:
    """Return the size of the first picture among the specs, None if there is none."""
    return next((spec.picture_px for spec in specs if spec.picture_px is not None), None)


def picture_window(specs: Sequence[ValueSpec]) -> Window | None:
    """Return the rectangle of the first picture among the specs, None if there is none."""
    return next((window for window in map(_whole_window, specs) if window is not None), None)


def _whole_window(spec: ValueSpec) -> Window | None:
    size = spec.picture_px
    return None if size is None else Window.whole(width_px=size[0], height_px=size[1])


def _check_window(live: LiveGraph, outputs: Sequence[int], ctx: EvalContext) -> None:
    if ctx.window is None:
        return
    width_px, height_px = ctx.resolution
    if not Window.whole(width_px=width_px, height_px=height_px).contains(ctx.window):
        msg = f"window {_text(ctx.window)}: expected a part of the resolution, {width_px} x {height_px} px"
        raise InvalidArgumentError(msg)
    for node_id in outputs:
        _check_output(live[node_id], ctx)


def _check_output(each: LiveNode, ctx: EvalContext) -> None:
    size = picture_size(each.output_specs)
    if size is not None and size != ctx.resolution:
        msg = (
            f"{each.label}: a window is a part of the resolution, {ctx.resolution[0]} x {ctx.resolution[1]} px, "
            f"but this picture is {size[0]} x {size[1]} px; set resolution={size}"
        )
        raise InvalidArgumentError(msg, node_id=each.id, type_name=each.node.type_name)


def _text(window: Window) -> str:
    return f"({window.x_px}, {window.y_px}) to ({window.right_px}, {window.bottom_px})"
