"""Laws 23 and 24: ties stay where the data is, and no other placement of a small graph is cheaper."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from unshape_backend.errors import SelectionError
from unshape_backend.identity import BackendId
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.protocols import ComputeBackend
from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_core.memory_space import HOST
from unshape_core.nodes import GraphInput
from unshape_core.value_type import TEXTURE
from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import GraphCase, chain
from unshape_testing.laws.running import plan_of, registry_of
from unshape_testing.nodes import BoxMean, Flip, Gain, Merge, Ramp

Planner = Callable[[GraphCase, PlanOptions], Plan]
MAX_PLACEMENTS = 300


def small_trees() -> tuple[GraphCase, ...]:
    """Return graphs of few nodes in which every value is read once."""
    joined, graph = EvalContext(resolution=(40, 30)), Graph()
    left, right, merge, last = (graph.add_node(node) for node in (Ramp(1.0), Ramp(2.0), Merge(), BoxMean(1)))
    graph.connect(left, 0, merge, 0)
    graph.connect(right, 0, merge, 1)
    graph.connect(merge, 0, last, 0)
    return (
        chain((Ramp(1.0), BoxMean(1), Flip(), BoxMean(2)), name="line", ctx=joined),
        GraphCase(name="join", graph=graph, outputs=(last,), ctx=joined),
    )


def check_no_placement_is_cheaper(
    backends: tuple[ComputeBackend, ...], case: GraphCase, *, planner: Planner | None = None
) -> None:
    """Law 24: of all ways to place the nodes of a small tree none is cheaper than the plan.

    Parameters
    ----------
    backends : tuple of ComputeBackend
        Beside the reference.
    case : GraphCase
        Small: every placement is planned.
    planner : callable or None
        ``planner(case, options)`` returns the plan that is judged.
    """
    registry = registry_of(*backends)
    free = PlanOptions(is_fusion_enabled=False, result_space=HOST)
    plan = plan_of(registry, case, "minimize-cost", options=free) if planner is None else planner(case, free)
    assert plan.cost is not None, f"{case.name}: every backend here knows its costs"
    costs = {}
    for pins in _placements(case, registry.snapshot().ids):
        try:
            other = plan_of(
                registry,
                case,
                "minimize-cost",
                options=PlanOptions(pins=pins, is_fusion_enabled=False, result_space=HOST),
            )
        except SelectionError:
            continue
        if other.cost is not None:
            costs[tuple(pins.values())] = other.cost.total_ns
    assert len(set(costs.values())) > 1, f"{case.name}: expected placements of different costs, got {costs}"
    best = min(costs, key=lambda placement: costs[placement])
    assert plan.cost.total_ns <= costs[best], (
        f"{case.name}: planned {plan.cost.total_ns} ns, {best} takes {costs[best]}"
    )


def _placements(case: GraphCase, ids: tuple[BackendId, ...]) -> Iterator[dict[int, BackendId]]:
    nodes = [n for n in case.graph if not case.graph.node(n).type_name.startswith("core::")]
    assert len(ids) ** len(nodes) <= MAX_PLACEMENTS, f"{case.name}: too many placements to try them all"
    return (dict(zip(nodes, choice, strict=True)) for choice in itertools.product(ids, repeat=len(nodes)))


def check_ties_stay_local(plan_tie: Callable[[tuple[ComputeBackend, ...], GraphCase], Plan] | None = None) -> None:
    """Law 23: at equal cost a task runs where its data is; a nanosecond less elsewhere, and it moves.

    Parameters
    ----------
    plan_tie : callable or None
        Plans a graph on some backends; the planner itself if not given.
    """
    graph = Graph()
    source, gain = graph.add_node(GraphInput("picture", TEXTURE)), graph.add_node(Gain(2.0))
    graph.connect(source, 0, gain, 0)
    array = np.ones((4, 4, 1), np.float32)
    ctx = EvalContext(resolution=(4, 4), inputs={"picture": array})
    case = GraphCase(name="tie", graph=graph, outputs=(gain,), ctx=ctx)
    near_ns, link_ns = 1500, 100
    both_ways_ns = 2 * (link_ns + array.nbytes)
    for less_ns, expected in ((0, "near"), (1, "far")):
        near = FakeBackend("near", space=HOST, cost=near_ns)
        far = FakeBackend("far", cost=near_ns - both_ways_ns - less_ns, link_ns=link_ns)
        # The far one has the higher priority, so that nothing but its place speaks for the near one.
        registry = registry_of(near, far, priorities={"near": 1, "far": 1000})
        plan = plan_of(registry, case, "minimize-cost") if plan_tie is None else plan_tie((near, far), case)
        assert plan.backend_of(gain) == expected, (
            f"{less_ns} ns less: expected '{expected}', got {plan.backend_of(gain)}"
        )
