"""The account of a plan as plain data: what ``to_json`` writes, and what text and pictures are made of.

Every node of the plan appears with its pick, the reason, what each backend that can run it would cost, and every other
backend with why it was not chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from unshape_backend.availability import Available
from unshape_backend.cost import Cost
from unshape_backend.decision import Decision
from unshape_backend.identity import REFERENCE
from unshape_backend.plan.assign import host_decision
from unshape_backend.plan.infer import LiveNode
from unshape_backend.plan.steps import GivenStep, PlanStep, TaskStep, TransferStep
from unshape_backend.plan.wiring import ValueId, is_alias, is_given, is_transfer
from unshape_backend.task import RejectionCode
from unshape_backend.topology import BackendEntry
from unshape_core.spec import ValueSpec
from unshape_core.window import Window

if TYPE_CHECKING:
    from unshape_backend.plan.plan import Plan

JSON_VERSION = 1
Json: TypeAlias = dict[str, Any]


def describe_plan(plan: Plan) -> Json:
    """Return a plan as data that JSON can hold."""
    ctx = plan.facts.ctx
    numbers = {id(step): index for index, step in enumerate(plan.steps)}
    return {
        "version": JSON_VERSION,
        "policy": str(plan.policy),
        "resolution_px": list(ctx.resolution),
        "window_px": _window(ctx.window),
        "precision": ctx.precision,
        "topology": plan.topology.number,
        "estimate": _cost(plan.cost),
        "backends": [_backend(entry) for entry in plan.topology.entries],
        "unopened": {name: str(why) for name, why in plan.topology.unopened.items()},
        "nodes": [_node(each, plan, numbers) for each in plan.facts.live.values()],
        "steps": [_step(step) for step in plan.steps],
        "outputs": {str(node_id): list(slots) for node_id, slots in plan.outputs.items()},
    }


def decision_for(each: LiveNode, plan: Plan) -> Decision:
    """Return the decision for a node; for one that computes nothing, that nothing has to be run."""
    decision = plan.decision_of(each.id)
    if decision is not None:
        return decision
    if is_given(each):
        reason = f"its value is given, in '{plan.given_space(each.id)}'"
    elif is_alias(each):
        reason = "it hands its input on"
    else:
        reason = "it says where its value has to be"
    return host_decision(plan.topology, reason, RejectionCode.LOCALITY, "nothing has to be run")


def _backend(entry: BackendEntry) -> Json:
    facts = entry.capabilities
    why = entry.why_unusable()
    return {
        "id": entry.id,
        "kind": str(facts.kind),
        "space": str(facts.space),
        "device": facts.device.name,
        "is_software": entry.is_software,
        "priority": entry.priority,
        "is_available": isinstance(entry.availability, Available) and why is None,
        "why_not": None if why is None else str(why),
    }


def _node(each: LiveNode, plan: Plan, numbers: Mapping[int, int]) -> Json:
    decision = decision_for(each, plan)
    step = plan.step_of(each.id)
    region = plan.facts.regions[each.id]
    if is_given(each):
        role = "given"
    elif is_alias(each):
        role = "handed on"
    else:
        role = "transfer" if is_transfer(each) else "computed"
    return {
        "id": each.id,
        "type": each.node.type_name,
        "role": role,
        "backend": decision.pick,
        "chain": list(decision.chain),
        "reason": decision.reason,
        "costs": {name: _cost(cost) for name, cost in decision.costs.items()},
        "rejected": {name: {"code": str(why.code), "detail": why.detail} for name, why in decision.rejected.items()},
        "step": None if step is None else numbers[id(step)],
        "fused_with": [] if step is None else [n for n in step.wired.task.node_ids if n != each.id],
        "outputs": [_spec(spec) for spec in each.output_specs],
        "window_px": _window(region.region.output) if region.is_told else None,
    }


def _step(step: PlanStep) -> Json:
    match step:
        case GivenStep():
            return {
                "kind": "given",
                "nodes": [step.node_id],
                "types": [step.type_name],
                "backend": REFERENCE,
                "space": str(step.space),
                "inputs": [],
                "outputs": list(step.output_slots),
            }
        case TaskStep():
            task = step.wired.task
            return {
                "kind": "excerpt" if step.is_excerpt else "task",
                "nodes": list(task.node_ids),
                "types": [node.type_name for node in task.nodes],
                "backend": step.backend,
                "space": str(step.space),
                "group": step.group,
                "estimate": _cost(step.cost),
                "inputs": list(step.input_slots),
                "outputs": list(step.output_slots),
                "values": [_value(value) for value in step.wired.outputs],
                "bytes": list(task.output_bytes),
            }
        case TransferStep():
            return {
                "kind": "transfer",
                "nodes": [step.value.node_id],
                "types": [],
                "backend": step.backend,
                "space": str(step.target),
                "group": step.group,
                "estimate": _cost(step.cost),
                "inputs": [step.input_slot],
                "outputs": [step.output_slot],
                "values": [_value(step.value)],
                "bytes": [step.nbytes],
                "from": str(step.source),
                "to": str(step.target),
                "path": str(step.path),
                "ordered_by": step.ordered_by,
            }


def _value(value: ValueId) -> str:
    return f"{value.node_id}:{value.port}"


def _spec(spec: ValueSpec) -> Json:
    return {
        "type": str(spec.value_type),
        "shape": None if spec.shape is None else list(spec.shape),
        "bytes": spec.nbytes,
    }


def _window(window: Window | None) -> list[int] | None:
    return None if window is None else [window.x_px, window.y_px, window.width_px, window.height_px]


def _cost(cost: Cost | None) -> Json | None:
    if cost is None:
        return None
    return {
        "compute_ns": cost.compute_ns,
        "launch_ns": cost.launch_ns,
        "transfer_ns": cost.transfer_ns,
        "total_ns": cost.total_ns,
        "basis": str(cost.basis),
    }
