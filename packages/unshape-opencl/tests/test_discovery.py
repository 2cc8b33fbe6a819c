"""What discovery says when there is nothing to find, and when what it finds does not work."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyopencl as cl
import pytest

from unshape_backend.availability import UnavailableReason
from unshape_backend.config import Settings
from unshape_backend.errors import BackendUnavailableError
from unshape_opencl import discovery, self_test
from unshape_opencl.discovery import list_devices, open_backends, open_device
from unshape_opencl.source import library


def _raise(error: Exception) -> Callable[..., Any]:
    def call(*_arguments: object, **_named: object) -> Any:
        raise error

    return call


def _why(call: Callable[[], object]) -> tuple[UnavailableReason, str]:
    with pytest.raises(BackendUnavailableError) as caught:
        call()
    why = caught.value.availability
    assert why.detail
    return why.reason, why.remedy


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyopencl", None)
    assert (UnavailableReason.NOT_INSTALLED, "pip install 'unshape[opencl]'") == _why(open_backends)


def test_no_driver_is_a_reason_with_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cl, "get_platforms", list)
    reason, remedy = _why(open_backends)
    assert reason is UnavailableReason.NO_DRIVER
    assert "apt-get install" in remedy


def test_a_loader_that_fails_is_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    error = cl.LogicError("clGetPlatformIDs", -1001, "PLATFORM_NOT_FOUND_KHR")
    monkeypatch.setattr(cl, "get_platforms", _raise(error))
    assert _why(open_backends)[0] is UnavailableReason.NO_DRIVER


def test_drivers_without_a_device_are_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = SimpleNamespace(name="empty", get_devices=list)
    failing = SimpleNamespace(name="failing", get_devices=_raise(cl.RuntimeError("clGetDeviceIDs", -1, "none")))
    monkeypatch.setattr(cl, "get_platforms", lambda: [empty, failing])
    assert _why(open_backends)[0] is UnavailableReason.NO_DEVICE


def test_a_listed_device_that_builds_nothing_has_failed_to_open(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(self_test, "library", lambda name: library(name) + "\nthis is no C\n")
    settings = Settings(cache_dir=tmp_path)
    assert _why(lambda: open_device(list_devices()[0], settings=settings))[0] is UnavailableReason.FAILED_TO_OPEN


def test_a_device_that_computes_something_else_has_failed_its_self_test(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(self_test, "library", lambda name: library(name).replace("x * y + x", "x * y - x"))
    settings = Settings(cache_dir=tmp_path)
    assert _why(lambda: open_device(list_devices()[0], settings=settings))[0] is UnavailableReason.FAILED_SELF_TEST


def test_one_device_that_fails_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    (device, *_) = list_devices()
    broken = SimpleNamespace(name="broken", platform=SimpleNamespace(name="broken platform"), type=device.type)
    monkeypatch.setattr(discovery, "list_devices", lambda: [broken, device])
    real = discovery.open_device

    def open_or_fail(each: Any, **named: Any) -> Any:
        if each is broken:
            raise discovery.unavailable(UnavailableReason.FAILED_TO_OPEN, "it is broken", "replace it")
        return real(each, **named)

    monkeypatch.setattr(discovery, "open_device", open_or_fail)
    (backend,) = open_backends()
    assert backend.id == "opencl"
    backend.close()


def test_gpus_come_first_and_simulators_last(monkeypatch: pytest.MonkeyPatch) -> None:
    def platform(name: str, type_: int) -> SimpleNamespace:
        made = SimpleNamespace(name=name)
        made.get_devices = lambda: [SimpleNamespace(platform=made, type=type_)]
        return made

    kinds = cl.device_type
    named = [
        ("Oclgrind", kinds.CPU | kinds.GPU),
        ("Portable Computing Language", kinds.CPU),
        ("NVIDIA CUDA", kinds.GPU),
    ]
    monkeypatch.setattr(cl, "get_platforms", lambda: [platform(name, type_) for name, type_ in named])
    assert ["NVIDIA CUDA", "Portable Computing Language", "Oclgrind"] == [d.platform.name for d in list_devices()]


def test_a_cpu_that_plays_the_device_says_so() -> None:
    for device in list_devices():
        if device.type & cl.device_type.CPU:
            backend = open_device(device)
            assert backend.capabilities.device.is_software
            assert str(backend.capabilities.kind) == "cpu"
            backend.close()


@pytest.mark.parametrize(
    ("right", "wrong", "claim"),
    [
        ("x * x - y", "fma(x, x, -y)", "exact-f32"),
        ("x / y", "x * (1.0f / y)", "exact-f32"),
        ("us_min_f(x, y)", "fmin(x, y)", "exact-f32"),
        ("x * US_F(0.5f)", "US_SELECT(fabs(x) < US_F(1e-37f), US_F(0.0f), x * US_F(0.5f))", "denormals"),
    ],
    ids=["contracted", "reciprocal", "minimum-drops-nan", "flushed"],
)
def test_the_self_test_withdraws_a_claim_that_is_not_true(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, right: str, wrong: str, claim: str
) -> None:
    settings = Settings(cache_dir=tmp_path)
    honest = open_device(list_devices()[0], settings=settings)
    assert claim in honest.capabilities.features
    honest.close()
    monkeypatch.setattr(self_test, "library", lambda name: library(name).replace(f", {right})", f", {wrong})"))
    sabotaged = open_device(list_devices()[0], settings=settings)
    assert claim not in sabotaged.capabilities.features
    sabotaged.close()
