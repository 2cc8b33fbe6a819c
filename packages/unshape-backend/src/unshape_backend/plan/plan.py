"""The plan: what runs where, in which order, and why. Immutable, and made of facts only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unshape_backend.cost import Cost, CostBasis
from unshape_backend.decision import Decision
from unshape_backend.identity import BackendId
from unshape_backend.plan.analysis import Analysis
from unshape_backend.plan.layout import TransferOrder
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.steps import GivenStep, PlanStep, TaskStep, TransferStep
from unshape_backend.policy import ExecutionPolicy
from unshape_backend.topology import Topology
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.value import Value


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a graph is computed.

    Parameters
    ----------
    steps : tuple of PlanStep
        In the order they run.
    slot_count : int
        Number of slots.
    constants : mapping of int to Value
        Slots of defaults.
    outputs : mapping of int to tuple of int
        For each node asked for, the slots of its output ports.
    facts : Analysis
        What is known of the graph.
    orders : tuple of TransferOrder
        The transfer nodes of the graph.
    topology : Topology
        Who there was.
    policy : ExecutionPolicy
        What was wanted.
    options : PlanOptions
        What else was wanted.
    """

    steps: tuple[PlanStep, ...]
    slot_count: int
    constants: Mapping[int, Value]
    outputs: Mapping[int, tuple[int, ...]]
    facts: Analysis
    orders: tuple[TransferOrder, ...]
    topology: Topology
    policy: ExecutionPolicy
    options: PlanOptions

    @cached_property
    def tasks(self) -> tuple[TaskStep, ...]:
        """The steps that compute something."""
        return tuple(step for step in self.steps if isinstance(step, TaskStep))

    @cached_property
    def transfers(self) -> tuple[TransferStep, ...]:
        """The steps that move a value."""
        return tuple(step for step in self.steps if isinstance(step, TransferStep))

    @cached_property
    def cost(self) -> Cost | None:
        """Sum of the costs of all steps; None if one of them is unknown."""
        total = Cost(basis=CostBasis.MEASURED)
        for step in self.steps:
            if isinstance(step, GivenStep):
                continue
            if step.cost is None:
                return None
            total += step.cost
        return total

    def step_of(self, node_id: int) -> TaskStep | None:
        """Return the step that computes a node as its own, None if nothing has to be computed."""
        return self._steps_by_node.get(node_id)

    def backend_of(self, node_id: int) -> BackendId | None:
        """Return who computes a node, None if nothing has to be computed."""
        step = self.step_of(node_id)
        return None if step is None else step.backend

    def decision_of(self, node_id: int) -> Decision | None:
        """Return the decision for the task that a node is part of."""
        step = self.step_of(node_id)
        return None if step is None else step.decision

    def given_space(self, node_id: int) -> MemorySpace:
        """Return where the value of a node is that is given."""
        return self.facts.given.get(node_id, HOST)

    def explain(self) -> str:
        """Return the account as text: what runs where, why there and not elsewhere, and what is moved."""
        from unshape_backend.plan.explain import explain

        return explain(self)

    def to_json(self) -> dict[str, Any]:
        """Return the account as data for JSON: every node with pick, reason, costs, rejections; every step."""
        from unshape_backend.plan.report import describe_plan

        return describe_plan(self)

    def to_svg(self) -> str:
        """Return the plan as an SVG picture: steps coloured by backend, transfers, sizes, a legend."""
        from unshape_backend.plan.picture_svg import plan_to_svg

        return plan_to_svg(self)

    def to_mermaid(self) -> str:
        """Return the plan as a Mermaid flowchart."""
        from unshape_backend.plan.picture_mermaid import plan_to_mermaid

        return plan_to_mermaid(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_mimebundle_(self, **_kwargs: object) -> dict[str, str]:
        return {"image/svg+xml": self.to_svg(), "text/vnd.mermaid": self.to_mermaid(), "text/plain": self.explain()}

    @cached_property
    def _steps_by_node(self) -> Mapping[int, TaskStep]:
        found: dict[int, TaskStep] = {}
        for step in self.tasks:
            if step.is_excerpt:
                continue
            last = step.wired.task.node_ids[-1]
            found[last] = step
            for node_id in step.wired.task.node_ids:
                found.setdefault(node_id, step)
        return found
