"""Faults that users of other systems reported of them, on whole graphs: the small input, and what is right.

Each test names the public report. Faults of single packages are tests of those packages.
"""

from __future__ import annotations

import gc
import logging

import numpy as np
import pytest

from unshape_backend.capabilities import Throughput
from unshape_backend.cost import roofline
from unshape_backend.errors import BackendError, SelectionError
from unshape_backend.identity import GPU
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core import EvalContext, Graph, GraphInput
from unshape_core.value_type import TEXTURE
from unshape_testing.failure import Failure, FailureKind, FailurePoint
from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import GraphCase, chain, shared_input
from unshape_testing.laws.running import definition_of, evaluator_of, plan_of, registry_of, run_case, values_of
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.nodes import BoxMean, Gain, Ramp, Wobble
from unshape_testing.tolerance import assert_same_bits


def on_64(*nodes: Ramp | Gain | BoxMean | Wobble) -> GraphCase:
    return chain(nodes, ctx=EvalContext(resolution=(64, 64)))


def test_a_fallback_is_never_silent(caplog: pytest.LogCaptureFixture) -> None:
    """onnxruntime#23372, #17801: one record and one warning; strict is an error."""
    case = on_64(Ramp(1.0), Gain(1.0, 1.0))
    make = FakeBackend("gpu", cost=1, failures=[Failure()])
    with caplog.at_level(logging.WARNING):
        result = run_case(evaluator_of(registry_of(make), "prefer:gpu"), case)
    assert_same_bits(definition_of(case), values_of(result))
    assert len([record for record in caplog.records if "'gpu' failed" in record.getMessage()]) == 1
    assert len([note for record in result.records for note in record.notes if "'gpu' failed" in note]) == 1
    strict = evaluator_of(registry_of(FakeBackend("gpu", cost=1, failures=[Failure()])), "prefer:gpu", is_strict=True)
    with pytest.raises(BackendError):
        run_case(strict, case)


def test_two_failing_backends_in_a_row_are_passed_one_by_one() -> None:
    """onnxruntime#21424: one record each, then the result."""
    case = on_64(Ramp(1.0))
    bad = [FakeBackend(name, cost=cost, failures=[Failure()]) for name, cost in (("bad1", 1), ("bad2", 2))]
    result = run_case(evaluator_of(registry_of(*bad), "minimize-cost"), case)
    assert_same_bits(definition_of(case), values_of(result))
    notes = [note for record in result.records for note in record.notes if "failed" in note]
    assert len(notes) == 2
    assert [fake.count("run") for fake in bad] == [1, 1]


def test_small_nodes_do_not_go_back_and_forth() -> None:
    """onnxruntime#7238: twelve pointwise nodes, one of which a device cannot run: at most two transfers."""

    def refuses(task: Task) -> Rejection | None:
        is_refused = any(isinstance(node, Gain) and node.offset == 6 for node in task.nodes)
        return Rejection(RejectionCode.NO_KERNEL, "not this one") if is_refused else None

    case = on_64(Ramp(1.0), *(Gain(1.0, k) for k in range(11)))
    for policy in ("auto", "prefer:gpu", "minimize-cost"):
        plan = plan_of(registry_of(FakeBackend("gpu", cost=1, supports=refuses)), case, policy)
        assert len(plan.transfers) <= 2, policy


def test_a_software_device_is_no_gpu() -> None:
    """iced#3365, bevy#13780: below the host's backends, and named software in the account."""
    case = on_64(Ramp(1.0), BoxMean(1))
    software = FakeBackend("gpu", kind=GPU, is_software=True, cost=1)
    for policy in ("auto", "prefer:gpu"):
        plan = plan_of(registry_of(software), case, policy)
        assert {step.backend for step in plan.tasks} == {"cpu"}
        assert "software" in plan.explain()


