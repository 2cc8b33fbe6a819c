"""Transfers: visible, once for each value and space, and where the graph's author says."""

from __future__ import annotations

import logging
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.errors import SelectionError
from unshape_backend.executor import BackendNodeExecutor, backend_evaluator
from unshape_backend.identity import REFERENCE, BackendId
from unshape_backend.nodes import Transfer, TransferToCpu, TransferToGpu
from unshape_backend.plan.options import PlanOptions
from unshape_backend.registry import BackendRegistry
from unshape_core.cache import space_of
from unshape_core.context import EvalContext
from unshape_core.evaluator import LazyEvaluator
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.program import StepKind
from unshape_core.result import EvalResult
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import GraphBuilder, plan_graph
from unshape_testing.nodes import BoxMean, Gain, Merge, Ramp

GPU_SPACE = MemorySpace("gpu")


@pytest.fixture
def gpu(registry: BackendRegistry) -> FakeBackend:
    """A GPU that everybody prefers."""
    backend = FakeBackend("gpu", cost=1)
    registry.register(backend)
    return backend


def run(evaluator: LazyEvaluator, build: GraphBuilder, outputs: tuple[int, ...], ctx: EvalContext) -> EvalResult:
    return evaluator.evaluate(build.graph, outputs, ctx, keeps_records=True)


def four_readers(build: GraphBuilder) -> int:
    photo = build.photo()
    total = photo
    for node in (BoxMean(1), BoxMean(2), BoxMean(3), Gain()):
        total = build.add(Merge(), total, build.add(node, photo))
    return total


def test_one_input_of_four_readers_is_uploaded_once(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend
) -> None:
    end = four_readers(build)
    plan = plan_graph(build.graph, [end], ctx, registry, policy="named:gpu")
    assert [(HOST, GPU_SPACE)] == [(step.source, step.target) for step in plan.transfers]
    run(backend_evaluator("named:gpu", registry=registry), build, (end,), ctx)
    assert gpu.count("upload") == 1


def test_an_upload_is_found_again_and_made_again_once_it_was_dropped(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend
) -> None:
    end = four_readers(build)
    evaluator = backend_evaluator("named:gpu", registry=registry)
    run(evaluator, build, (end,), ctx)
    build.graph.replace_node(end, Merge())
    last = build.add(Gain(3.0), end)
    run(evaluator, build, (last,), ctx)
    assert gpu.count("upload") == 1
    evaluator.cache.trim(GPU_SPACE)
    run(evaluator, build, (last,), ctx)
    assert gpu.count("upload") == 2


def test_an_input_that_changed_in_place_is_uploaded_again(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend, photo: npt.NDArray[Any]
) -> None:
    end = build.add(Gain(2.0), build.photo())
    evaluator = backend_evaluator("named:gpu", registry=registry)
    run(evaluator, build, (end,), ctx)
    photo[2, 3] = 7.0
    result = run(evaluator, build, (end,), ctx)
    assert np.array_equal(photo * np.float32(2.0), np.asarray(result.outputs[0][0]))
    assert gpu.count("upload") == 2


def test_results_stay_on_the_device_until_they_are_asked_for(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend, photo: npt.NDArray[Any]
) -> None:
    end = build.add(Gain(2.0), build.photo())
    result = run(backend_evaluator("named:gpu", registry=registry), build, (end,), ctx)
    value = result.outputs[0][0]
    assert GPU_SPACE == space_of(value)
    assert gpu.count("download") == 0
    assert np.array_equal(photo * np.float32(2.0), np.asarray(value))


def test_results_are_brought_to_where_the_caller_wants_them(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend
) -> None:
    end = build.add(Gain(2.0), build.photo())
    options = PlanOptions(result_space=HOST)
    result = run(backend_evaluator("named:gpu", registry=registry, options=options), build, (end,), ctx)
    assert isinstance(result.outputs[0][0], np.ndarray)
    transfers = [record for record in result.records if record.kind is StepKind.TRANSFER]
    assert [end] == [record.node_ids[-1] for record in transfers[1:]]
    assert transfers[1].nbytes == 16 * 24 * 3 * 4


def test_a_value_goes_from_device_to_device_through_the_host_once(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend
) -> None:
    for name in ("opencl", "npu"):
        registry.register(FakeBackend(name, cost=1))
    a = build.add(Gain(), build.add(Ramp()))
    b, c = build.add(BoxMean(1), a), build.add(BoxMean(2), a)
    end = build.add(Merge(), b, c)
    pins = {a: BackendId("gpu"), b: BackendId("opencl"), c: BackendId("npu"), end: BackendId("cpu")}
    plan = plan_graph(build.graph, [end], ctx, registry, options=PlanOptions(pins=pins))
    moved = [(str(s.source), str(s.target)) for s in plan.transfers if s.value.node_id == a]
    assert sorted([("gpu", "host"), ("host", "opencl"), ("host", "npu")]) == sorted(moved)


def test_a_plan_costs_what_its_steps_cost(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend
) -> None:
    plan = plan_graph(build.graph, [four_readers(build)], ctx, registry, policy="named:gpu")
    costs = [*(step.cost for step in plan.tasks), *(step.cost for step in plan.transfers)]
    assert plan.cost is not None
    assert sum(cost.total_ns for cost in costs if cost is not None) == plan.cost.total_ns
    assert all(cost is not None for cost in costs)


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("node", [TransferToGpu(), Transfer("gpu")])
def test_a_transfer_node_is_obeyed_although_nothing_is_gained(
    build: GraphBuilder,
    ctx: EvalContext,
    registry: BackendRegistry,
    node: TransferToGpu | Transfer,
    photo: npt.NDArray[Any],
) -> None:
    moved = build.add(node, build.photo())
    plan = plan_graph(build.graph, [moved], ctx, registry, policy="named:cpu")
    assert [moved] == [step.ordered_by for step in plan.transfers]
    result = run(backend_evaluator("named:cpu", registry=registry), build, (moved,), ctx)
    assert GPU_SPACE == space_of(result.outputs[0][0])
    assert np.array_equal(photo, np.asarray(result.outputs[0][0]))


