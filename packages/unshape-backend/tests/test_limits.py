from __future__ import annotations

import dataclasses

import pytest

from unshape_backend.candidates import why_not
from unshape_backend.capabilities import DeviceLimits, Feature
from unshape_backend.task import RejectionCode, Task
from unshape_backend.topology import BackendEntry
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST
from unshape_core.spec import Region
from unshape_core.window import Window
from unshape_testing.fake import FakeBackend
from unshape_testing.sample_task import picture_task

NO_LIMITS = DeviceLimits()


def _code(entry: BackendEntry, task: Task) -> RejectionCode | None:
    reason = why_not(entry, task)
    return None if reason is None else reason.code


def _entry(
    *,
    limits: DeviceLimits = NO_LIMITS,
    total_memory_bytes: int | None = None,
    features: frozenset[Feature] = frozenset({Feature.EXACT_F32}),
) -> BackendEntry:
    backend = FakeBackend("gpu", space=HOST, limits=limits, total_memory_bytes=total_memory_bytes, features=features)
    return BackendEntry(backend=backend, capabilities=backend.capabilities, priority=0)


# 16 x 16 pixels of one float32 are 1024 bytes
_FITS = (16, 16, 1)
_ONE_BEYOND = (1, 257, 1)


@pytest.mark.parametrize(
    "limits", [DeviceLimits(max_buffer_bytes=1024), DeviceLimits(max_binding_bytes=1024)], ids=["buffer", "binding"]
)
def test_an_array_is_refused_one_element_beyond_the_limit(limits: DeviceLimits) -> None:
    assert _code(_entry(limits=limits), picture_task(shape=_FITS)) is None
    assert _code(_entry(limits=limits), picture_task(shape=_ONE_BEYOND)) is RejectionCode.LIMIT


def test_more_arrays_than_the_device_binds_are_refused() -> None:
    entry = _entry(limits=DeviceLimits(max_bindings=8))
    assert _code(entry, picture_task(input_count=7)) is None
    assert _code(entry, picture_task(input_count=8)) is RejectionCode.LIMIT


@pytest.mark.parametrize(
    "entry",
    [_entry(total_memory_bytes=2048), _entry(limits=DeviceLimits(memory_budget_bytes=2048), total_memory_bytes=10**9)],
    ids=["memory", "budget"],
)
def test_a_task_that_does_not_fit_is_refused(entry: BackendEntry) -> None:
    assert _code(entry, picture_task(shape=_FITS)) is None  # input and output fill it exactly
    assert _code(entry, picture_task(shape=_ONE_BEYOND)) is RejectionCode.MEMORY


def test_unknown_memory_is_not_taken_for_none() -> None:
    assert _code(_entry(total_memory_bytes=None), picture_task(shape=(4096, 4096, 4))) is None


def test_a_shape_that_depends_on_data_is_not_refused() -> None:
    assert _code(_entry(limits=DeviceLimits(max_buffer_bytes=4)), picture_task(shape=None)) is None


def test_only_the_window_that_is_computed_has_to_fit() -> None:
    task = picture_task(shape=(4096, 4096, 4))
    tile = Window(16, 16, 16, 16)
    small = dataclasses.replace(task, region=Region(tile, (tile,), task.input_specs, task.output_specs))
    entry = _entry(limits=DeviceLimits(max_buffer_bytes=16 * 16 * 4 * 4))
    assert _code(entry, task) is RejectionCode.LIMIT
    assert _code(entry, small) is None


def test_float64_needs_a_device_that_has_it() -> None:
    task = picture_task(dtype="float64")
    assert _code(_entry(), task) is RejectionCode.DTYPE
    assert _code(_entry(features=frozenset({Feature.EXACT_F32, Feature.F64})), task) is None


def test_a_device_that_is_not_exact_runs_only_what_may_be_fast() -> None:
    entry = _entry(features=frozenset())
    assert _code(entry, picture_task()) is RejectionCode.PRECISION
    assert _code(entry, picture_task(precision="fast")) is None


def test_zero_elements_fit_everywhere() -> None:
    entry = _entry(limits=DeviceLimits(max_buffer_bytes=1), total_memory_bytes=1)
    assert _code(entry, picture_task(shape=(0, 5, 1))) is None


def test_a_limit_of_zero_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="max_bindings of at least 1, got 0; None stands for no limit"):
        DeviceLimits(max_bindings=0)
    with pytest.raises(InvalidArgumentError, match="alignment_bytes of at least 1, got -4"):
        DeviceLimits(alignment_bytes=-4)
