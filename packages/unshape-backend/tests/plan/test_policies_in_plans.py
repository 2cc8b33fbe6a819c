"""What policies, pins and hints make of whole graphs."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.capabilities import Throughput
from unshape_backend.cost import Cost, roofline
from unshape_backend.errors import SelectionError
from unshape_backend.executor import backend_evaluator
from unshape_backend.identity import CPU_SIMD, BackendId
from unshape_backend.plan.options import PlanOptions
from unshape_backend.registry import BackendRegistry
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.context import EvalContext
from unshape_core.errors import MissingInputError, NodeError
from unshape_core.memory_space import HOST
from unshape_core.workload import WorkloadHint
from unshape_testing.failure import Failure, FailurePoint
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import GraphBuilder, arrays_of, plan_graph
from unshape_testing.nodes import BoxMean, Gain, Mean, Ramp

GPU = Throughput(flops_per_ns=1000.0, bytes_per_ns=1000.0, launch_ns=80_000)


def gpu_like(task: Task) -> Cost | None:
    return roofline(task.workload, GPU)


@pytest.mark.parametrize("side", [1, 8, 64])
def test_tiny_work_stays_on_the_host(build: GraphBuilder, registry: BackendRegistry, side: int) -> None:
    """What a launch and two transfers cost is more than the work."""
    registry.register(FakeBackend("gpu", cost=gpu_like, link_ns=50_000))
    end = build.chain(build.photo(), [Gain(), BoxMean(), Gain()])[-1]
    ctx = EvalContext(resolution=(side, side), inputs={"photo": np.zeros((side, side, 3), np.float32)})
    plan = plan_graph(build.graph, [end], ctx, registry)
    assert {HOST} == {step.space for step in plan.tasks}


def test_large_work_goes_to_the_device(build: GraphBuilder, registry: BackendRegistry) -> None:
    """Sabotage twin: the same figures do send a large picture to the device."""
    registry.register(FakeBackend("gpu", cost=gpu_like, link_ns=50_000))
    end = build.chain(build.add(Ramp()), [*[BoxMean() for _ in range(30)], Mean()])[-1]
    plan = plan_graph(build.graph, [end], EvalContext(resolution=(2048, 2048)), registry)
    assert {"gpu"} == {step.backend for step in plan.tasks}


def test_a_software_device_is_not_preferred_and_called_so(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    registry.register(FakeBackend("gpu", cost=1, link_ns=1, is_software=True))
    end = build.add(Gain(), build.photo())
    plan = plan_graph(build.graph, [end], ctx, registry)
    assert plan.backend_of(end) == "cpu"
    assert "played by a CPU" in plan.explain()
    assert "software device" in plan.explain()
    assert plan_graph(build.graph, [end], ctx, registry, policy="minimize-cost").backend_of(end) == "gpu"


def test_ties_stay_where_the_data_is(build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry) -> None:
    for name in ("alpha", "beta"):
        registry.register(FakeBackend(name, cost=7, link_ns=3))
    a = build.add(BoxMean(1), build.add(Ramp()))
    plan = plan_graph(build.graph, [a], ctx, registry, options=PlanOptions(pins={0: BackendId("beta")}))
    assert plan.backend_of(a) == "beta"


def test_two_backends_of_one_memory_take_turns_without_a_copy(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    def supports(task: Task) -> Rejection | None:
        return None if isinstance(task.node, Gain) else Rejection(RejectionCode.NO_KERNEL, "no")

    registry.register(FakeBackend("simd", kind=CPU_SIMD, space=HOST, cost=1, supports=supports))
    ids = build.chain(build.photo(), [Gain(2.0), BoxMean(1), Gain(3.0)])
    plan = plan_graph(build.graph, ids[-1:], ctx, registry)
    assert ["simd", "cpu", "simd"] == [step.backend for step in plan.tasks]
    assert plan.transfers == ()
    (both,) = arrays_of(build.graph, ids[-1:], ctx, registry)
    assert np.array_equal(arrays_of(build.graph, ids[-1:], ctx, registry, policy="named:cpu")[0], both)


def test_an_unknown_cost_is_not_taken_for_none(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    registry.register(FakeBackend("gpu", cost=None, link_ns=1))
    end = build.add(Gain(), build.photo())
    assert plan_graph(build.graph, [end], ctx, registry).backend_of(end) == "cpu"


def test_a_hint_of_the_caller_wins(build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu", cost=gpu_like))
    end = build.add(BoxMean(1), build.photo())
    assert plan_graph(build.graph, [end], ctx, registry).backend_of(end) == "cpu"
    work = WorkloadHint(elements=10**9, bytes_read=10**9, bytes_written=10**9, flops=10**12)
    plan = plan_graph(build.graph, [end], ctx, registry, options=PlanOptions(hints={end: work}))
    assert plan.backend_of(end) == "gpu"


def test_a_named_backend_that_cannot_run_a_node_is_an_error_that_names_both(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    def supports(task: Task) -> Rejection | None:
        return Rejection(RejectionCode.NO_KERNEL, "no blur here") if isinstance(task.node, BoxMean) else None

    registry.register(FakeBackend("gpu", cost=1, supports=supports))
    end = build.add(BoxMean(), build.photo())
    with pytest.raises(SelectionError, match=r"testing::BoxMean.*'gpu'.*no blur here") as caught:
        plan_graph(build.graph, [end], ctx, registry, policy="named:gpu")
    assert (caught.value.node_id, caught.value.type_name) == (end, "testing::BoxMean")


def test_a_pin_is_kept_and_explained(build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu", cost=10**12))
    end = build.add(Gain(), build.photo())
    plan = plan_graph(build.graph, [end], ctx, registry, options=PlanOptions(pins={end: BackendId("gpu")}))
    decision = plan.decision_of(end)
    assert decision is not None
    assert (decision.pick, decision.reason) == ("gpu", "pinned by the caller")


def test_a_missing_input_is_told_with_node_port_and_type(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    end = build.graph.add_node(Gain())
    with pytest.raises(MissingInputError, match=r"node 0 \(testing::Gain\): input 'picture'"):
        plan_graph(build.graph, [end], ctx, registry)


def test_an_infer_that_raises_is_a_node_error(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Gain, input_specs: object, ctx: object) -> object:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(Gain, "infer", broken)
    end = build.add(Gain(), build.photo())
    with pytest.raises(NodeError, match=r"node 1 \(testing::Gain\): infer raised ZeroDivisionError: oops"):
        plan_graph(build.graph, [end], ctx, registry)


def test_the_scalar_of_a_reduction_on_a_device_steers_the_host(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    registry.register(FakeBackend("gpu", cost=1))
    mean = build.add(Mean(), build.photo())
    evaluator = backend_evaluator("named:gpu", registry=registry)
    result = evaluator.evaluate(build.graph, (mean,), ctx).outputs[0][0]
    assert result == float(np.float32(photo.astype(np.float64).mean()))


def test_a_hidden_device_is_a_fallback_with_one_warning_and_an_error_when_strict(
    build: GraphBuilder,
    ctx: EvalContext,
    registry: BackendRegistry,
    caplog: pytest.LogCaptureFixture,
) -> None:
    registry.register(FakeBackend("gpu", cost=1, failures=[Failure(point=FailurePoint.COMPILE)]))
    end = build.add(Gain(2.0), build.photo())
    with caplog.at_level(logging.WARNING):
        result = backend_evaluator("prefer:gpu", registry=registry).evaluate(build.graph, (end,), ctx)
    assert np.asarray(result.outputs[0][0]).shape == (16, 24, 3)
    assert len(caplog.records) == 1
    with pytest.raises(Exception, match="told to fail"):
        backend_evaluator("prefer:gpu", registry=registry, strict=True).evaluate(build.graph, (end,), ctx)
