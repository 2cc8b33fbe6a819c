"""What is fused with what, and that the bits do not notice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.config import Settings
from unshape_backend.cost import Cost
from unshape_backend.executor import backend_evaluator
from unshape_backend.identity import CPU_SIMD, BackendId
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.nodes import Add, Fraction, Multiply
from unshape_backend.plan.fuse import fuse
from unshape_backend.plan.fusible import MAX_PICTURE_INSTRUCTIONS, MAX_SCALAR_NODES, FusionRules, Kind, Work
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.wiring import ValueId
from unshape_backend.registry import BackendRegistry
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.context import ContextField, EvalContext
from unshape_core.memory_space import HOST
from unshape_core.nodes import Constant, GraphInput, GraphOutput
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, TEXTURE
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.build import pixel_x, to_f32
from unshape_expr.ir import Expr
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import UNFUSED, GraphBuilder, arrays_of, clusters_of, plan_graph
from unshape_testing.nodes import BoxMean, Gain, Merge, Ramp, ScalarMix, Wobble


def test_a_chain_of_pointwise_nodes_is_one_task(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    ids = build.chain(build.photo(), [Gain(1.5), Gain(0.5, 0.1), Gain(-1.0)])
    plan = plan_graph(build.graph, ids[-1:], ctx, registry)
    assert [tuple(ids)] == clusters_of(plan)
    assert (ValueId(ids[-1], 0),) == plan.tasks[0].wired.outputs


def test_a_fused_chain_has_the_bits_of_its_steps_in_float32(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    ids = build.chain(build.photo(), [Gain(1.7, 0.3), Gain(0.6, -0.2)])
    first = photo * np.float32(1.7) + np.float32(0.3)
    expected = first * np.float32(0.6) + np.float32(-0.2)
    (fused,) = arrays_of(build.graph, ids[-1:], ctx, registry)
    assert np.array_equal(expected, fused)


def test_a_neighbourhood_node_separates_clusters(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    a, b, c, d = build.chain(build.photo(), [Gain(), BoxMean(), Gain(), Gain()])
    assert [(a,), (b,), (c, d)] == clusters_of(plan_graph(build.graph, [d], ctx, registry))


def test_a_picture_that_is_sampled_is_stored_before(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    a, b, c = build.chain(build.photo(), [Gain(), Wobble(), Gain()])
    assert [(a,), (b, c)] == clusters_of(plan_graph(build.graph, [c], ctx, registry))


def test_what_a_blur_and_a_fused_node_read_is_computed_once_and_stored_as_one_more_output(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    a = build.add(Gain(), build.photo())
    b = build.add(Gain(3.0), a)
    blurred = build.add(BoxMean(), a)
    end = build.add(Merge(), b, blurred)
    plan = plan_graph(build.graph, [end], ctx, registry)
    computed = [node_id for cluster in clusters_of(plan) for node_id in cluster]
    assert sorted([a, b, blurred, end]) == sorted(computed)
    first = plan.tasks[0].wired
    assert a in first.task.node_ids
    assert ValueId(a, 0) in first.outputs


def test_no_cycle_arises_where_a_consumer_needs_a_detour_through_a_blur(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    a = build.add(Gain(), build.photo())
    end = build.add(Merge(), a, build.add(BoxMean(), a))
    clusters = clusters_of(plan_graph(build.graph, [end], ctx, registry))
    assert not any(a in cluster and end in cluster for cluster in clusters)


def test_what_the_caller_asks_for_is_stored(build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry) -> None:
    a, b = build.chain(build.photo(), [Gain(), Gain(3.0)])
    plan = plan_graph(build.graph, [b, a], ctx, registry)
    assert {ValueId(a, 0), ValueId(b, 0)} == {value for step in plan.tasks for value in step.wired.outputs}
    assert [(a, b)] == clusters_of(plan)


def test_a_gradient_is_computed_again_by_each_of_its_readers(build: GraphBuilder, registry: BackendRegistry) -> None:
    gradient = build.add(_Gradient())
    left = build.add(BoxMean(), build.add(Fraction(TEXTURE), gradient))
    right = build.add(Add(TEXTURE), gradient, left)
    plan = plan_graph(build.graph, [right], EvalContext(resolution=(8, 8)), registry)
    assert sum(gradient in cluster for cluster in clusters_of(plan)) == 2
    assert all(ValueId(gradient, 0) not in step.wired.outputs for step in plan.tasks)


def test_a_dear_generator_is_computed_once(build: GraphBuilder, registry: BackendRegistry) -> None:
    ramp = build.add(Ramp())
    blurred = build.add(BoxMean(), ramp)
    end = build.add(Merge(), ramp, blurred)
    plan = plan_graph(build.graph, [end], EvalContext(resolution=(8, 8)), registry)
    assert sum(ramp in cluster for cluster in clusters_of(plan)) == 1


def test_the_sum_of_twelve_inputs_respects_a_limit_of_eight_bindings(
    build: GraphBuilder, photo: npt.NDArray[Any]
) -> None:
    registry = BackendRegistry.with_cpu(settings=Settings())
    registry.register(FakeBackend("gpu", cost=1, limits=DeviceLimits(max_bindings=8)))
    inputs = [build.graph.add_node(GraphInput(f"p{k}", TEXTURE)) for k in range(12)]
    total = inputs[0]
    for each in inputs[1:]:
        total = build.add(Add(TEXTURE), total, each)
    given = {f"p{k}": photo * np.float32(k + 1) for k in range(12)}
    ctx = EvalContext(resolution=(24, 16), inputs=given)
    plan = plan_graph(build.graph, [total], ctx, registry, policy="prefer:gpu")
    assert {"gpu"} == {step.backend for step in plan.tasks}
    assert max(step.wired.task.array_count for step in plan.tasks) <= 8
    assert len(plan.tasks) < 11
    expected = given["p0"]
    for k in range(1, 12):
        expected = expected + given[f"p{k}"]
    assert np.array_equal(expected, arrays_of(build.graph, [total], ctx, registry, policy="prefer:gpu")[0])


def test_twelve_pointwise_nodes_of_which_one_lacks_a_kernel_are_moved_at_most_twice(build: GraphBuilder) -> None:
    registry = BackendRegistry.with_cpu(settings=Settings())

    def supports(task: Task) -> Rejection | None:
        lacking = any(isinstance(node, Wobble) for node in task.nodes)
        return Rejection(RejectionCode.NO_KERNEL, "no") if lacking else None

    registry.register(FakeBackend("gpu", cost=lambda task: Cost(compute_ns=1000), supports=supports))
    nodes = [Wobble() if k == 6 else Gain(1.0 + k) for k in range(12)]
    end = build.chain(build.add(Ramp()), nodes)[-1]
    ctx = EvalContext(resolution=(64, 64))
    for policy in ("auto", "minimize-cost"):
        assert len(plan_graph(build.graph, [end], ctx, registry, policy=policy).transfers) <= 2


def test_a_cluster_that_a_device_refuses_although_it_runs_its_nodes_is_cut(
    build: GraphBuilder, ctx: EvalContext
) -> None:
    registry = BackendRegistry.with_cpu(settings=Settings())

    def supports(task: Task) -> Rejection | None:
        return Rejection(RejectionCode.LIMIT, "three nodes at most") if len(task.nodes) > 3 else None

    registry.register(FakeBackend("gpu", cost=1, supports=supports))
    ids = build.chain(build.photo(), [Gain(1.0 + k) for k in range(10)])
    plan = plan_graph(build.graph, ids[-1:], ctx, registry, policy="prefer:gpu")
    assert {"gpu"} == {step.backend for step in plan.tasks}
    assert max(map(len, clusters_of(plan))) <= 3
    assert ids == [node_id for cluster in clusters_of(plan) for node_id in cluster]


def test_nodes_that_different_backends_can_run_are_not_fused(build: GraphBuilder, ctx: EvalContext) -> None:
    registry = BackendRegistry.with_cpu(settings=Settings())

    def supports(task: Task) -> Rejection | None:
        return Rejection(RejectionCode.NO_KERNEL, "no") if any(isinstance(n, Merge) for n in task.nodes) else None

    registry.register(FakeBackend("gpu", cost=1, supports=supports))
    a, b = build.chain(build.photo(), [Gain(), Gain(2.0)])
    c = build.add(Merge(), b, b)
    d = build.add(Gain(3.0), c)
    clusters = clusters_of(plan_graph(build.graph, [d], ctx, registry, policy="prefer:gpu"))
    assert [(a, b), (c,), (d,)] == clusters


@pytest.mark.parametrize(("kernel_ns", "is_apart"), [(100, True), (9_000, False)])
def test_a_node_with_a_kernel_of_its_own_is_fused_only_if_that_is_no_dearer(
    build: GraphBuilder, ctx: EvalContext, kernel_ns: int, is_apart: bool
) -> None:
    registry = BackendRegistry.with_cpu(settings=Settings())
    simd = _Tuned(kernel_ns)
    registry.register(simd)
    registry.register_kernel(Gain, backend="simd", function=lambda node, inputs, ctx: None)
    a, b = build.chain(build.photo(), [Gain(), Merge()])
    build.graph.connect(a, 0, b, 1)
    clusters = clusters_of(plan_graph(build.graph, [b], ctx, registry))
    assert ([(a,), (b,)] if is_apart else [(a, b)]) == clusters


def test_numbers_are_computed_in_clusters_of_bounded_size(build: GraphBuilder, registry: BackendRegistry) -> None:
    x = build.graph.add_node(GraphInput("x", F32, 1.0))
    ids = build.chain(x, [Multiply() for _ in range(100)])
    sizes = [len(cluster) for cluster in clusters_of(plan_graph(build.graph, ids[-1:], EvalContext(), registry))]
    assert sum(sizes) == 100
    assert max(sizes) <= MAX_SCALAR_NODES


def test_a_constant_that_numbers_are_computed_from_is_part_of_their_kernel(
    build: GraphBuilder, registry: BackendRegistry
) -> None:
    c = build.graph.add_node(Constant(2.0))
    x = build.graph.add_node(GraphInput("x", F32, 1.0))
    end = build.add(Multiply(), x, c)
    assert [(c, end)] == clusters_of(plan_graph(build.graph, [end], EvalContext(), registry))


def test_equal_nodes_keep_their_own_parameters_when_one_is_changed(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    """Two equal nodes have two literals each: sharing them would change both."""
    node = Gain(2.0)
    a, b = build.chain(build.photo(), [node, node])
    evaluator = backend_evaluator(registry=registry)
    evaluator.evaluate(build.graph, [b], ctx)
    build.graph.replace_node(a, Gain(3.0))
    (result,) = evaluator.evaluate(build.graph, [b], ctx).outputs[0]
    assert np.array_equal(photo * np.float32(3.0) * np.float32(2.0), result)


def test_a_long_chain_of_pictures_is_cut_by_the_number_of_operations(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    ids = build.chain(build.photo(), [Gain(1.0 + k / 1000) for k in range(400)])
    plan = plan_graph(build.graph, ids[-1:], ctx, registry)
    assert len(plan.tasks) > 1
    for step in plan.tasks:
        assert step.wired.task.kernel is not None
        assert len(step.wired.task.kernel.body) <= MAX_PICTURE_INSTRUCTIONS


def test_an_output_in_the_middle_does_not_stop_fusion(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    a = build.add(Gain(), build.photo())
    named = build.add(GraphOutput("half", TEXTURE), a)
    b = build.add(Gain(2.0), named)
    plan = plan_graph(build.graph, [b, named], ctx, registry)
    assert [(a, b)] == clusters_of(plan)
    assert {named, b} == set(plan.outputs)


def test_pinned_and_free_nodes_are_not_fused(build: GraphBuilder, ctx: EvalContext) -> None:
    registry = BackendRegistry.with_cpu(settings=Settings())
    registry.register(FakeBackend("gpu", cost=1))
    a, b = build.chain(build.photo(), [Gain(), Gain()])
    plan = plan_graph(build.graph, [b], ctx, registry, options=PlanOptions(pins={a: BackendId("gpu")}))
    assert [(a,), (b,)] == clusters_of(plan)
    assert plan.backend_of(a) == "gpu"


@st.composite
def works(draw: st.DrawFn) -> dict[int, Work]:
    """Random graphs of nodes that may fuse with some of their inputs."""
    found: dict[int, Work] = {}
    for node_id in range(draw(st.integers(1, 14))):
        reads = tuple(ValueId(n, 0) for n in draw(st.sets(st.integers(0, node_id - 1), max_size=3))) if node_id else ()
        outer = ValueId(100 + draw(st.integers(0, 5)), 0)
        kind = draw(st.sampled_from([Kind.PICTURES, Kind.PICTURES, Kind.ALONE]))
        fusible = {v.node_id for v in reads if kind is Kind.PICTURES and found[v.node_id].kind is Kind.PICTURES}
        found[node_id] = _work(
            node_id,
            kind,
            reads=(*reads, outer),
            fused=frozenset(n for n in fusible if draw(st.booleans())),
            instructions=draw(st.integers(1, 300)),
        )
    return found


@given(works(), st.integers(3, 8), st.data())
@settings(max_examples=400, deadline=None)
def test_clusters_of_any_graph_can_run_one_after_the_other_within_the_limits(
    found: dict[int, Work], limit: int, data: st.DataObject
) -> None:
    last = max(found)
    requested = {ValueId(last, 0), ValueId(data.draw(st.integers(0, last)), 0)}
    clusters = fuse(found, requested, FusionRules(max_arrays=limit))
    members = [node_id for cluster in clusters for node_id in cluster.own_ids]
    assert len(members) == len(set(members))
    stored: set[ValueId] = set()
    for cluster in clusters:
        inside = set(cluster.own_ids)
        reads = {v for n in inside for v in found[n].reads if v.node_id not in inside}
        assert all(v in stored or v.node_id >= 100 for v in reads), "a cluster runs before what it needs"
        stored.update(cluster.outputs)
        if len(inside) > 1:
            assert len(reads) + len(cluster.outputs) <= limit
            assert sum(found[n].instructions for n in inside) <= MAX_PICTURE_INSTRUCTIONS
    assert requested <= stored


def test_clusters_without_stages_would_wait_for_each_other() -> None:
    """Sabotage twin: what stages keep apart here would be a cluster that needs its own result."""
    a, blur, end = (ValueId(n, 0) for n in range(3))
    found = {
        0: _work(0, Kind.PICTURES, reads=(ValueId(100, 0),)),
        1: _work(1, Kind.ALONE, reads=(a,)),
        2: _work(2, Kind.PICTURES, reads=(a, blur), fused=frozenset({0})),
    }
    together = {0, 2}
    needed_from_outside = {v for n in together for v in found[n].reads if v.node_id not in together}
    assert blur in needed_from_outside
    assert found[1].reads == (a,)
    assert [cluster.own_ids for cluster in fuse(found, {end}, FusionRules())] == [(0,), (1,), (2,)]


def _work(
    node_id: int, kind: Kind, *, reads: tuple[ValueId, ...], fused: frozenset[int] = frozenset(), instructions: int = 1
) -> Work:
    own = ValueId(node_id, 0)
    return Work(
        node_id=node_id,
        kind=kind,
        copies=(),
        reads=reads,
        arrays=frozenset(reads),
        fused=fused,
        outputs=(own,),
        array_outputs=frozenset({own}),
        instructions=instructions,
    )


def test_fused_equals_unfused_on_a_graph_of_numbers_and_pictures(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    x = build.graph.add_node(GraphInput("x", F32, 0.3))
    mixed = build.add(ScalarMix(), x)
    a = build.add(Gain(1.1), build.photo())
    end = build.add(Merge(), a, build.add(Gain(0.7), a), (mixed, 0))
    fused = arrays_of(build.graph, [end], ctx, registry)
    assert np.array_equal(fused[0], arrays_of(build.graph, [end], ctx, registry, options=UNFUSED)[0])


class _Tuned(FakeBackend):
    """A backend with a kernel for Gain; everything else costs 1000 ns a node."""

    def __init__(self, kernel_ns: int) -> None:
        def cost(task: Task) -> Cost:
            is_tuned = len(task.nodes) == 1 and isinstance(task.node, Gain)
            return Cost(compute_ns=kernel_ns if is_tuned else 1000 * len(task.nodes))

        super().__init__("simd", kind=CPU_SIMD, space=HOST, cost=cost)
        self.kernels = KernelTable("simd")

    def register_kernel(self, kernel: KernelSpec) -> None:
        self.kernels.add(kernel)


@dataclass(frozen=True, slots=True)
class _Gradient:
    """The pixel's column, a cheap generator."""

    type_name: ClassVar[str] = "testing::Gradient"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset({ContextField.RESOLUTION})
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return infer_body(self, input_specs, ctx)

    def body(self, _inputs: BodyInputs) -> Sequence[Expr]:
        return (to_f32(pixel_x()),)
