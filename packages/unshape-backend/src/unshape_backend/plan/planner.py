"""The planner: prune, infer, fuse, place, transfer, group.

A plan is a pure function of graph snapshot, topology, context, policy and options: the same five give the same plan.
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_backend.nodes.transfer import TransferNode
from unshape_backend.plan.analysis import analyse
from unshape_backend.plan.assign import assign
from unshape_backend.plan.clustering import cluster_nodes
from unshape_backend.plan.emit import emit
from unshape_backend.plan.inquiry import Inquiry
from unshape_backend.plan.layout import TransferOrder, lay_out
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.plan.tasks import TaskBuilder
from unshape_backend.plan.wiring import ValueId
from unshape_backend.scheduler import Scheduler
from unshape_backend.topology import Topology
from unshape_core.context import EvalContext
from unshape_core.memory_space import HOST
from unshape_core.snapshot import GraphSnapshot


def make_plan(
    snapshot: GraphSnapshot,
    outputs: Sequence[int],
    ctx: EvalContext,
    *,
    scheduler: Scheduler,
    topology: Topology | None = None,
    options: PlanOptions | None = None,
) -> Plan:
    """Return how the outputs of some nodes are computed.

    Parameters
    ----------
    snapshot : GraphSnapshot
        The graph.
    outputs : sequence of int
        The nodes asked for.
    ctx : EvalContext
        The circumstances: resolution, window, precision, and the specs of the inputs given.
    scheduler : Scheduler
        Knows the policy.
    topology : Topology, optional
        Who there is; the scheduler's of now if not given.
    options : PlanOptions, optional
        Pins, hints and where results have to be.

    Raises
    ------
    UnshapeError
        If inputs are missing or do not fit together.
    SelectionError
        If nobody can run a node, or not the backend that was named for it.
    """
    options = PlanOptions() if options is None else options
    topology = _topology(snapshot, scheduler, options) if topology is None else topology
    facts = analyse(snapshot, outputs, ctx)
    inquiry = Inquiry(scheduler, topology)
    builder = TaskBuilder(facts, options.hints)
    ports = {node_id: range(len(snapshot.outputs(node_id))) for node_id in outputs}
    asked = {n: tuple(facts.wiring.resolve(ValueId(n, port)) for port in ports[n]) for n in outputs}
    requested = tuple(dict.fromkeys(value for values in asked.values() for value in values))
    clusters = cluster_nodes(facts, requested, inquiry, options, builder)
    layout = lay_out(facts, clusters, requested, builder, topology)
    placed = assign(layout, inquiry, options)
    emission = emit(layout, placed, facts, topology, result_space=options.result_space)
    return Plan(
        steps=emission.steps,
        slot_count=emission.slot_count,
        constants=emission.constants,
        outputs={
            node_id: tuple(emission.result_slots[layout.results[value]] for value in values)
            for node_id, values in asked.items()
        },
        facts=facts,
        orders=tuple(unit for unit in layout.units if isinstance(unit, TransferOrder)),
        topology=topology,
        policy=scheduler.policy,
        options=options,
    )


def _topology(snapshot: GraphSnapshot, scheduler: Scheduler, options: PlanOptions) -> Topology:
    """Return who there is: whom the policy may choose, and whom pins, transfer nodes and the caller name besides."""
    is_elsewhere = options.result_space not in {None, HOST}
    names_a_place = is_elsewhere or any(isinstance(node, TransferNode) for node in snapshot.nodes.values())
    return scheduler.topology(beside=options.pins.values(), is_whole=names_a_place)
