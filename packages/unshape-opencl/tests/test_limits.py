"""Limits of a device: respected at the limit, refused one beyond it, and no hidden ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.task import Rejection, RejectionCode
from unshape_core.context import EvalContext
from unshape_opencl import OpenClBackend
from unshape_opencl.discovery import list_devices, open_device
from unshape_testing.nodes import Gain, Merge, Ramp
from unshape_testing.tasks import make_job, run_job


def _lowered(**limits: int) -> OpenClBackend:
    def lower(found: DeviceLimits) -> DeviceLimits:
        return replace(found, **limits)  # type: ignore[arg-type]  # names of limits

    return open_device(list_devices()[0], lower=lower)


def _why(backend: OpenClBackend, *, height_px: int, width_px: int) -> Rejection | None:
    picture = np.zeros((height_px, width_px, 1), np.float32)
    return backend.supports(make_job(Gain(), (picture,), EvalContext(resolution=(width_px, height_px))).task)


def test_a_buffer_fits_at_the_limit_and_not_beyond() -> None:
    backend = _lowered(max_buffer_bytes=1024, max_binding_bytes=1024)
    assert _why(backend, height_px=16, width_px=16) is None
    why = _why(backend, height_px=1, width_px=257)
    assert why is not None
    assert why.code is RejectionCode.LIMIT
    assert "1028" in why.detail
    assert "1024" in why.detail
    backend.close()


def test_memory_that_does_not_suffice_is_named_with_what_there_is() -> None:
    backend = _lowered(memory_budget_bytes=2048)
    assert _why(backend, height_px=16, width_px=16) is None
    why = _why(backend, height_px=16, width_px=17)
    assert why is not None
    assert why.code is RejectionCode.MEMORY
    assert "2176" in why.detail
    assert "2048" in why.detail
    backend.close()


def test_more_arrays_than_the_device_binds_are_refused() -> None:
    backend = _lowered(max_bindings=2)
    picture = np.zeros((4, 4, 1), np.float32)
    ctx = EvalContext(resolution=(4, 4))
    assert backend.supports(make_job(Gain(), (picture,), ctx).task) is None
    why = backend.supports(make_job(Merge(), (picture, picture, 0.5), ctx).task)
    assert why is not None
    assert why.code is RejectionCode.LIMIT
    backend.close()


@pytest.mark.parametrize(
    ("height_px", "width_px"), [(1, 8193), (16385, 1), (1, 4_194_241), (4_194_241, 1), (3, 65537), (70001, 2)]
)
def test_no_side_and_no_number_of_groups_is_too_large(opened: OpenClBackend, height_px: int, width_px: int) -> None:
    picture = np.random.default_rng(0).random((height_px, width_px, 1), dtype=np.float32)
    job = make_job(Gain(3.0, -1.0), (picture,), EvalContext(resolution=(width_px, height_px)))
    (result,) = run_job(opened, job)
    np.testing.assert_array_equal(picture * np.float32(3) + np.float32(-1), np.asarray(result))


@pytest.mark.parametrize("width_px", [1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 4095, 4096, 4097])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_widths_around_every_run_of_pixels(opened: OpenClBackend, width_px: int, channels: int) -> None:
    picture = np.random.default_rng(0).random((3, width_px, channels), dtype=np.float32)
    job = make_job(Gain(3.0, -1.0), (picture,), EvalContext(resolution=(width_px, 3)))
    (result,) = run_job(opened, job)
    np.testing.assert_array_equal(picture * np.float32(3) + np.float32(-1), np.asarray(result))


def test_parameters_beyond_what_is_passed_by_value_go_through_a_buffer(
    opened: OpenClBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_job(Ramp(), (), EvalContext(resolution=(37, 11), time_s=0.5))
    (expected,) = run_job(opened, job)

    class Narrow:
        def __init__(self, device: object) -> None:
            self._device = device

        @property
        def max_parameter_size(self) -> int:
            return 16

        def __getattr__(self, name: str) -> object:
            return getattr(self._device, name)

    monkeypatch.setattr(opened._device, "native", Narrow(opened._device.native))
    (result,) = run_job(opened, job)
    np.testing.assert_array_equal(np.asarray(expected), np.asarray(result))
