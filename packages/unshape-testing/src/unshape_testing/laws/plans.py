"""Laws 7 and 23 to 26: what a plan promises, read off the plan."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from unshape_backend.candidates import why_not
from unshape_backend.capabilities import DeviceLimits, Feature
from unshape_backend.cost import Cost, CostBasis
from unshape_backend.errors import SelectionError
from unshape_backend.identity import REFERENCE, BackendId
from unshape_backend.nodes.transfer import Transfer
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.plan.steps import GivenStep, TaskStep, TransferStep
from unshape_backend.protocols import ComputeBackend
from unshape_backend.task import RejectionCode
from unshape_core.graph_file import graph_from_json, graph_to_json
from unshape_core.memory_space import HOST
from unshape_core.node_registry import NodeRegistry
from unshape_testing import nodes as testing_nodes
from unshape_testing.graphs import GraphCase, chain
from unshape_testing.laws.running import evaluator_of, plan_of, registry_of, run_case, values_of
from unshape_testing.nodes import BoxMean, Gain, Ramp
from unshape_testing.tasks import make_job
from unshape_testing.tolerance import assert_same_bits


def outline(plan: Plan) -> list[tuple[object, ...]]:
    """Return what a plan does, in a form that compares: who runs or moves what, over which slots, at what cost."""
    rows: list[tuple[object, ...]] = []
    for step in plan.steps:
        match step:
            case GivenStep():
                rows.append(("given", step.node_id, step.output_slots))
            case TaskStep():
                rows.append(
                    (
                        "task",
                        step.wired.task.node_ids,
                        step.decision.chain,
                        step.input_slots,
                        step.output_slots,
                        step.cost,
                    )
                )
            case TransferStep():
                rows.append(("transfer", step.value, step.source, step.target, step.input_slot, step.output_slot))
    return rows


def check_plan_is_pure(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    """Law 23: the same graph, topology, context and policy give the same plan, whatever was computed meanwhile."""
    registry = registry_of(*backends)
    first = plan_of(registry, case)
    run_case(evaluator_of(registry), case)
    assert outline(first) == outline(plan_of(registry, case)), f"{case.name}: planned twice, and differently"
    again = replace(case, graph=case.graph.copy())
    assert outline(first) == outline(plan_of(registry_of(*backends), again)), (
        f"{case.name}: a copy is planned differently"
    )


def check_cost_is_the_sum(plan: Plan) -> None:
    """Law 23: the cost of a plan is that of its steps, and unknown if one of them is."""
    total: Cost | None = Cost(basis=CostBasis.MEASURED)
    for step in plan.steps:
        if not isinstance(step, GivenStep):
            total = None if total is None or step.cost is None else total + step.cost
    assert plan.cost == total, f"expected {total}, got {plan.cost}"


def check_explanation_is_complete(plan: Plan) -> None:
    """Laws 7 and 25: every task has a pick and a reason, and every other backend its own; the pick leads its chain."""
    known = {*plan.topology.ids, *plan.topology.unopened}
    for step in plan.tasks:
        decision, name = step.decision, step.wired.task.node.type_name
        assert decision.chain, f"{name}: no pick"
        assert decision.pick == decision.chain[0] == step.backend, f"{name}: the pick does not lead its chain"
        assert len(set(decision.chain)) == len(decision.chain), f"{name}: one backend twice in {decision.chain}"
        assert decision.reason, f"{name}: no reason for {decision.pick}"
        others = known - {decision.pick}
        assert others == set(decision.rejected), f"{name}: expected reasons for {others}, got {set(decision.rejected)}"
        assert all(str(why) for why in decision.rejected.values()), f"{name}: a rejection without a reason"
        if REFERENCE in decision.chain:
            assert decision.chain.index(BackendId(REFERENCE)) in {0, len(decision.chain) - 1}
    text = plan.explain()
    for step in plan.tasks:
        assert step.wired.task.node.type_name in text, f"the account leaves out {step.wired.task.node.type_name}"
        assert step.decision.reason in text, f"the account leaves out why: {step.decision.reason}"
        for backend_id in step.decision.rejected:
            assert f"{backend_id}" in text, f"the account leaves out {backend_id}"


def check_pin_is_kept(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    """Law 7: what is pinned or named is never substituted: it runs there, or it is an error."""
    registry = registry_of(*backends)
    computing = [n for n in case.graph if not case.graph.node(n).type_name.startswith("core::")]
    for backend_id, node in itertools.product(registry.snapshot().ids, computing):
        try:
            plan = plan_of(registry, case, options=PlanOptions(pins={node: backend_id}))
        except SelectionError as error:
            _check_names(error, backend_id)
            continue
        assert plan.backend_of(node) in {backend_id, None}, f"node {node} was pinned to '{backend_id}'"
    for backend_id in registry.snapshot().ids:
        try:
            plan = plan_of(registry, case, f"named:{backend_id}")
        except SelectionError:
            continue
        used = {step.backend for step in plan.tasks if step.wired.task.array_count}
        assert used <= {backend_id}, f"'{backend_id}' was named, {used} are used"


def _check_names(error: SelectionError, backend_id: BackendId) -> None:
    assert str(backend_id) in str(error), f"expected the error to name '{backend_id}', got {error}"


def check_limits_are_kept_at_planning(backend: ComputeBackend) -> None:
    """Law 5: at each limit a task is placed, one beyond it is refused with a reason, before anything runs.

    Limits are lowered in what a registry knows of the backend, so every device can be asked.
    """
    case = chain((Ramp(1.0), Gain(2.0)))
    width_px, height_px = case.ctx.resolution
    picture_bytes = width_px * height_px * 3 * 4
    exact = DeviceLimits(max_buffer_bytes=picture_bytes, max_binding_bytes=picture_bytes, memory_budget_bytes=10**6)
    beyond = {
        RejectionCode.LIMIT: (
            replace(exact, max_buffer_bytes=picture_bytes - 1),
            replace(exact, max_binding_bytes=picture_bytes - 1),
            replace(exact, max_bindings=1),
        ),
        RejectionCode.MEMORY: (replace(exact, memory_budget_bytes=picture_bytes - 1),),
    }
    shape = (height_px, width_px, 3)
    job = make_job(Gain(2.0), (np.zeros(shape, np.float32),), case.ctx)
    if Feature.EXACT_F32 not in backend.capabilities.features:
        job = make_job(Gain(2.0), (np.zeros(shape, np.float32),), replace(case.ctx, precision="fast"))
    registry = registry_of(backend)
    registry.set_capabilities(replace(backend.capabilities, limits=exact))
    entry = registry.snapshot().entry(backend.id)
    assert why_not(entry, job.task) is None, f"at its limits '{backend.id}' was refused: {why_not(entry, job.task)}"
    for code, limits in beyond.items():
        for each in limits:
            registry.set_capabilities(replace(backend.capabilities, limits=each))
            why = why_not(registry.snapshot().entry(backend.id), job.task)
            assert why is not None, f"one beyond {each} '{backend.id}' was not refused"
            assert why.code is code, f"one beyond {each}: expected '{code}', got '{why}'"
            assert why.detail, f"one beyond {each}: a refusal without its figures"


def check_transfer_nodes_are_kept(backend: ComputeBackend) -> None:
    """Law 7: a transfer node of the graph is an order: the value is there, whatever it costs, and stays what it is."""
    plain = chain((Ramp(1.0), Gain(2.0), BoxMean(1)))
    ordered = chain((Ramp(1.0), Transfer(backend.id), Gain(2.0), Transfer(REFERENCE), BoxMean(1)))
    registry = registry_of(backend)
    plan = plan_of(registry, ordered)
    spaces = [order.space for order in plan.orders]
    assert set(spaces) == {backend.capabilities.space, HOST}, f"expected both orders to be kept, got {spaces}"
    expected = values_of(run_case(evaluator_of(registry_of()), plain))
    if Feature.EXACT_F32 in backend.capabilities.features:
        assert_same_bits(expected, values_of(run_case(evaluator_of(registry), ordered)), what="with transfer nodes")


def check_unavailable_changes_nothing(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    """Law 7: a backend that is not available never changes a decision."""
    without = registry_of()
    registry = registry_of(*backends)
    for backend in backends:
        registry.set_available(backend.id, is_available=False, reason="switched off by a test")
    plan = plan_of(registry, case)
    picks = [(step.wired.task.node_ids, step.backend) for step in plan.tasks]
    assert picks == [(step.wired.task.node_ids, step.backend) for step in plan_of(without, case).tasks]
    for step, backend in itertools.product(plan.tasks, backends):
        assert "switched off by a test" in str(step.decision.rejected[backend.id])


def check_never_worse_than_one_backend(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    """Law 24: no backend alone would be faster than the plan, by the plan's own estimate."""
    registry = registry_of(*backends)
    planned = plan_of(registry, case, "minimize-cost")
    assert planned.cost is not None, f"{case.name}: every backend here knows its costs"
    for backend_id in registry.snapshot().ids:
        try:
            alone = plan_of(registry, case, f"named:{backend_id}")
        except SelectionError:
            continue
        if alone.cost is not None:
            assert planned.cost.total_ns <= alone.cost.total_ns + _exit_ns(planned, alone), (
                f"{case.name}: planned {planned.cost}, '{backend_id}' alone {alone.cost}"
            )


