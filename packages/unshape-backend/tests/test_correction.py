"""How far a device is from what is stated of it, and times between measured sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import MappingProxyType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_backend.candidates import price, stated_cost
from unshape_backend.correction import Correction, fit_correction
from unshape_backend.cost import Cost, CostBasis
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.measure import measure_task
from unshape_backend.measurement import Cell, CellKey, Measurements
from unshape_backend.registry import BackendRegistry
from unshape_backend.single_task import make_job
from unshape_core.context import EvalContext
from unshape_core.spec import ValueSpec
from unshape_testing.nodes import BoxMean, Gain, Ramp

SIZES = (16, 256, 4096, 65536, 1048576)


@given(st.floats(0.05, 20.0), st.floats(0.05, 20.0))
def test_the_factors_of_a_device_that_is_off_by_factors_are_found(launch: float, compute: float) -> None:
    tasks = [(20_000, 3 * size, round(20_000 * launch + 3 * size * compute)) for size in SIZES]
    found = fit_correction(tasks)
    assert found is not None
    assert abs(math.log(found.launch / launch)) < 0.05
    assert abs(math.log(found.compute / compute)) < 0.05


def test_a_device_of_which_too_little_is_known_is_not_corrected() -> None:
    assert fit_correction([(1, 1, 1)] * 3) is None
    assert fit_correction([(0, 0, 100)] * 9) is None, "what was not estimated says nothing"


def test_a_corrected_estimate_is_declared_and_leaves_transfers_alone() -> None:
    cost = Correction(launch=2.0, compute=0.5).applied(Cost(launch_ns=10, compute_ns=100, transfer_ns=7))
    assert cost == Cost(launch_ns=20, compute_ns=50, transfer_ns=7, basis=CostBasis.DECLARED)


def _measured(times: dict[int, int]) -> Measurements:
    cells = {CellKey("w", "float32", n.bit_length(), "f"): Cell(elements=n, ns=ns) for n, ns in times.items()}
    return Measurements(cells=MappingProxyType(cells))


def _ns(measurements: Measurements, elements: int) -> int:
    cost = measurements.cost(CellKey("w", "float32", elements.bit_length(), "f"), elements=elements)
    assert cost is not None
    assert cost.basis is CostBasis.MEASURED
    return cost.total_ns


def test_times_between_measured_sizes_lie_on_the_line() -> None:
    measurements = _measured({100: 1000, 1100: 3000, 11_100: 43_000})
    assert [1000, 2000, 3000, 23_000] == [_ns(measurements, n) for n in (100, 600, 1100, 6100)]


def test_times_beyond_measured_sizes_go_on_with_the_nearest_slope() -> None:
    measurements = _measured({100: 1000, 1100: 3000, 11_100: 43_000})
    assert _ns(measurements, 21_100) == 83_000
    assert _ns(measurements, 1) == 802


@given(st.lists(st.integers(1, 10**9), min_size=2, max_size=6), st.lists(st.integers(1, 10**7), min_size=2, max_size=9))
def test_times_are_never_zero_and_agree_where_they_were_measured(times: list[int], sizes: list[int]) -> None:
    measured = {4 ** (index + 1): ns for index, ns in enumerate(times)}
    found = [_ns(_measured(measured), size) for size in sizes]
    assert all(ns >= 1 for ns in found)
    for size, ns in measured.items():
        assert abs(_ns(_measured(measured), size) - ns) <= max(0, *(before - ns for before in times))


def test_what_was_not_measured_is_priced_by_the_corrected_estimate() -> None:
    """Twice as slow as stated in everything that was measured, so taken to be in what was not."""
    registry = BackendRegistry.with_cpu()
    entry = registry.current().entries[0]
    fingerprint = entry.capabilities.device.fingerprint
    cells = {}
    for side in (8, 32, 128, 512):
        job = make_job(Gain(2.0), (np.zeros((side, side, 1), np.float32),), EvalContext(resolution=(side, side)))
        stated = stated_cost(entry, job.task)
        assert stated is not None
        cells[CellKey.of(job.task, fingerprint)] = Cell(
            elements=side * side,
            ns=2 * stated.total_ns,
            launch_ns=stated.launch_ns,
            compute_ns=stated.compute_ns,
        )
    registry.set_measurements(Measurements(cells=MappingProxyType(cells)))
    other = make_job(Ramp(), (), EvalContext(resolution=(64, 64))).task
    stated, corrected = stated_cost(entry, other), price(entry, other, registry.current())
    assert stated is not None
    assert corrected is not None
    assert corrected.total_ns == pytest.approx(2 * stated.total_ns, rel=0.02)
    assert corrected.basis is CostBasis.DECLARED


def test_measuring_keeps_what_had_been_estimated() -> None:
    registry = BackendRegistry.with_cpu()
    job = make_job(Ramp(), (), EvalContext(resolution=(8, 8)))
    (cell,) = measure_task(job.task, registry.current(), job.inputs, job.ctx, samples=2).cells.values()
    stated = CpuBackend().estimate_cost(job.task)
    assert stated is not None
    assert (stated.launch_ns, stated.compute_ns) == (cell.launch_ns, cell.compute_ns)


def test_the_reference_is_dearer_the_more_operations_it_has_to_call_however_small_the_picture() -> None:
    tiny = EvalContext(resolution=(1, 1))
    few = make_job(Gain(), (np.zeros((1, 1, 1), np.float32),), tiny)
    many = make_job(Ramp(), (), tiny)
    costs = [CpuBackend().estimate_cost(job.task) for job in (few, many)]
    assert costs[0] is not None
    assert costs[1] is not None
    assert costs[1].total_ns > 2 * costs[0].total_ns


class Filter(BoxMean):
    """A filter that tells how much work it is."""

    type_name = "test::Filter"

    def flops_per_element(self, _input_specs: Sequence[ValueSpec], _output_specs: Sequence[ValueSpec]) -> float:
        return 2.0 * (2 * self.radius + 1) ** 2


def test_a_node_that_tells_its_arithmetic_is_priced_and_measured_by_it() -> None:
    picture = np.zeros((16, 16, 1), np.float32)
    tasks = [make_job(Filter(radius), (picture,), EvalContext(resolution=(16, 16))).task for radius in (1, 20)]
    assert [2 * 9 * 256, 2 * 41 * 41 * 256] == [task.workload.flops for task in tasks]
    narrow, wide = (CellKey.of(task, "f") for task in tasks)
    assert narrow != wide, "a wide filter must not be priced by the time of a narrow one"
