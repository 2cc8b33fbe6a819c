"""Threads, cancellation, memory and settings of the backend."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from unshape_backend.availability import UnavailableReason
from unshape_backend.errors import BackendUnavailableError
from unshape_core.cancellation import CancellationToken
from unshape_core.context import EvalContext
from unshape_core.errors import Cancelled
from unshape_image.nodes import GaussianBlur
from unshape_noise.nodes import Perlin
from unshape_simd_cffi import isa as instruction_sets
from unshape_simd_cffi import native
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.buffers import SMALLEST_KEPT_BYTES, BufferPool
from unshape_simd_cffi.opening import open_backend
from unshape_simd_cffi.threads import apply_setting, thread_count
from unshape_testing.tasks import make_job, run_job
from unshape_testing.tolerance import assert_same_bits

BEST = instruction_sets.usable_isas()[-1]


@pytest.mark.parametrize("threads", [2, 3, 8, 100])
def test_the_number_of_threads_changes_no_bit(threads: int) -> None:
    job = make_job(Perlin(octaves=3), (), EvalContext(resolution=(301, 403)))
    expected = run_job(SimdBackend(BEST, threads=1), job)
    assert_same_bits(expected, run_job(SimdBackend(BEST, threads=threads), job), what=f"{threads} threads")


def test_many_evaluations_at_once_share_the_threads() -> None:
    backend = SimdBackend(BEST)
    job = make_job(Perlin(octaves=3), (), EvalContext(resolution=(101, 103)))
    expected = run_job(backend, job)
    wrong: list[AssertionError] = []

    def work() -> None:
        for _ in range(50):
            try:
                assert_same_bits(expected, run_job(backend, job), what="one of eight")
            except AssertionError as error:
                wrong.append(error)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_cancellation_ends_long_work() -> None:
    token = CancellationToken()
    ctx = EvalContext(resolution=(8192, 8192), cancellation=token)
    job = make_job(Perlin(octaves=30, scale=5.0, dimensions=3), (), ctx)
    compiled = SimdBackend(BEST, threads=1).compile(job.task)
    timer = threading.Timer(0.1, token.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        compiled(job.task.nodes, (), job.ctx)
    timer.join()
    assert time.monotonic() - started < 2.0, "expected an end soon after 0.1 s, not of all the work"


def test_a_blur_that_reaches_far_ends_before_its_first_row() -> None:
    token = CancellationToken()
    ctx = EvalContext(resolution=(1024, 8), cancellation=token)
    backend = SimdBackend(instruction_sets.usable_isas()[0], threads=1)
    weights = np.full(4001, 1 / 8001, np.float32)  # 8000 rows of 1024 pixels of 8001 taps go into the first row
    rows, columns = np.arange(8 + 8000) % 8, np.arange(1024 + 8000) % 1024
    timer = threading.Timer(0.05, token.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        backend.filters.symmetric(np.ones((8, 1024, 4), np.float32), weights, columns=columns, rows=rows, ctx=ctx)
    timer.join()
    assert time.monotonic() - started < 1.0, "expected an end soon after 0.05 s, not of several seconds of work"


def test_a_token_that_is_set_runs_nothing() -> None:
    token = CancellationToken()
    token.cancel()
    ctx = EvalContext(resolution=(16, 16), cancellation=token)
    job = make_job(Perlin(), (), ctx)
    with pytest.raises(Cancelled):
        SimdBackend(BEST).compile(job.task)(job.task.nodes, (), job.ctx)


def test_memory_of_large_outputs_is_used_again() -> None:
    pool = BufferPool()
    shape = (1024, 1025, 1)
    first = pool.empty(shape)
    address = first.ctypes.data
    assert first.nbytes >= SMALLEST_KEPT_BYTES
    part = first[5:]
    del first
    gc.collect()
    assert pool.reserved_bytes == 0, "expected a view to keep the block"
    del part
    gc.collect()
    assert pool.reserved_bytes >= SMALLEST_KEPT_BYTES
    assert pool.empty(shape).ctypes.data == address
    gc.collect()
    assert pool.trim() >= SMALLEST_KEPT_BYTES
    assert pool.reserved_bytes == 0


def test_two_outputs_share_no_memory() -> None:
    pool = BufferPool()
    first, second = pool.empty((1024, 1025, 1)), pool.empty((1024, 1025, 1))
    assert not np.shares_memory(first, second)


def test_the_instruction_set_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for isa in instruction_sets.usable_isas():
        monkeypatch.setenv(instruction_sets.VARIABLE, isa.name.upper())
        assert open_backend().isa == isa


def test_an_unknown_instruction_set_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(instruction_sets.VARIABLE, "mmx")
    with pytest.raises(BackendUnavailableError, match=r"expected one of .*got 'mmx'"):
        open_backend()


def test_the_number_of_threads_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSHAPE_THREADS", "3")
    apply_setting()
    assert thread_count() == 3
    native.load().lib.us_set_threads(0)
    monkeypatch.setenv("UNSHAPE_THREADS", "none")
    with pytest.raises(BackendUnavailableError, match="UNSHAPE_THREADS"):
        open_backend()


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "\u00b2", "\u0663", "9" * 5000])
def test_a_number_of_threads_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("UNSHAPE_THREADS", text)
    with pytest.raises(BackendUnavailableError, match=r"UNSHAPE_THREADS: expected a whole number from 1 to .*, got"):
        open_backend()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="counts threads as Linux does")
def test_evaluations_at_once_start_no_more_threads_than_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    program = """
import os, threading, time
from unshape_core.context import EvalContext
from unshape_noise.nodes import Perlin
from unshape_simd_cffi.opening import open_backend
from unshape_testing.tasks import make_job, run_job

