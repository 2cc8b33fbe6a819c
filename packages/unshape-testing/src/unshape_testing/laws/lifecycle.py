"""Laws 1 to 4: opening and closing, errors, nothing to do, and no leak."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_backend.errors import BackendUnavailableError
from unshape_backend.identity import parse_backend_id
from unshape_backend.protocols import PROTOCOL_VERSION, CompiledTask, ComputeBackend
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST
from unshape_core.value import Value
from unshape_testing.laws.expect import assert_no_leak, closed, live_bytes, picture, refusal
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.nodes import Gain, Merge
from unshape_testing.tasks import Job, make_job, on_host, run_job
from unshape_testing.tolerance import assert_same_bits, assert_within

OpenBackend: TypeAlias = Callable[[], ComputeBackend]

PROBE = np.array([[[1.0], [2.0]], [[-3.0], [0.5]]], np.float32)
"""A picture of 2 by 2 pixels with one channel."""


def probe_job() -> Job:
    """Return a tiny piece of work: doubling a picture."""
    return make_job(Gain(2.0, 0.0), (PROBE,), EvalContext(resolution=(2, 2)))


def check_opens_and_runs(open_backend: OpenBackend) -> None:
    """Law 1: probing gives a backend on which a tiny kernel runs, or a reason with what to do about it."""
    try:
        backend = open_backend()
    except BackendUnavailableError as error:
        _check_reason(error)
        return
    try:
        assert backend.protocol_version == PROTOCOL_VERSION
        assert parse_backend_id(backend.id) == backend.capabilities.id
        assert backend.capabilities.device.fingerprint, "measurements need a fingerprint of the device"
        _check_doubles(backend, "a backend that opens")
    finally:
        backend.close()


def check_opens_twice(open_backend: OpenBackend) -> None:
    """Law 1: two open backends do not disturb each other, and closing one leaves the other usable."""
    first, second = open_backend(), open_backend()
    try:
        _check_doubles(first, "the first of two")
        first.close()
        _check_doubles(second, "the second of two, the first closed")
    finally:
        first.close()
        second.close()


def check_is_closed_after_close(open_backend: OpenBackend) -> None:
    """Law 1: closing twice is no error, and everything else after it is a BackendClosedError."""
    backend, job = open_backend(), probe_job()
    run = backend.compile(job.task)
    value = backend.upload(PROBE)
    backend.close()
    backend.close()
    calls: dict[str, Callable[[], object]] = {
        "supports": lambda: backend.supports(job.task),
        "estimate_cost": lambda: backend.estimate_cost(job.task),
        "compile": lambda: backend.compile(job.task),
        "upload": lambda: backend.upload(PROBE),
        "download": lambda: backend.download(value),
        "flush": backend.flush,
        "synchronize": backend.synchronize,
        "memory": backend.memory,
    }
    if backend.capabilities.space != HOST:  # host memory is there with and without a backend
        calls["run"] = lambda: run(job.task.nodes, [value], job.ctx)
    for name, call in calls.items():
        with closed(backend, name):
            call()


def check_refuses_foreign_values(backend: ComputeBackend) -> None:
    """Law 2: what is no value of this backend is refused by name; nothing is fabricated from it."""
    job, other = probe_job(), LoopbackBackend(id="elsewhere")
    run = backend.compile(job.task)
    foreign: list[Any] = [None, "a picture", [[1.0]], object(), 1.0, other.upload(PROBE)]
    if backend.capabilities.space != HOST:
        foreign.append(PROBE)
    for value in foreign:
        what = f"a value of {type(value).__name__}"
        with refusal(f"download of {what}", "download", backend.id):
            backend.download(value)
        with refusal(f"run with {what}", job.task.node.type_name, backend.id):
            _run(backend, job, run, [value])
    arrays: list[Any] = [None, "a picture", np.array([object()])]
    for array in arrays:
        with refusal(f"upload of {type(array).__name__}", "upload", backend.id):
            backend.upload(array)


def check_refuses_wrong_inputs(backend: ComputeBackend) -> None:
    """Law 2: a wrong element type, size or number of inputs is refused, naming node and backend."""
    job = probe_job()
    run = backend.compile(job.task)
    wrong: dict[str, list[npt.NDArray[Any]]] = {
        "float64": [PROBE.astype(np.float64)],
        "int32": [PROBE.astype(np.int32)],
        "half the rows": [PROBE[:1]],
        "twice the rows": [np.concatenate([PROBE, PROBE])],
        "two channels": [np.concatenate([PROBE, PROBE], axis=2)],
        "no axis": [PROBE.reshape(4)],
        "no input": [],
        "two inputs": [PROBE, PROBE],
    }
    for what, arrays in wrong.items():
        values = [backend.upload(array) for array in arrays]
        with refusal(f"run with {what}", job.task.node.type_name, backend.id):
            _run(backend, job, run, values)


def check_does_nothing_for_zero_elements(backend: ComputeBackend) -> None:
    """Law 3: nothing in, nothing out: right shape and type, no memory taken."""
    before = live_bytes(backend)
    for height_px, width_px in ((0, 5), (5, 0), (0, 0)):
        empty = np.zeros((height_px, width_px, 3), np.float32)
        job = make_job(Merge(), (empty, empty, 0.25), EvalContext(resolution=(width_px, height_px)))
        values = [backend.upload(value) if isinstance(value, np.ndarray) else value for value in job.inputs]
        outputs = backend.compile(job.task)(job.task.nodes, values, job.ctx)
        backend.flush()
        assert live_bytes(backend) == before, f"{height_px} x {width_px}: expected no memory to be taken"
        assert_same_bits([empty], [on_host(backend, each) for each in outputs], what=f"{height_px} x {width_px}")


def check_leaks_nothing_in_runs(backend: ComputeBackend) -> None:
    """Law 4: 100 runs leave nothing behind."""
    size = picture(48, 48, 4)
    job = make_job(Gain(), (size,), EvalContext(resolution=(48, 48)))
    assert_no_leak(
        lambda: run_job(backend, job), runs=100, unit_bytes=2 * size.nbytes, held=lambda: live_bytes(backend)
    )


def check_leaks_nothing_in_failing_runs(backend: ComputeBackend) -> None:
    """Law 4: 100 runs that fail leave nothing behind."""
    size = picture(48, 48, 4)
    job = make_job(Merge(), (size, size, 0.25), EvalContext(resolution=(48, 48)))
    run = backend.compile(job.task)

    def fail() -> None:
        with contextlib.suppress(InvalidArgumentError):
            _run(backend, job, run, [backend.upload(size), backend.upload(size[:5]), 0.25])

    assert_no_leak(fail, runs=100, unit_bytes=2 * size.nbytes, held=lambda: live_bytes(backend))


def check_leaks_nothing_when_opened_often(open_backend: OpenBackend, *, runs: int = 100) -> None:
    """Law 4: 100 opens, uses and closes leave nothing behind.

    Parameters
    ----------
    open_backend : callable
        Opens the backend.
    runs : int
        How often; a device that takes long to open is opened less often.
    """
    size = picture(48, 48, 4)
    job = make_job(Gain(), (size,), EvalContext(resolution=(48, 48)))

    def use() -> None:
        backend = open_backend()
        run_job(backend, job)
        backend.close()

    assert_no_leak(use, runs=runs, unit_bytes=2 * size.nbytes, held=lambda: 0)


def _check_reason(error: BackendUnavailableError) -> None:
    assert error.availability.detail, "an unavailable backend says what was tried"


def _check_doubles(backend: ComputeBackend, what: str) -> None:
    assert_within([PROBE * 2], run_job(backend, probe_job()), ulp=1, absolute=0.0, what=f"{what} doubles a picture")


def _run(
    backend: ComputeBackend,
    job: Job,
    run: CompiledTask,
    inputs: Sequence[Value],
) -> None:
    """Run and wait, so that an error that comes late is seen."""
    for value in run(job.task.nodes, inputs, job.ctx):
        on_host(backend, value)
