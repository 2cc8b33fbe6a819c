"""What is left of a device when its backend is closed and gone: nothing."""

from __future__ import annotations

import gc
import time
from typing import Any

import numpy as np
import pyopencl as cl
import pytest

from unshape_backend.kernel_library import KernelLibrary
from unshape_core.context import EvalContext
from unshape_image import GaussianBlur, MapPixels
from unshape_opencl.discovery import list_devices, open_device
from unshape_testing.tasks import make_job, run_job

RELEASE_LIMIT_S = 5.0
"""Drivers let go of what was mapped and of events with threads of their own."""


def _closed(*, as_gpu: bool, kept: list[Any]) -> cl.Context:
    """Use a backend for expressions, kernels and transfers, close it, and return its context; keep one result."""
    backend = open_device(list_devices()[0], as_gpu=as_gpu)
    KernelLibrary().give(backend, "opencl")
    picture = np.ones((300, 300, 3), np.float32)
    for node in (MapPixels("color + 1.0"), GaussianBlur(sigma_px=2.0)):
        run_job(backend, make_job(node, (picture,), EvalContext(resolution=(300, 300))))
    value = backend.upload(picture)
    for _ in range(4):  # the last ones into pinned memory
        backend.download(value)
    with backend.kernel_times():  # through the queue that keeps times
        run_job(backend, make_job(MapPixels("color + 1.0"), (picture,), EvalContext(resolution=(300, 300))))
    kept.append(value)
    context = backend._device.queue.native.context
    backend.close()
    return context


def _references(context: cl.Context, expected: int) -> int:
    """Return the references to a context, when they are as few as expected or time is up."""
    stop = time.monotonic() + RELEASE_LIMIT_S
    while gc.collect() >= 0 and context.reference_count > expected and time.monotonic() < stop:
        time.sleep(0.01)
    return int(context.reference_count)


@pytest.mark.parametrize("as_gpu", [False, True], ids=["as it is", "as a GPU"])
def test_nothing_refers_to_the_context_of_a_backend_that_is_closed_and_gone(*, as_gpu: bool) -> None:
    kept: list[Any] = []
    context = _closed(as_gpu=as_gpu, kept=kept)
    kept.clear()
    assert 1 == _references(context, 1), "the one that asks"


def test_an_array_that_is_kept_is_seen_as_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.RELEASE_LIMIT_S", 0.0)
    kept: list[Any] = []
    context = _closed(as_gpu=False, kept=kept)
    assert 1 < _references(context, 1)
