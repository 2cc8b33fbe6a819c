"""A fake does as it is told and writes down what it was asked."""

from __future__ import annotations

import time

import numpy as np
import pytest

from unshape_backend.capabilities import DeviceLimits, Feature
from unshape_backend.cost import Cost
from unshape_backend.errors import BackendError, CompilationError, DeviceLostError, OutOfMemoryError
from unshape_backend.identity import CPU_SIMD
from unshape_backend.task import Rejection, RejectionCode
from unshape_core.cancellation import CancellationToken
from unshape_core.context import EvalContext
from unshape_core.errors import Cancelled, InvalidArgumentError
from unshape_core.memory_space import HOST, MemorySpace
from unshape_testing.failure import Failure, FailureKind, FailurePoint
from unshape_testing.fake import FakeBackend
from unshape_testing.laws.expect import picture
from unshape_testing.loopback_array import LoopbackArray
from unshape_testing.nodes import BoxMean, Gain
from unshape_testing.tasks import Job, make_job, run_job


def job(*, token: CancellationToken | None = None) -> Job:
    return make_job(Gain(2.0), (picture(4, 5, 1),), EvalContext(resolution=(5, 4), cancellation=token))


def test_facts_are_those_that_were_told() -> None:
    limits, features = DeviceLimits(max_bindings=3), frozenset({Feature.F16})
    fake = FakeBackend(
        "gpu:1", kind=CPU_SIMD, limits=limits, features=features, is_software=True, total_memory_bytes=77, link_ns=None
    )
    facts = fake.capabilities
    assert (facts.id, facts.kind, facts.limits, facts.features, facts.links) == (
        "gpu:1",
        CPU_SIMD,
        limits,
        features,
        (),
    )
    assert (facts.device.is_software, facts.space) == (True, MemorySpace("gpu"))
    assert fake.memory().total_bytes == fake.memory().available_bytes == 77


@pytest.mark.parametrize(
    ("told", "expected_ns"),
    [(5, 5), (Cost(launch_ns=7), 7), (lambda task: Cost(compute_ns=task.workload.elements), 20)],
)
def test_a_price_is_a_number_a_cost_or_a_function(told: object, expected_ns: int) -> None:
    cost = FakeBackend(cost=told).estimate_cost(job().task)  # type: ignore[arg-type]  # all three kinds in one list
    assert cost is not None
    assert cost.total_ns == expected_ns


def test_an_unknown_price_is_none() -> None:
    assert FakeBackend(cost=None).estimate_cost(job().task) is None


def test_a_task_is_rejected_where_that_was_told() -> None:
    why = Rejection(RejectionCode.LIMIT, "too wide")
    fake = FakeBackend(supports=lambda task: why if task.node.type_name == Gain.type_name else None)
    assert fake.supports(job().task) == why
    assert fake.supports(make_job(BoxMean(), (picture(4, 5, 1),), EvalContext()).task) is None


def test_values_live_on_the_host_where_that_was_told() -> None:
    assert isinstance(FakeBackend(space=HOST).upload(picture(1, 1, 1)), np.ndarray)
    value = FakeBackend().upload(picture(1, 1, 1))
    assert isinstance(value, LoopbackArray)
    assert value.space == MemorySpace("fake")


def test_calls_are_written_down_in_order() -> None:
    fake = FakeBackend()
    run_job(fake, job())
    assert [call.method for call in fake.calls] == ["compile", "upload", "run", "flush", "download"]
    assert fake.subjects("run") == [Gain.type_name]
    assert fake.count("upload") == 1


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (FailureKind.BACKEND, BackendError),
        (FailureKind.OUT_OF_MEMORY, OutOfMemoryError),
        (FailureKind.DEVICE_LOST, DeviceLostError),
        (FailureKind.COMPILATION, CompilationError),
        (FailureKind.INVALID_ARGUMENT, InvalidArgumentError),
        (FailureKind.BUG, ZeroDivisionError),
    ],
)
@pytest.mark.parametrize("point", [point for point in FailurePoint if point is not FailurePoint.HANG])
def test_every_kind_of_failure_comes_at_every_point(
    kind: FailureKind, error: type[Exception], point: FailurePoint
) -> None:
    fake = FakeBackend(failures=[Failure(kind=kind, point=point, times=1)])
    with pytest.raises(error, match=f"told to fail .*{kind}, {point}"):
        run_job(fake, job())
    (result,) = run_job(fake, job())
    np.testing.assert_array_equal(picture(4, 5, 1) * 2, np.asarray(result))


def test_a_late_failure_lets_the_call_return() -> None:
    fake, each = FakeBackend(failures=[Failure(point=FailurePoint.WAIT)]), job()
    (output,) = fake.compile(each.task)(each.task.nodes, [fake.upload(picture(4, 5, 1))], each.ctx)
    with pytest.raises(BackendError, match="wait"):
        fake.download(output)


def test_a_failure_is_for_the_node_that_was_told() -> None:
    fake = FakeBackend(failures=[Failure(node_type=BoxMean.type_name)])
    run_job(fake, job())
    with pytest.raises(BackendError):
        run_job(fake, make_job(BoxMean(), (picture(4, 5, 1),), EvalContext()))


def test_a_hanging_run_is_left_when_it_is_cancelled() -> None:
    token = CancellationToken()
    token.cancel()
    with pytest.raises(Cancelled):
        run_job(FakeBackend(failures=[Failure(point=FailurePoint.HANG)]), job(token=token))


def test_a_run_takes_as_long_as_was_told() -> None:
    fake = FakeBackend(latency_ns=50_000_000)
    start_ns = time.perf_counter_ns()
    run_job(fake, job())
    assert time.perf_counter_ns() - start_ns >= 50_000_000
