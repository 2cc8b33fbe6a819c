from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import pytest

from unshape_backend.capabilities import Feature, Throughput
from unshape_backend.config import Settings
from unshape_backend.cost import Cost, CostBasis
from unshape_backend.decision import Decision
from unshape_backend.errors import SelectionError
from unshape_backend.identity import CPU_SIMD, GPU, BackendId, BackendKind
from unshape_backend.kernel import KernelSpec
from unshape_backend.measurement import Cell, CellKey, Measurements
from unshape_backend.policy import (
    Auto,
    ByPriority,
    ExecutionPolicy,
    LocalFirst,
    MinimizeCost,
    Named,
    PreferKind,
)
from unshape_backend.registry import BackendRegistry
from unshape_backend.scheduler import Scheduler
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.workload import OpClass
from unshape_testing.fake import FakeBackend
from unshape_testing.sample_task import AddOne, Undefined, picture_task

_GPU = BackendId("gpu")
_SIMD = BackendId("simd")
_EXACT = frozenset({Feature.EXACT_F32})


def _scheduler(policy: ExecutionPolicy, *backends: FakeBackend) -> Scheduler:
    registry = BackendRegistry.with_cpu(settings=Settings())
    for backend in backends:
        registry.register(backend)
    return Scheduler(registry, policy)


def _on(*spaces: MemorySpace) -> Sequence[frozenset[MemorySpace]]:
    return [frozenset(spaces)]


# The reference takes 10 us to launch, by its prior; a 4 x 5 picture adds next to nothing.


def test_auto_picks_the_least_time_and_says_so_in_figures() -> None:
    scheduler = _scheduler(Auto(), FakeBackend("simd", kind=CPU_SIMD, space=HOST, cost=500))
    decision = scheduler.decide(picture_task(), scheduler.topology(), _on(HOST))
    assert decision.chain == ("simd", "cpu")
    assert decision.reason == "least estimated time, 500 ns (declared)"
    assert decision.rejected["cpu"].code is RejectionCode.COST
    assert "us (prior) against 500 ns" in decision.rejected["cpu"].detail


def test_auto_counts_the_way_to_the_device() -> None:
    near = FakeBackend("gpu", cost=100, link_ns=10)
    far = FakeBackend("gpu", cost=100, link_ns=10_000_000)
    task = picture_task()
    assert _decide(Auto(), task, near).pick == "gpu"
    assert "least estimated time with transfers" in _decide(Auto(), task, near).reason
    assert "with transfers" not in _decide(Auto(), task, near, held=MemorySpace("gpu")).reason
    assert _decide(Auto(), task, far).pick == "cpu"
    assert _decide(Auto(), task, far, held=MemorySpace("gpu")).pick == "gpu"


def _decide(policy: ExecutionPolicy, task: Task, *backends: FakeBackend, held: MemorySpace = HOST) -> Decision:
    scheduler = _scheduler(policy, *backends)
    return scheduler.decide(task, scheduler.topology(), _on(held))


def test_tiny_work_stays_on_the_host() -> None:
    gpu = FakeBackend("gpu", cost=None, throughput=Throughput(flops_per_ns=1e5, bytes_per_ns=4000, launch_ns=80_000))
    small, large = picture_task(shape=(64, 64, 1)), picture_task(shape=(4096, 4096, 4))
    assert _decide(Auto(), small, gpu).pick == "cpu"
    assert _decide(Auto(), large, gpu, held=MemorySpace("gpu")).pick == "gpu"


def test_auto_never_prefers_a_software_device_and_names_it() -> None:
    lavapipe = FakeBackend("gpu", cost=1, is_software=True, space=HOST)
    decision = _decide(Auto(), picture_task(), lavapipe)
    assert decision.pick == "cpu"
    assert decision.rejected["gpu"].code is RejectionCode.SOFTWARE
    assert _decide(MinimizeCost(), picture_task(), lavapipe).pick == "gpu"


