"""Clustering: fusion that no device has to refuse and that no kernel makes a loss.

Fusion is tried, the devices are asked, and where one refuses a cluster although it would run the nodes, it is tried
again with smaller clusters. Nodes that different backends can run are not fused, so that one node without a kernel does
not keep its neighbours from a device.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

from unshape_backend.plan.analysis import Analysis
from unshape_backend.plan.fuse import Cluster, fuse
from unshape_backend.plan.fusible import FusionRules, Kind, describe_work
from unshape_backend.plan.inquiry import Inquiry
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.tasks import TaskBuilder, WiredTask
from unshape_backend.plan.wiring import ValueId

_MAX_ROUNDS = 12


def cluster_nodes(
    facts: Analysis, requested: Sequence[ValueId], inquiry: Inquiry, options: PlanOptions, builder: TaskBuilder
) -> list[Cluster]:
    """Return the clusters of all nodes that compute something, each after what it needs.

    Parameters
    ----------
    facts : Analysis
        What is known of the graph.
    requested : sequence of ValueId
        Values that the caller wants.
    inquiry : Inquiry
        Whom to ask.
    options : PlanOptions
        Pins, and whether anything is fused.
    builder : TaskBuilder
        Makes tasks to ask about.
    """
    chooser = _TunedKernels(facts, inquiry, builder)
    rules = FusionRules(
        is_enabled=options.is_fusion_enabled,
        max_arrays=inquiry.max_arrays,
        classes=dict(options.pins),
        may_fuse=chooser.may_fuse,
    )
    clusters = fuse(describe_work(facts, rules), requested, rules)
    for _ in range(_MAX_ROUNDS):
        classes: dict[int, Hashable] = {}
        breaks: set[int] = set()
        for cluster in clusters:
            _find_fault(cluster, builder, inquiry, classes, breaks)
        if not classes and not breaks:
            break
        pinned: Mapping[int, Hashable] = rules.classes
        merged = {**pinned, **{n: (pinned.get(n), supporters) for n, supporters in classes.items()}}
        rules = replace(rules, classes=merged, breaks=rules.breaks | breaks)
        clusters = fuse(describe_work(facts, rules), requested, rules)
    return clusters


def _find_fault(
    cluster: Cluster, builder: TaskBuilder, inquiry: Inquiry, classes: dict[int, Hashable], breaks: set[int]
) -> None:
    """Note how a cluster has to be cut, if a backend refuses it that would run its nodes."""
    if len(cluster.node_ids) == 1:
        return
    wired = builder.build(cluster)
    if wired.kind is not Kind.PICTURES:
        return
    refusers = inquiry.refusers(wired.task)
    if not refusers:
        return
    members = cluster.own_ids
    supporters = {node_id: inquiry.supporters(builder.build_single(node_id).task) for node_id in members}
    if not any(refusers & each for each in supporters.values()):
        return
    if len(set(supporters.values())) > 1:
        classes.update(supporters)
    elif len(members) > 1:
        breaks.add(members[len(members) // 2])


class _TunedKernels:
    """Keeps nodes apart for which a backend has a kernel of its own, where that is faster than the fused expression.

    Two such nodes are fused only if the cheapest estimate of both together is no dearer than the cheapest estimate of
    one after the other; what is not estimated is not fused.
    """

    def __init__(self, facts: Analysis, inquiry: Inquiry, builder: TaskBuilder) -> None:
        self._facts, self._inquiry, self._builder = facts, inquiry, builder
        self._own: dict[str, bool] = {}
        self._pairs: dict[tuple[int, int], bool] = {}
        self._forms: dict[Hashable, bool] = {}

    def may_fuse(self, producer: int, consumer: int) -> bool:
        if not (self._has_own(producer) or self._has_own(consumer)):
            return True
        pair = (producer, consumer)
        answer = self._pairs.get(pair)
        if answer is None:
            answer = self._pairs[pair] = self._pays_as_alike_pairs(producer, consumer)
        return answer

    def _pays_as_alike_pairs(self, producer: int, consumer: int) -> bool:
        """Return whether fusing pays, asked once for all pairs of equal types, expressions, sizes and wires."""
        wires = tuple([value.node_id == producer for value in self._facts.wiring.inputs[consumer]])
        alike = (self._form(producer), self._form(consumer), wires)
        answer = self._forms.get(alike)
        if answer is None:
            answer = self._forms[alike] = self._pays(producer, consumer)
        return answer

    def _form(self, node_id: int) -> Hashable:
        task = self._builder.build_single(node_id).task
        kernel = None if task.kernel is None else task.kernel.key
        return task.node.type_name, kernel, task.region.output, task.input_specs, task.output_specs

    def _has_own(self, node_id: int) -> bool:
        type_name = self._facts.live[node_id].node.type_name
        found = self._own.get(type_name)
        if found is None:
            found = self._own[type_name] = self._inquiry.has_own_kernel(type_name)
        return found

    def _pays(self, producer: int, consumer: int) -> bool:
        first, second = (self._costs(self._builder.build_single(node_id)) for node_id in (producer, consumer))
        outputs = tuple(ValueId(consumer, port) for port in range(len(self._facts.live[consumer].output_specs)))
        together = self._costs(self._builder.build(Cluster(node_ids=(producer, consumer), outputs=outputs)))
        apart = [first[each] + second[each] for each in first.keys() & second.keys()]
        return bool(apart) and bool(together) and min(together.values()) <= min(apart)

    def _costs(self, wired: WiredTask) -> dict[str, int]:
        return {name: cost.total_ns for name, cost in self._inquiry.costs(wired.task).items()}