def test_a_kernel_that_never_builds_leaks_nothing() -> None:
    """opencv#23496: the account of the device is as before after many runs that fell back."""
    fake = FakeBackend("gpu", cost=1, failures=[Failure(point=FailurePoint.COMPILE, kind=FailureKind.COMPILATION)])
    registry = registry_of(fake)
    case = chain((Ramp(1.0),), ctx=EvalContext(resolution=(5, 5)))
    for _ in range(200):
        registry.set_available(fake.id, is_available=True)  # forgets its failures
        run_case(evaluator_of(registry, "prefer:gpu"), case)
    gc.collect()
    assert fake.memory().used_bytes == 0


def test_thousands_of_tiny_uploads_are_given_back() -> None:
    """opencv#5815."""
    backend = LoopbackBackend()
    for _ in range(20_000):
        backend.upload(np.zeros((5, 5), np.float32))
    gc.collect()
    assert backend.memory().used_bytes == 0
    assert backend.guarded_memory.peak_bytes <= 1000


def test_a_lost_device_ends_nothing() -> None:
    """llama.cpp#17334: the result comes from the next backend, the device is set aside."""
    case = on_64(Ramp(1.0), Wobble(0.1), BoxMean(1), Gain(2.0))
    failure = Failure(kind=FailureKind.DEVICE_LOST, node_type=BoxMean.type_name)
    registry = registry_of(FakeBackend("gpu", cost=1, failures=[failure]))
    assert_same_bits(definition_of(case), values_of(run_case(evaluator_of(registry, "prefer:gpu"), case)))
    entry = next(entry for entry in registry.snapshot().entries if entry.id == "gpu")
    assert entry.health.is_set_aside


def test_tiny_work_stays_on_the_host() -> None:
    """pyopencl#830, cupy#8191: chains of 1x1 to 64x64 pictures are not worth a launch and two transfers."""
    fast = Throughput(flops_per_ns=10_000, bytes_per_ns=3_000, launch_ns=40_000)
    device = FakeBackend("gpu", cost=lambda task: roofline(task.workload, fast), link_ns=20_000)
    for side in (1, 8, 64):
        graph = Graph()
        source = graph.add_node(GraphInput("picture", TEXTURE))
        gain, mean = graph.add_node(Gain(2.0)), graph.add_node(Gain(0.5, 1.0))
        graph.connect(source, 0, gain, 0)
        graph.connect(gain, 0, mean, 0)
        ctx = EvalContext(resolution=(side, side), inputs={"picture": np.ones((side, side, 1), np.float32)})
        plan = plan_of(registry_of(device), GraphCase(name=f"{side}", graph=graph, outputs=(mean,), ctx=ctx))
        assert {step.backend for step in plan.tasks} == {"cpu"}, f"{side} x {side}"


def test_one_input_of_four_nodes_is_uploaded_once_and_never_stale() -> None:
    """networkx#7768, cugraph#4467."""
    backend = LoopbackBackend()
    case = shared_input((Wobble(0.1), Wobble(0.2), BoxMean(1), BoxMean(2)))
    array = np.array(case.ctx.inputs["picture"])
    ctx = EvalContext(resolution=case.ctx.resolution, inputs={"picture": array})
    evaluator = evaluator_of(registry_of(backend), "named:loopback")
    first = np.array(evaluator.evaluate(case.graph, case.outputs, ctx).outputs[0][0])
    assert backend.uploads == 1
    array[...] = 0
    second = np.array(evaluator.evaluate(case.graph, case.outputs, ctx).outputs[0][0])
    assert backend.uploads == 2
    assert not np.array_equal(first, second)


def test_an_unknown_cost_never_wins() -> None:
    """fuel: what is not known ranks last, and is not taken for zero."""
    plan = plan_of(registry_of(FakeBackend("gpu", cost=None)), on_64(Ramp(1.0), BoxMean(1)))
    assert {step.backend for step in plan.tasks} == {"cpu"}


def test_a_named_backend_that_is_not_there_is_an_error() -> None:
    """onnxruntime#23372: nothing else is taken in its place."""
    with pytest.raises(SelectionError, match="'gpu'"):
        plan_of(registry_of(), on_64(Ramp(1.0)), "named:gpu")
