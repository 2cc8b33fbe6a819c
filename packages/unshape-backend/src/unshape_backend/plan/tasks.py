"""Tasks: clusters of nodes made ready to be placed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unshape_backend.plan.analysis import Analysis
from unshape_backend.plan.bodies import NodeBody, SlotValues
from unshape_backend.plan.excerpt import Excerpt
from unshape_backend.plan.fuse import Cluster
from unshape_backend.plan.fused_expression import fuse_expressions
from unshape_backend.plan.fusible import Kind, kind_of
from unshape_backend.plan.infer import LiveNode, is_unknown
from unshape_backend.plan.slot_values import KernelSlots, slot_sources
from unshape_backend.plan.wiring import ValueId
from unshape_backend.plan.work_estimate import estimate_work
from unshape_backend.task import Task
from unshape_core.context import ContextField
from unshape_core.protocols import Node
from unshape_core.spec import Region, ValueSpec
from unshape_core.window import Window
from unshape_core.workload import WorkloadHint
from unshape_expr.kernel import Kernel
from unshape_expr.lower import lower
from unshape_expr.simplify import simplify


@dataclass(frozen=True, slots=True, kw_only=True)
class WiredTask:
    """A task, and which values of the graph go in and out.

    Parameters
    ----------
    task : Task
        The work.
    inputs, outputs : tuple of ValueId
        One for each of the task's inputs and outputs.
    kind : Kind
        Whether it computes scalars from scalars, which every device leaves to the host.
    is_late : bool
        Whether the shape of something depends on data, so that the task is made ready when it runs.
    """

    task: Task
    inputs: tuple[ValueId, ...]
    outputs: tuple[ValueId, ...]
    kind: Kind
    is_late: bool = False

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """The context fields that the outputs depend on."""
        return frozenset().union(*(node.context_fields for node in self.task.nodes))


class TaskBuilder:
    """Makes tasks of clusters.

    Parameters
    ----------
    facts : Analysis
        What is known of the graph.
    hints : mapping of int to WorkloadHint
        What the caller knows better of the work of some nodes.
    """

    def __init__(self, facts: Analysis, hints: Mapping[int, WorkloadHint]) -> None:
        self._live, self._wiring, self._bodies, self._regions = facts.live, facts.wiring, facts.bodies, facts.regions
        self._ctx, self._hints = facts.ctx, hints
        self._built: dict[object, WiredTask] = {}

    def build(self, cluster: Cluster) -> WiredTask:
        """Return the task of a cluster; the same object if it was built before."""
        key = (cluster.node_ids, cluster.outputs) if len(cluster.node_ids) > 1 else cluster.node_ids
        built = self._built.get(key)
        if built is None:
            members = [self._live[node_id] for node_id in cluster.node_ids]
            built = self._single(members[0]) if len(members) == 1 else self._fused(members, cluster)
            self._built[key] = built
        return built

    def build_single(self, node_id: int) -> WiredTask:
        """Return the task of one node by itself."""
        return self.build(Cluster(node_ids=(node_id,), outputs=()))

    def excerpt(self, value: ValueId, spec: ValueSpec, window: Window) -> WiredTask:
        """Return the task that cuts a result to a window."""
        region = Region(window, (self._held(value, spec),), (spec,), (spec,))
        node = Excerpt(spec.value_type)
        task = Task(
            nodes=(node,),
            node_ids=(value.node_id,),
            input_specs=(spec,),
            output_specs=(spec,),
            region=region,
            kernel=None,
            input_names=("value",),
            precision=self._ctx.precision,
            workload=estimate_work(node, (spec,), (spec,), region, None),
            slot_values=_no_slots,
        )
        return WiredTask(task=task, inputs=(value,), outputs=(value._replace(is_excerpt=True),), kind=Kind.ALONE)

    def _single(self, each: LiveNode) -> WiredTask:
        """Make a task that has all inputs and outputs of the node in port order, as kernels for its type expect."""
        expression: _Expression | None = None
        body = self._bodies.get(each.id)
        if body is not None:
            exprs = simplify(body.outputs)
            expression = _Expression(lower(exprs).kernel, self._slots([each], [body], slot_sources(exprs, [body])))
        ends = _Ends(
            inputs=self._wiring.inputs[each.id],
            specs=each.input_specs,
            names=tuple(port.name for port in each.inputs),
            outputs=tuple(ValueId(each.id, port) for port in range(len(each.output_specs))),
        )
        return self._task([each], ends, expression)

    def _fused(self, members: list[LiveNode], cluster: Cluster) -> WiredTask:
        bodies = [body for each in members if (body := self._bodies.get(each.id)) is not None]
        fused = fuse_expressions(members, bodies, self._wiring.inputs, cluster.outputs)
        kernel = lower(fused.outputs).kernel
        used = {use.port for use in kernel.inputs}
        inputs = tuple(value for value, name in fused.inputs.items() if name in used)
        specs = {
            value: spec
            for each in members
            for value, spec in zip(self._wiring.inputs[each.id], each.input_specs, strict=True)
        }
        ends = _Ends(
            inputs=inputs,
            specs=tuple(specs[value] for value in inputs),
            names=tuple(fused.inputs[value] for value in inputs),
            outputs=cluster.outputs,
        )
        slots = self._slots(members, bodies, slot_sources(fused.outputs, bodies))
        return self._task(members, ends, _Expression(kernel, slots))

    def _slots(
        self, members: list[LiveNode], bodies: list[NodeBody], sources: tuple[tuple[int, int], ...]
    ) -> KernelSlots:
        known = tuple((each.node, each.input_specs, body) for each, body in zip(members, bodies, strict=True))
        return KernelSlots(members=known, sources=sources, recent=self._bodies.recent)

    def _task(self, members: list[LiveNode], ends: _Ends, expression: _Expression | None) -> WiredTask:
        last = members[-1]
        output_specs = tuple(self._live[value.node_id].output_specs[value.port] for value in ends.outputs)
        held = tuple(self._held(value, spec) for value, spec in zip(ends.inputs, ends.specs, strict=True))
        region = Region(self._regions[last.id].region.output, held, ends.specs, output_specs)
        kernel = None if expression is None else expression.kernel
        hint = self._hints.get(last.id)
        task = Task(
            nodes=tuple(each.node for each in members),
            node_ids=tuple(each.id for each in members),
            input_specs=ends.specs,
            output_specs=output_specs,
            region=region,
            kernel=kernel,
            input_names=ends.names,
            precision=self._ctx.precision,
            workload=estimate_work(last.node, ends.specs, output_specs, region, kernel) if hint is None else hint,
            slot_values=_no_slots if expression is None else expression.slots,
        )
        return WiredTask(
            task=task,
            inputs=ends.inputs,
            outputs=ends.outputs,
            kind=kind_of(last, self._bodies.get(last.id)),
            is_late=any(map(is_unknown, (*ends.specs, *output_specs))),
        )

    def _held(self, value: ValueId, spec: ValueSpec) -> Window | None:
        """Return which part of a picture is there to be read."""
        if spec.picture_px is None:
            return None
        if value.is_default:
            return Window.whole(width_px=spec.picture_px[0], height_px=spec.picture_px[1])
        return self._regions[value.node_id].region.output


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
    """What goes in and out of a task."""

    inputs: tuple[ValueId, ...]
    specs: tuple[ValueSpec, ...]
    names: tuple[str, ...]
    outputs: tuple[ValueId, ...]


@dataclass(frozen=True, slots=True)
class _Expression:
    """What a task of body nodes computes."""

    kernel: Kernel
    slots: KernelSlots


def _no_slots(_nodes: tuple[Node, ...]) -> SlotValues:
    return ()
