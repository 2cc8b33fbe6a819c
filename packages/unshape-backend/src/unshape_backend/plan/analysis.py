"""What is known of a graph before anything is decided: needed nodes, specs, wiring, expressions, windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from unshape_backend.plan.bodies import BodyTable
from unshape_backend.plan.demand import NodeRegion, plan_windows
from unshape_backend.plan.infer import LiveGraph, LiveNode, infer
from unshape_backend.plan.wiring import Wiring, is_given, wire
from unshape_core.cache import space_of
from unshape_core.context import EvalContext
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.nodes import GraphInput
from unshape_core.snapshot import GraphSnapshot
from unshape_expr.shared_bodies import shared_bodies


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The facts about a graph.

    Parameters
    ----------
    live : LiveGraph
        The needed nodes with the specs of their inputs and outputs, in dependency order.
    wiring : Wiring
        Where inputs come from.
    bodies : BodyTable
        The expressions of nodes that have one.
    regions : mapping of int to NodeRegion
        The windows that nodes compute.
    given : mapping of int to MemorySpace
        Where the values are that are there before anything runs.
    ctx : EvalContext
        The circumstances, without what belongs to one run: a plan that is kept must not keep the caller's arrays.
    """

    live: LiveGraph
    wiring: Wiring
    bodies: BodyTable
    regions: Mapping[int, NodeRegion]
    given: Mapping[int, MemorySpace]
    ctx: EvalContext


def analyse(snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Analysis:
    """Find out what the outputs need and what each value will be.

    Raises
    ------
    UnshapeError
        If inputs are missing or do not fit together.
    """
    with shared_bodies():
        live = infer(snapshot, outputs, ctx)
        bodies = BodyTable(live)
    regions = plan_windows(snapshot, live, outputs, ctx, bodies)
    return Analysis(
        live=live,
        wiring=wire(live),
        bodies=bodies,
        regions=regions,
        given={each.id: _space_of(each, ctx) for each in live.values() if is_given(each)},
        ctx=replace(ctx, inputs=MappingProxyType({}), cancellation=None, progress=None),
    )


def _space_of(each: LiveNode, ctx: EvalContext) -> MemorySpace:
    return space_of(each.node.value_in(ctx)) if isinstance(each.node, GraphInput) else HOST
