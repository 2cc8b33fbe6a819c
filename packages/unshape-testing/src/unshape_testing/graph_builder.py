"""Short ways to write a graph down, plan it and run it, for tests of planners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_backend.executor import backend_evaluator
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.plan.planner import make_plan
from unshape_backend.policy import parse_policy
from unshape_backend.registry import BackendRegistry
from unshape_backend.scheduler import Scheduler
from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_core.nodes import GraphInput
from unshape_core.protocols import Node
from unshape_core.value_type import TEXTURE

UNFUSED = PlanOptions(is_fusion_enabled=False)
Source: TypeAlias = "int | tuple[int, int]"
"""A node's first output, or a node and the number of an output."""


class GraphBuilder:
    """A graph that is filled in few words.

    Examples
    --------
    >>> from unshape_testing.nodes import Gain, Ramp
    >>> build = GraphBuilder()
    >>> build.chain(build.add(Ramp()), [Gain(), Gain()])
    [1, 2]
    """

    def __init__(self) -> None:
        self.graph = Graph()

    def photo(self, name: str = "photo") -> int:
        """Add a picture that the caller gives."""
        return self.graph.add_node(GraphInput(name, TEXTURE))

    def add(self, node: Node, *sources: Source) -> int:
        """Add a node and wire its inputs in port order; return its number."""
        node_id = self.graph.add_node(node)
        for port, source in enumerate(sources):
            start, start_port = source if isinstance(source, tuple) else (source, 0)
            self.graph.connect(start, start_port, node_id, port)
        return node_id

    def chain(self, start: int, nodes: Sequence[Node]) -> list[int]:
        """Add nodes in a row behind another one; return their numbers."""
        ids: list[int] = []
        for node in nodes:
            start = self.add(node, start)
            ids.append(start)
        return ids


def plan_graph(
    graph: Graph,
    outputs: Sequence[int],
    ctx: EvalContext,
    registry: BackendRegistry,
    *,
    policy: str = "auto",
    options: PlanOptions | None = None,
) -> Plan:
    """Return the plan for some nodes, without running it."""
    scheduler = Scheduler(registry, parse_policy(policy))
    return make_plan(graph.snapshot(), tuple(outputs), ctx, scheduler=scheduler, options=options)


def clusters_of(plan: Plan) -> list[tuple[int, ...]]:
    """Return the nodes of each task, in the order they run."""
    return [step.wired.task.node_ids for step in plan.tasks]


def arrays_of(
    graph: Graph,
    outputs: Sequence[int],
    ctx: EvalContext,
    registry: BackendRegistry,
    *,
    policy: str = "auto",
    options: PlanOptions | None = None,
) -> list[npt.NDArray[Any]]:
    """Return the first output of some nodes, on the host."""
    result = backend_evaluator(policy, registry=registry, options=options).evaluate(graph, tuple(outputs), ctx)
    return [np.asarray(values[0]) for values in result.outputs]