def test_an_unknown_time_ranks_last_and_is_never_zero() -> None:
    unknown = FakeBackend("gpu", cost=None, space=HOST)
    decision = _decide(Auto(), picture_task(), unknown)
    assert decision.pick == "cpu"
    assert decision.costs[_GPU] is None
    assert decision.rejected["gpu"].detail == "its time is unknown"


def test_while_no_time_is_known_the_route_decides_before_priority() -> None:
    plain = FakeBackend("gpu", cost=None, space=HOST, features=_EXACT)
    matrix = FakeBackend(
        "npu", kind=BackendKind("npu"), cost=None, space=HOST, features=_EXACT | {Feature.MATRIX_UNITS}
    )
    scheduler = _scheduler(MinimizeCost(), plain, matrix)
    scheduler.registry.set_available(BackendId("cpu"), False)
    topology = scheduler.topology()
    matmul = scheduler.decide(picture_task(AddOne(op_class=OpClass.MATMUL)), topology)
    assert matmul.pick == "npu"
    assert "matrix units" in matmul.reason
    assert scheduler.decide(picture_task(), topology).pick == "gpu"


def test_equal_times_stay_where_the_data_is() -> None:
    one = FakeBackend("gpu", cost=100, link_ns=None, space=MemorySpace("gpu"))
    two = FakeBackend("opencl", cost=100, link_ns=None, space=MemorySpace("opencl"))
    task = picture_task(shape=(0, 5, 1))
    for space in (one.capabilities.space, two.capabilities.space):
        decision = _decide(MinimizeCost(), task, one, two, held=space)
        assert decision.pick == space.substrate


def test_prefer_kind_takes_the_kind_whatever_it_costs() -> None:
    slow = FakeBackend("gpu", cost=10**9)
    decision = _decide(PreferKind(GPU), picture_task(), slow)
    assert decision.pick == "gpu"
    assert decision.reason.startswith("gpu is preferred")
    assert decision.rejected["cpu"].code is RejectionCode.KIND


@pytest.mark.parametrize("is_software", [True, False])
def test_prefer_kind_is_auto_where_the_kind_cannot(is_software: bool) -> None:
    gpu = FakeBackend("gpu", cost=1, is_software=is_software, features=_EXACT if is_software else frozenset())
    decision = _decide(PreferKind(GPU), picture_task(), gpu)
    assert decision.pick == "cpu"
    assert decision.reason.startswith("no gpu can run it")


def test_local_first_looks_where_the_inputs_are() -> None:
    gpu = FakeBackend("gpu", cost=10**9)
    task = picture_task()
    assert _decide(LocalFirst(), task, gpu, held=HOST).pick == "cpu"
    decision = _decide(LocalFirst(), task, gpu, held=MemorySpace("gpu"))
    assert decision.pick == "gpu"
    assert decision.reason == "80 of 80 input bytes are in gpu"
    assert decision.rejected["cpu"].code is RejectionCode.LOCALITY


def test_local_first_goes_by_bytes_not_by_number_of_inputs() -> None:
    scheduler = _scheduler(LocalFirst(), FakeBackend("gpu", cost=1))
    task = picture_task(input_count=3)
    device = frozenset({MemorySpace("gpu")})
    topology = scheduler.topology()
    assert scheduler.decide(task, topology, [device, frozenset({HOST}), frozenset({HOST})]).pick == "cpu"
    assert scheduler.decide(task, topology, [device, device, frozenset({HOST})]).pick == "gpu"


def test_local_first_counts_inputs_of_unknown_size_as_inputs() -> None:
    scheduler = _scheduler(LocalFirst(), FakeBackend("gpu", cost=1))
    task = picture_task(shape=None, input_count=3)
    device, host = frozenset({MemorySpace("gpu")}), frozenset({HOST})
    decision = scheduler.decide(task, scheduler.topology(), [host, device, device])
    assert decision.reason == "2 of 3 inputs are in gpu"


