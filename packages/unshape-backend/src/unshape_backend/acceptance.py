"""Acceptance: whether a plan still holds when a node's parameters change.

Moving a slider must not plan anew. A plan holds as long as specs, windows and the structure of expressions stay the
same, and every backend says the same of the task as before: whether it can run it, and what that costs. What is known
of the plan is worked out at the first change and kept, so that a change costs what is new about it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from unshape_backend.candidates import price, why_not_supported
from unshape_backend.cost import Cost
from unshape_backend.limits import Extent, exceeded_limit
from unshape_backend.plan.bodies import body_of
from unshape_backend.plan.demand import windows_read
from unshape_backend.plan.expression_form import ExpressionForm
from unshape_backend.plan.fusible import Kind
from unshape_backend.plan.infer import LiveNode
from unshape_backend.plan.literal_readers import LiteralReaders
from unshape_backend.plan.plan import Plan
from unshape_backend.plan.steps import TaskStep
from unshape_backend.task import RejectionCode
from unshape_backend.topology import BackendEntry
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.window import Window
from unshape_expr.body import Body
from unshape_expr.shared_bodies import keep_body, shared_bodies


@dataclass(frozen=True, slots=True)
class _Treatment:
    """How a backend takes a task: whether it runs it, and at what cost."""

    entry: BackendEntry
    is_supported: bool
    cost: Cost | None


class Acceptance:
    """Answers for one plan.

    Parameters
    ----------
    plan : Plan
        The plan.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._steps: dict[int, list[TaskStep]] = {}
        for step in plan.tasks:
            if step.wired.kind is not Kind.SCALARS:
                for node_id in step.wired.task.node_ids:
                    self._steps.setdefault(node_id, []).append(step)
        self._readers = LiteralReaders()
        self._forms: dict[int, ExpressionForm] = {}
        self._windows: dict[int, tuple[Window | None, ...] | None] = {}
        self._treatments: dict[int, list[_Treatment]] = {}

    def __call__(self, node_id: int, node: Node, ctx: EvalContext) -> bool:
        """Return whether the plan is the one that would be made with that node in its place."""
        before = self._plan.facts.live[node_id]
        with shared_bodies():
            is_known = self._is_known_form(before, node)
            if tuple(node.infer(before.input_specs, ctx)) != before.output_specs:
                return False
            if not is_known and not self._has_same_form(before, replace(before, node=node), ctx):
                return False
        return all(self._is_treated_alike(step, node_id, node) for step in self._steps.get(node_id, ()))

    def _is_known_form(self, before: LiveNode, node: Node) -> bool:
        """Return whether the node's literals could be read without building its body; sizes then follow from the form.

        What a body reads at computed positions depends on its literals, so such a body is built.
        """
        bodies = self._plan.facts.bodies
        body = bodies.get(before.id)
        if body is None or body.reads_elsewhere:
            return False
        values = self._readers.read(before.id, node)
        if values is None:
            return False
        bodies.recent.keep(node, before.input_specs, values)
        keep_body(node, before.input_specs, Body(body.outputs, body.uses, body.order), is_form=True)
        return True

    def _has_same_form(self, before: LiveNode, now: LiveNode, ctx: EvalContext) -> bool:
        facts = self._plan.facts
        body, new_body = facts.bodies.get(now.id), body_of(now.node, now.input_specs)
        if body is None or new_body is None:
            if body is not new_body:
                return False
        else:
            form = self._forms.get(now.id)
            if form is None:
                form = self._forms[now.id] = ExpressionForm(body.outputs, body.order)
            if not form.is_of(new_body.outputs, new_body.order):
                return False
            facts.bodies.recent.keep(now.node, now.input_specs, new_body.slot_values)
            if not body.reads_elsewhere:
                self._readers.learn(now, new_body, form)
        region = facts.regions[now.id]
        if not region.is_told:
            return True
        window = region.region.output
        if now.id not in self._windows:
            self._windows[now.id] = _inside(windows_read(before, body, window, ctx), before)
        return _inside(windows_read(now, new_body, window, ctx), now) == self._windows[now.id]

    def _is_treated_alike(self, step: TaskStep, node_id: int, node: Node) -> bool:
        """Return whether backends take the task with the other node as they took it before."""
        task, topology = step.wired.task, self._plan.topology
        treatments = self._treatments.get(id(step))
        if treatments is None:
            treatments = self._treatments[id(step)] = self._treatments_of(step)
        nodes = tuple([node if i == node_id else n for i, n in zip(task.node_ids, task.nodes, strict=True)])
        other = replace(task, nodes=nodes)
        for before in treatments:
            if (why_not_supported(before.entry, other) is None) != before.is_supported:
                return False
            if before.is_supported and price(before.entry, other, topology) != before.cost:
                return False
        return True

    def _treatments_of(self, step: TaskStep) -> list[_Treatment]:
        """Return how backends take a task now, without those that are out of the question whatever its parameters."""
        task, topology, rejected = step.wired.task, self._plan.topology, step.decision.rejected
        extent = Extent.of(task)
        treatments: list[_Treatment] = []
        for entry in topology.entries:
            why = rejected.get(entry.id)
            if why is not None and why.code is RejectionCode.NOT_PINNED:
                continue
            if entry.why_unusable() is not None or exceeded_limit(entry, extent) is not None:
                continue
            is_supported = why_not_supported(entry, task) is None
            treatments.append(_Treatment(entry, is_supported, price(entry, task, topology) if is_supported else None))
        return treatments


def _inside(windows: tuple[Window | None, ...] | None, each: LiveNode) -> tuple[Window | None, ...] | None:
    """Return what is read of each input, cut off at the edge of its picture."""
    if windows is None:
        return None
    sizes = [spec.picture_px for spec in each.input_specs]
    return tuple(
        [
            window if window is None or size is None else window.intersect(Window(0, 0, *size))
            for window, size in zip(windows, sizes, strict=True)
        ]
    )
