"""Acceptance: whether a plan still holds when a node's parameters change.

Moving a slider must not plan anew. A plan holds as long as specs, windows and the structure of expressions stay the
same, and every backend says the same of the task as before: whether it can run it, and what that costs.
"""

from __future__ import annotations

from dataclasses import replace

from unshape_backend.candidates import price, why_not
from unshape_backend.plan.bodies import body_of
from unshape_backend.plan.demand import windows_read
from unshape_backend.plan.fusible import Kind
from unshape_backend.plan.infer import LiveNode
from unshape_backend.plan.plan import Plan
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.window import Window


class Acceptance:
    """Answers for one plan.

    Parameters
    ----------
    plan : Plan
        The plan.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._tasks: dict[int, list[int]] = {}
        for index, step in enumerate(plan.tasks):
            for node_id in step.wired.task.node_ids:
                self._tasks.setdefault(node_id, []).append(index)

    def __call__(self, node_id: int, node: Node, ctx: EvalContext) -> bool:
        """Return whether the plan is the one that would be made with that node in its place."""
        before = self._plan.facts.live[node_id]
        if tuple(node.infer(before.input_specs, ctx)) != before.output_specs:
            return False
        now = replace(before, node=node)
        return self._has_same_form(before, now, ctx) and all(
            self._is_treated_alike(self._plan.tasks[index].wired.task, node_id, node)
            for index in self._tasks.get(node_id, ())
            if self._plan.tasks[index].wired.kind is not Kind.SCALARS
        )

    def _has_same_form(self, before: LiveNode, now: LiveNode, ctx: EvalContext) -> bool:
        facts = self._plan.facts
        body, new_body = facts.bodies.get(now.id), body_of(now.node, now.input_specs)
        if (body is None) != (new_body is None):
            return False
        if body is not None and new_body is not None and not body.has_structure_of(new_body):
            return False
        region = facts.regions[now.id]
        if not region.is_told:
            return True
        window = region.region.output
        return _inside(windows_read(now, new_body, window, ctx), now) == _inside(
            windows_read(before, body, window, ctx), before
        )

    def _is_treated_alike(self, task: Task, node_id: int, node: Node) -> bool:
        """Return whether backends take the task with the other node as they took it before."""
        nodes = tuple(node if i == node_id else n for i, n in zip(task.node_ids, task.nodes, strict=True))
        other = replace(task, nodes=nodes)
        topology = self._plan.topology
        for entry in topology.entries:
            if (why_not(entry, task) is None) != (why_not(entry, other) is None):
                return False
            if why_not(entry, task) is None and price(entry, task, topology) != price(entry, other, topology):
                return False
        return True


def _inside(windows: tuple[Window | None, ...] | None, each: LiveNode) -> tuple[Window | None, ...] | None:
    """Return what is read of each input, cut off at the edge of its picture."""
    if windows is None:
        return None
    sizes = [spec.picture_px for spec in each.input_specs]
    return tuple(
        window if window is None or size is None else window.intersect(Window(0, 0, *size))
        for window, size in zip(windows, sizes, strict=True)
    )