def test_local_first_without_inputs_is_auto() -> None:
    lavapipe = FakeBackend("gpu", cost=1, is_software=True)
    simd = FakeBackend("simd", kind=CPU_SIMD, space=HOST, cost=5)
    for policy in (LocalFirst(), Auto()):
        scheduler = _scheduler(policy, lavapipe, simd)
        assert scheduler.decide(picture_task(), scheduler.topology(), [frozenset()]).pick == "simd"


def test_by_priority_ignores_costs() -> None:
    registry = BackendRegistry.with_cpu(settings=Settings())
    registry.register(FakeBackend("gpu", cost=1), priority=5)
    registry.register(FakeBackend("opencl", cost=10**12), priority=6)
    scheduler = Scheduler(registry, ByPriority())
    decision = scheduler.decide(picture_task(), scheduler.topology())
    assert decision.chain == ("opencl", "gpu", "cpu")
    assert decision.reason == "highest priority, 6"
    assert decision.rejected["gpu"].code is RejectionCode.PRIORITY


def test_named_has_a_chain_of_one() -> None:
    decision = _decide(Named(_GPU), picture_task(), FakeBackend("gpu", is_software=True, cost=10**12))
    assert decision.chain == ("gpu",)
    assert decision.rejected["cpu"].code is RejectionCode.NOT_PINNED


def test_a_pin_is_never_overridden_by_a_policy() -> None:
    for policy in (Auto(), PreferKind(GPU), LocalFirst(), MinimizeCost(), ByPriority(), Named(_GPU)):
        scheduler = _scheduler(policy, FakeBackend("gpu", cost=1))
        decision = scheduler.decide(picture_task(), scheduler.topology(), _on(HOST), pin=BackendId("cpu"))
        assert (decision.chain, decision.reason) == (("cpu",), "pinned by the caller")


def test_a_named_backend_that_cannot_is_an_error_with_its_reason() -> None:
    expected = r"node 7 \(test::AddOne\): .*, policy prefer:gpu would take another one there: 'gpu': precision"
    with pytest.raises(SelectionError, match=expected) as caught:
        _decide(Named(_GPU), picture_task(), FakeBackend("gpu", features=frozenset()), FakeBackend("tpu"))
    assert set(caught.value.rejected) == {"gpu"}  # nobody asked for the others
    assert (caught.value.node_id, caught.value.type_name) == (7, "test::AddOne")


def test_a_named_backend_that_is_not_there_is_an_error_with_those_that_are() -> None:
    with pytest.raises(SelectionError, match=r"'tpu': there is none of that name, but 'gpu', 'cpu'; `unshape info`"):
        _decide(Named(BackendId("tpu")), picture_task(), FakeBackend("gpu"))


def test_a_named_backend_that_is_not_installed_is_an_error_with_the_command_that_gets_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("unshape_backend.opening.is_installed", lambda _distribution: False)
    with pytest.raises(SelectionError, match=r"'gpu': unavailable: not installed: .*; pip install 'unshape\[gpu\]'"):
        _decide(Named(_GPU), picture_task())


def test_a_node_without_a_definition_runs_nowhere() -> None:
    with pytest.raises(SelectionError, match="neither a body nor execute") as caught:
        _decide(Auto(), picture_task(Undefined()), FakeBackend("gpu"))
    assert {str(name): why.code for name, why in caught.value.rejected.items()} == {
        "cpu": RejectionCode.NO_KERNEL,
        "gpu": RejectionCode.NO_KERNEL,
    }