before = len(os.listdir("/proc/self/task"))
backends = [open_backend() for _ in range(8)]
job = make_job(Perlin(octaves=3), (), EvalContext(resolution=(301, 403)))
callers = [threading.Thread(target=run_job, args=(backend, job)) for backend in backends for _ in range(4)]
for caller in callers:
    caller.start()
for caller in callers:
    caller.join()
deadline = time.monotonic() + 10.0
while (more := len(os.listdir("/proc/self/task")) - before) > 4 and time.monotonic() < deadline:
    time.sleep(0.01)  # a thread that was joined may still be about to end
print(more)
"""
    monkeypatch.setenv("UNSHAPE_THREADS", "5")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) == 4, "expected one pool, of as many threads as the setting says but for the caller"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="counts resident pages as Linux does")
def test_threads_keep_no_memory_that_only_an_unusual_size_needs() -> None:
    backend = SimdBackend(BEST, threads=1)
    tall = np.broadcast_to(np.float32(0.5), (8192, 1024, 4))
    weights = np.full((8192, 1), 2.0**-13, np.float32)
    before = _resident_bytes()
    backend.filters.taps(
        tall,
        columns=np.arange(1024)[None],
        column_weights=np.ones((1, 1024), np.float32),
        rows=np.arange(8192)[:, None],
        row_weights=weights,
        ctx=EvalContext(resolution=(1024, 1)),
    )
    assert _resident_bytes() - before < 40 * 2**20, "expected 128 MiB of rows to be given back"


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def test_a_library_that_was_not_built_is_a_reason_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        message = "No module named 'unshape_simd_cffi._native'"
        raise ImportError(message)

    monkeypatch.setattr(native, "load", missing)
    with pytest.raises(BackendUnavailableError) as caught:
        open_backend()
    assert caught.value.availability.reason is UnavailableReason.NOT_BUILT
    assert "pip install" in caught.value.availability.remedy


def test_other_bits_than_the_definition_fail_the_self_test(monkeypatch: pytest.MonkeyPatch) -> None:
    from unshape_simd_cffi.program import Program

    run = Program.run

    def wrong(self: Program, *args: object, **named: object) -> None:
        run(self, *args, **named)  # type: ignore[arg-type]
        args[2][0][0, 0, 0] += 1e-6  # type: ignore[index]

    monkeypatch.setattr(Program, "run", wrong)
    with pytest.raises(BackendUnavailableError) as caught:
        open_backend()
    assert caught.value.availability.reason is UnavailableReason.FAILED_SELF_TEST


def test_filters_are_cancelled() -> None:
    token = CancellationToken()
    picture = np.ones((64, 64, 4), np.float32)
    job = make_job(GaussianBlur(3.0), (picture,), EvalContext(resolution=(64, 64), cancellation=token))
    backend = SimdBackend(BEST)
    from unshape_image.kernels.simd.table import KERNELS

    for kernel in KERNELS:
        backend.register_kernel(kernel)
    compiled = backend.compile(job.task)
    token.cancel()
    with pytest.raises(Cancelled):
        compiled(job.task.nodes, (picture,), job.ctx)