def _exit_ns(planned: Plan, alone: Plan) -> int:
    """Return what bringing results to the host would add to a plan that leaves them on a device."""
    links = planned.topology.links
    total = 0
    for step in alone.tasks:
        for spec in step.wired.task.output_specs:
            cost = links.cost(step.space, planned.topology.space(BackendId(REFERENCE)), spec.nbytes)
            total += 0 if cost is None else cost.total_ns
    return total


def testing_node_registry() -> NodeRegistry:
    """Return a registry of node types that knows those of this package."""
    registry = NodeRegistry(points=tuple)
    for name in testing_nodes.__all__:
        if name != "ExpressionNode":
            registry.register(getattr(testing_nodes, name))
    return registry


def check_graph_file(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    """Law 26: a graph that was written and read has the same keys, the same plan and the same picture."""
    registry = registry_of(*backends)
    text = graph_to_json(case.graph)
    read = replace(case, graph=graph_from_json(text, registry=testing_node_registry()))
    assert graph_to_json(read.graph) == text, f"{case.name}: written again, the file is another one"
    assert outline(plan_of(registry, case)) == outline(plan_of(registry, read)), f"{case.name}: another plan"
    first, second = run_case(evaluator_of(registry), case), run_case(evaluator_of(registry), read)
    assert first.keys == second.keys, f"{case.name}: other keys"
    assert_same_bits(values_of(first), values_of(second), what=f"{case.name}, written and read")