def test_a_backend_that_cannot_be_asked_costs_one_warning_and_the_rest_works(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(task: Task) -> NoReturn:
        raise ZeroDivisionError("oops")

    scheduler = _scheduler(Auto(), FakeBackend("gpu", supports=broken))
    decisions = [scheduler.decide(picture_task(), scheduler.topology()) for _ in range(2)]
    assert len(caplog.records) == 1
    decision = decisions[1]
    assert decision.pick == "cpu"
    assert str(decision.rejected["gpu"]) == "faulty backend: its supports() raised ZeroDivisionError: oops"


def test_a_backend_that_cannot_estimate_is_estimated_from_its_facts() -> None:
    def broken(task: Task) -> NoReturn:
        raise ZeroDivisionError("oops")

    decision = _decide(Auto(), picture_task(), FakeBackend("gpu", cost=broken))
    assert decision.costs[_GPU] is None
    figures = Throughput(flops_per_ns=1, bytes_per_ns=1, launch_ns=7)
    decision = _decide(Auto(), picture_task(), FakeBackend("gpu", cost=broken, throughput=figures, space=HOST))
    # 20 elements, read and written: 160 bytes at 1/ns, and 7 ns to launch
    assert decision.costs[_GPU] == Cost(compute_ns=160, launch_ns=7)


def test_a_backend_that_is_set_aside_says_after_what() -> None:
    scheduler = _scheduler(Auto(), FakeBackend("gpu", cost=1, space=HOST))
    for _ in range(3):
        scheduler.registry.report_failure(_GPU, RuntimeError("no luck"))
    decision = scheduler.decide(picture_task(), scheduler.topology())
    assert decision.chain == ("cpu",)
    assert str(decision.rejected["gpu"]) == "set aside: after 3 failures, the last: no luck"


def test_an_unavailable_backend_never_changes_a_decision() -> None:
    for policy in (Auto(), PreferKind(GPU), LocalFirst(), MinimizeCost(), ByPriority()):
        alone = _scheduler(policy, FakeBackend("simd", kind=CPU_SIMD, space=HOST))
        beside = _scheduler(policy, FakeBackend("simd", kind=CPU_SIMD, space=HOST), FakeBackend("gpu", cost=1))
        beside.registry.set_available(_GPU, False)
        decisions = [each.decide(picture_task(), each.topology(), _on(HOST)) for each in (alone, beside)]
        assert decisions[0].chain == decisions[1].chain
        assert decisions[1].rejected["gpu"].code is RejectionCode.UNAVAILABLE


def _measured(backend: FakeBackend, ns: int, *, revision: int | None = None) -> Measurements:
    task = picture_task()
    key = CellKey.of(task, backend.capabilities.device.fingerprint, revision=revision)
    return Measurements(cells={key: Cell(elements=task.workload.elements, ns=ns)})


def test_a_measured_time_comes_before_an_estimate() -> None:
    gpu = FakeBackend("gpu", cost=10**9, space=HOST)
    scheduler = _scheduler(Auto(), gpu)
    before = scheduler.topology()
    scheduler.registry.set_measurements(_measured(gpu, 10))
    after = scheduler.topology()
    assert after.number > before.number
    assert scheduler.decide(picture_task(), before).pick == "cpu"
    decision = scheduler.decide(picture_task(), after)
    assert decision.pick == "gpu"
    assert decision.costs[_GPU] == Cost(compute_ns=10, basis=CostBasis.MEASURED)


def test_a_measured_time_of_another_driver_counts_for_nothing() -> None:
    old, new = FakeBackend("gpu", cost=10**9, space=HOST), FakeBackend("opencl", cost=10**9, space=HOST)
    scheduler = _scheduler(Auto(), new)
    scheduler.registry.set_measurements(_measured(old, 10))
    assert scheduler.decide(picture_task(), scheduler.topology()).pick == "cpu"


def test_a_measured_time_of_an_earlier_kernel_counts_for_nothing(registry: BackendRegistry) -> None:
    scheduler = Scheduler(registry)
    fingerprint = registry.snapshot().capabilities(BackendId("cpu")).device.fingerprint
    task = picture_task()
    registry.register_kernel("test::AddOne", backend="cpu", function=len, revision=2)
    for revision, basis in ((1, CostBasis.PRIOR), (2, CostBasis.MEASURED)):
        key = CellKey.of(task, fingerprint, revision=revision)
        registry.set_measurements(Measurements(cells={key: Cell(elements=20, ns=5)}))
        cost = scheduler.decide(task, scheduler.topology()).costs[BackendId("cpu")]
        assert cost is not None
        assert cost.basis is basis


def test_a_measured_time_is_scaled_within_its_size_class() -> None:
    key = CellKey("w", "float32", 10, "f")
    measurements = Measurements(cells={key: Cell(elements=600, ns=300)})
    assert measurements.cost(key, elements=1000) == Cost(compute_ns=500, basis=CostBasis.MEASURED)


def test_the_placement_of_a_whole_plan_may_pick_what_is_dearer_for_one_task() -> None:
    scheduler = _scheduler(Auto(), FakeBackend("gpu", cost=1, space=HOST))
    topology = scheduler.topology()
    task = picture_task()
    candidates = scheduler.consider(task, topology)
    assert set(candidates.allowed) == {"gpu", "cpu"}
    decision = scheduler.conclude(task, topology, candidates, pick=BackendId("cpu"), reason="the data stays")
    assert decision.chain == ("cpu", "gpu")
    assert decision.reason == "the data stays"
    assert "whole plan" in decision.rejected["gpu"].detail


def test_a_kernel_of_a_script_is_priced_by_its_own_work(registry: BackendRegistry) -> None:
    task = picture_task()
    scheduler = Scheduler(registry)
    plain = scheduler.decide(task, scheduler.topology()).costs[BackendId("cpu")]
    kernel = registry.register_kernel(
        AddOne, backend="cpu", function=len, work=lambda task: picture_task(shape=(4000, 1, 1)).workload
    )
    assert isinstance(kernel, KernelSpec)
    dear = scheduler.decide(task, scheduler.topology()).costs[BackendId("cpu")]
    assert plain is not None
    assert dear is not None
    assert dear.compute_ns == 200 * plain.compute_ns


def test_a_measured_winner_is_asked_again_for_what_it_never_ran() -> None:
    # one size class, another layout: 256 wide was measured, 255 is refused by the kernel
    def only_even(task: Task) -> Rejection | None:
        is_even = task.region.output.width_px % 2 == 0
        return None if is_even else Rejection(RejectionCode.NO_KERNEL, "odd width")

    gpu = FakeBackend("gpu", space=HOST, supports=only_even)
    scheduler = _scheduler(Auto(), gpu)
    even, odd = picture_task(shape=(256, 256, 1)), picture_task(shape=(257, 255, 1))
    fingerprint = gpu.capabilities.device.fingerprint
    assert CellKey.of(even, fingerprint).dtype == CellKey.of(odd, fingerprint).dtype
    cells = {CellKey.of(task, fingerprint): Cell(elements=65536, ns=1) for task in (even, odd)}
    scheduler.registry.set_measurements(Measurements(cells=cells))
    assert scheduler.decide(even, scheduler.topology()).pick == "gpu"
    decision = scheduler.decide(odd, scheduler.topology())
    assert decision.chain == ("cpu",)
    assert str(decision.rejected["gpu"]) == "no kernel: odd width"


def test_deciding_measures_nothing() -> None:
    gpu = FakeBackend("gpu", space=HOST)
    scheduler = _scheduler(Auto(), gpu)
    scheduler.decide(picture_task(shape=(8, 8, 1)), scheduler.topology())
    assert gpu.count("run") == gpu.count("compile") == gpu.count("upload") == 0


def test_exact_and_fast_runs_are_measured_apart() -> None:
    exact, fast = picture_task(), picture_task(precision="fast")
    assert CellKey.of(exact, "f") != CellKey.of(fast, "f")
