from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_backend.capabilities import BackendCapabilities, DeviceInfo, FigureSource, Throughput
from unshape_backend.cost import Cost, CostBasis, rank, roofline
from unshape_backend.identity import CPU, REFERENCE
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST
from unshape_core.workload import WorkloadHint

_TEN = Throughput(flops_per_ns=10, bytes_per_ns=4, launch_ns=100)
_COSTS = st.none() | st.builds(Cost, compute_ns=st.integers(0, 10**12), launch_ns=st.integers(0, 10**9))


def test_the_roofline_is_the_larger_of_arithmetic_and_memory_plus_launches() -> None:
    # 4000 flops at 10/ns take 400 ns, 800 bytes at 4/ns take 200 ns
    arithmetic = WorkloadHint(elements=100, flops=4000, bytes_read=400, bytes_written=400)
    assert roofline(arithmetic, _TEN, launches=2) == Cost(compute_ns=400, launch_ns=200)
    # 100 flops take 10 ns
    memory = WorkloadHint(elements=100, flops=100, bytes_read=400, bytes_written=400)
    assert roofline(memory, _TEN) == Cost(compute_ns=200, launch_ns=100)


def test_an_unknown_throughput_gives_an_unknown_cost() -> None:
    assert roofline(WorkloadHint.bulk(100), None) is None


def test_work_that_is_unknown_is_not_taken_for_none() -> None:
    cost = roofline(WorkloadHint(elements=1_000_000), _TEN)
    assert cost is not None
    assert cost.compute_ns >= 1_000_000 / 10
    assert cost.basis is CostBasis.PRIOR


def test_nothing_to_do_launches_nothing() -> None:
    assert roofline(WorkloadHint.bulk(0), _TEN) == Cost(basis=CostBasis.DECLARED)


def test_stated_work_on_measured_rates_is_declared() -> None:
    measured = Throughput(flops_per_ns=10, bytes_per_ns=4, launch_ns=100, source=FigureSource.MEASURED)
    stated = WorkloadHint(elements=1, flops=1, bytes_read=4, bytes_written=4)
    cost = roofline(stated, measured)
    assert cost is not None
    assert cost.basis is CostBasis.DECLARED


def test_a_sum_is_as_good_as_its_weakest_part() -> None:
    total = Cost(compute_ns=1, basis=CostBasis.MEASURED) + Cost(transfer_ns=2, basis=CostBasis.PRIOR)
    assert total == Cost(compute_ns=1, transfer_ns=2, basis=CostBasis.PRIOR)
    assert total.total_ns == 3


@given(_COSTS, _COSTS)
def test_an_unknown_cost_ranks_after_every_known_one(first: Cost | None, second: Cost | None) -> None:
    check_unknown_ranks_last(rank, first, second)


def test_sabotage_an_unknown_cost_of_zero_is_found() -> None:
    def as_zero(cost: Cost | None) -> tuple[bool, int]:
        return False, 0 if cost is None else cost.total_ns

    with pytest.raises(AssertionError):
        check_unknown_ranks_last(as_zero, None, Cost(compute_ns=5))


def check_unknown_ranks_last(
    key: Callable[[Cost | None], tuple[bool, int]], first: Cost | None, second: Cost | None
) -> None:
    if first is not None and second is None:
        assert key(first) < key(second)
    if first is None and second is not None:
        assert key(second) < key(first)


@pytest.mark.parametrize(("flops", "rate", "launch"), [(0, 1, 1), (1, 0, 1), (1, 1, -1)])
def test_a_throughput_of_zero_is_refused(flops: float, rate: float, launch: int) -> None:
    with pytest.raises(InvalidArgumentError, match="unknown throughput is None"):
        Throughput(flops_per_ns=flops, bytes_per_ns=rate, launch_ns=launch)


def _facts(throughput: Throughput | None) -> BackendCapabilities:
    device = DeviceInfo(name="d", api="native", vendor="v", driver="1", fingerprint="f")
    return BackendCapabilities(id=REFERENCE, kind=CPU, space=HOST, device=device, throughput=throughput)


def test_what_a_backend_is_efficient_at_follows_from_its_figures() -> None:
    gpu = _facts(Throughput(flops_per_ns=10_000, bytes_per_ns=1000, launch_ns=50_000))
    cpu = _facts(Throughput(flops_per_ns=1, bytes_per_ns=8, launch_ns=1_000))
    assert (cpu.bulk_efficient, cpu.streaming_efficient) == (True, True)
    assert (gpu.bulk_efficient, gpu.streaming_efficient) == (False, False)
    assert (_facts(None).bulk_efficient, _facts(None).streaming_efficient) == (None, None)
