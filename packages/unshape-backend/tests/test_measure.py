from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from unshape_backend.config import Settings
from unshape_backend.cost import CostBasis
from unshape_backend.identity import BackendId
from unshape_backend.measure import measure_links, measure_task, time_in_turns
from unshape_backend.measurement_store import save_measurements
from unshape_backend.policy import Auto
from unshape_backend.registry import BackendRegistry
from unshape_backend.scheduler import Scheduler
from unshape_core.cancellation import CancellationToken
from unshape_core.context import EvalContext
from unshape_core.errors import Cancelled, InvalidArgumentError
from unshape_core.memory_space import HOST
from unshape_testing.fake import FakeBackend
from unshape_testing.sample_task import picture_task


def _clock(durations: Iterator[int]) -> Callable[[], int]:
    """Return a clock that is read before and after each of those durations."""

    def readings() -> Iterator[int]:
        now = 0
        for duration in durations:
            yield now
            now += duration
            yield now

    return readings().__next__


def test_the_first_sample_is_dropped_and_the_median_kept() -> None:
    durations = iter([1000, 5, 9, 7])
    assert time_in_turns({"a": lambda: None}, samples=4, clock=_clock(durations)) == {"a": 7}


def test_candidates_take_turns() -> None:
    order: list[str] = []
    time_in_turns({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, samples=3)
    assert order == ["a", "b", "a", "b", "a", "b"]


def test_one_sample_is_too_few_to_leave_one_out() -> None:
    with pytest.raises(InvalidArgumentError, match="at least 2"):
        time_in_turns({}, samples=1)


_PICTURE = np.zeros((4, 5, 1), np.float32)


def test_every_backend_that_can_run_a_task_gets_a_cell_and_auto_goes_by_it(registry: BackendRegistry) -> None:
    slow = FakeBackend("gpu", cost=1, space=HOST, latency_ns=3_000_000)
    registry.register(slow)
    registry.register(FakeBackend("opencl", features=frozenset()))
    scheduler = Scheduler(registry, Auto())
    task = picture_task()
    assert scheduler.decide(task, scheduler.topology()).pick == "gpu"
    found = measure_task(task, scheduler.topology(), [_PICTURE], EvalContext(), samples=4)
    assert len(found.cells) == 2
    registry.set_measurements(found)
    decision = scheduler.decide(task, scheduler.topology())
    assert decision.pick == "cpu"
    gpu = decision.costs[BackendId("gpu")]
    assert gpu is not None
    assert gpu.basis is CostBasis.MEASURED
    assert gpu.total_ns >= 3_000_000


def test_measuring_copies_inputs_before_it_measures(registry: BackendRegistry) -> None:
    gpu = FakeBackend("gpu")
    registry.register(gpu)
    measure_task(picture_task(), registry.snapshot(), [_PICTURE], EvalContext(), samples=3)
    assert gpu.count("upload") == 1
    assert gpu.count("run") == gpu.count("synchronize") == 3


def test_measuring_can_be_cancelled(registry: BackendRegistry) -> None:
    token = CancellationToken()
    token.cancel()
    with pytest.raises(Cancelled):
        measure_task(picture_task(), registry.snapshot(), [_PICTURE], EvalContext(cancellation=token))


def test_links_are_measured_in_each_direction_and_known_by_the_device(registry: BackendRegistry) -> None:
    gpu = FakeBackend("gpu")
    registry.register(gpu)
    entry = registry.snapshot().entry(gpu.id)
    found = measure_links(entry, samples=2)
    ends = {(each.link.source, each.link.target) for each in found.links}
    assert ends == {(HOST, gpu.capabilities.space), (gpu.capabilities.space, HOST)}
    assert {each.fingerprint for each in found.links} == {gpu.capabilities.device.fingerprint}
    registry.set_measurements(found)
    cost = registry.snapshot().links.cost(HOST, gpu.capabilities.space, 1000)
    assert cost is not None
    assert cost.basis is CostBasis.MEASURED


def test_a_backend_in_host_memory_has_no_links_to_measure(registry: BackendRegistry) -> None:
    assert measure_links(registry.snapshot().entry(BackendId("cpu"))).links == ()


def test_kept_measurements_are_taken_over_by_the_next_registry(settings: Settings, registry: BackendRegistry) -> None:
    task = picture_task()
    save_measurements(measure_task(task, registry.snapshot(), [_PICTURE], EvalContext(), samples=2), settings)
    only_cpu = Settings(cache_dir=settings.cache_dir, backends=("cpu",))
    scheduler = Scheduler(BackendRegistry.with_defaults(settings=only_cpu))
    cost = scheduler.decide(task, scheduler.topology()).costs[BackendId("cpu")]
    assert cost is not None
    assert cost.basis is CostBasis.MEASURED