def test_transfer_nodes_there_and_back_are_both_obeyed(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend, photo: npt.NDArray[Any]
) -> None:
    back = build.chain(build.photo(), [TransferToGpu(), TransferToCpu()])[-1]
    end = build.add(Gain(2.0), back)
    result = run(backend_evaluator("named:cpu", registry=registry), build, (end,), ctx)
    assert (gpu.count("upload"), gpu.count("download")) == (1, 1)
    assert np.array_equal(photo * np.float32(2.0), np.asarray(result.outputs[0][0]))


def test_a_transfer_node_in_between_is_no_hole_in_the_order(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend, photo: npt.NDArray[Any]
) -> None:
    """A node that reads a value directly and over a transfer must not be fused with its producer."""
    a = build.add(Gain(2.0), build.photo())
    end = build.add(Merge(), a, build.add(TransferToCpu(), a))
    fused = run(backend_evaluator("prefer:gpu", registry=registry), build, (end,), ctx)
    doubled = photo * np.float32(2.0)
    expected = doubled + np.float32(0.25) * (doubled - doubled)
    assert np.array_equal(expected, np.asarray(fused.outputs[0][0]))


def test_a_transfer_to_a_gpu_that_is_not_there_is_one_warning(
    build: GraphBuilder,
    ctx: EvalContext,
    registry: BackendRegistry,
    photo: npt.NDArray[Any],
    caplog: pytest.LogCaptureFixture,
) -> None:
    end = build.add(Gain(2.0), build.add(TransferToGpu(), build.photo()))
    with caplog.at_level(logging.WARNING):
        result = run(backend_evaluator(registry=registry), build, (end,), ctx)
    assert np.array_equal(photo * np.float32(2.0), np.asarray(result.outputs[0][0]))
    assert len(caplog.records) == 1
    assert "backend::TransferToGpu" in caplog.text
    assert result.plan is not None
    assert "a GPU is not available" in result.plan.explain()


def test_a_transfer_to_a_gpu_that_is_not_there_is_an_error_when_strict(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    moved = build.add(TransferToGpu(), build.photo())
    with pytest.raises(SelectionError, match="a GPU is not available") as caught:
        run(backend_evaluator(registry=registry, strict=True), build, (moved,), ctx)
    assert moved == caught.value.node_id


def test_a_software_device_is_no_gpu_as_long_as_there_is_another(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend
) -> None:
    registry.register(FakeBackend("gpu:1", is_software=True, cost=1, space=MemorySpace("gpu", 1)), priority=1000)
    moved = build.add(TransferToGpu(), build.photo())
    plan = plan_graph(build.graph, [moved], ctx, registry)
    assert [GPU_SPACE] == [step.target for step in plan.transfers]


def test_consecutive_steps_of_a_backend_are_handed_over_at_once(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend
) -> None:
    ids = build.chain(build.photo(), [Gain(), BoxMean(1), BoxMean(2), BoxMean(3), BoxMean(1)])
    pins = {ids[3]: REFERENCE}
    plan = plan_graph(build.graph, ids[-1:], ctx, registry, policy="prefer:gpu", options=PlanOptions(pins=pins))
    groups = [step.group for step in (*plan.tasks,)]
    assert groups == sorted(groups, key=lambda group: -1 if group is None else group)
    evaluator = backend_evaluator("prefer:gpu", registry=registry, options=PlanOptions(pins=pins))
    run(evaluator, build, (ids[-1],), ctx)
    assert gpu.count("flush") == 2


def test_independent_work_of_two_backends_is_not_interleaved(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend
) -> None:
    start = build.add(Ramp())
    here = there = start
    pins: dict[int, BackendId] = {start: BackendId("gpu")}
    for _ in range(6):
        here, there = build.add(BoxMean(1), here), build.add(BoxMean(1), there)
        pins[here], pins[there] = REFERENCE, BackendId("gpu")
    end = build.add(Merge(), here, there)
    plan = plan_graph(build.graph, [end], ctx, registry, options=PlanOptions(pins=pins))
    owners = [step.backend for step in plan.tasks]
    changes = sum(a != b for a, b in pairwise(owners))
    assert changes <= 3


def test_what_was_moved_is_counted_by_link(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend
) -> None:
    evaluator = backend_evaluator("named:gpu", registry=registry)
    run(evaluator, build, (build.add(Gain(), build.photo()),), ctx)
    executor = evaluator.executor
    assert isinstance(executor, BackendNodeExecutor)
    traffic = executor.residency.traffic[HOST, GPU_SPACE]
    assert (traffic.count, traffic.nbytes) == (1, 16 * 24 * 3 * 4)


def test_a_value_given_on_a_device_is_used_there_without_a_copy(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, gpu: FakeBackend, photo: npt.NDArray[Any]
) -> None:
    there = gpu.upload(photo)
    end = build.add(Gain(2.0), build.photo())
    given = replace(ctx, inputs={"photo": there})
    plan = plan_graph(build.graph, [end], given, registry, policy="local-first")
    assert ["gpu"] == [step.backend for step in plan.tasks]
    assert plan.transfers == ()
    result = run(backend_evaluator("local-first", registry=registry), build, (end,), given)
    assert np.array_equal(photo * np.float32(2.0), np.asarray(result.outputs[0][0]))
    assert gpu.count("upload") == 1
