"""The loopback's queue: work that is recorded, handed over, and run in order when somebody waits for it."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_core.errors import InvalidArgumentError
from unshape_testing.guarded_memory import Buffer

MAX_WAITING = 64
"""Jobs that are handed over and not run yet, at most; more are run at once, as a device's queue would."""

Place: TypeAlias = tuple[Buffer, tuple[int, ...], np.dtype[Any]]
"""Memory, and the shape and type of the elements that it is for."""


class Job:
    """One piece of work: fills buffers that were allocated when it was recorded.

    Parameters
    ----------
    work : callable
        Returns one host array for each output.
    outputs : sequence of (Buffer, shape, dtype)
        What it fills; the job keeps the memory alive until it has run.
    where : str
        Begins error messages.

    Attributes
    ----------
    duration_ns : int or None
        How long it ran; None before that.
    """

    __slots__ = ("_outputs", "_where", "_work", "duration_ns", "error", "is_done")

    def __init__(self, work: Callable[[], Sequence[object]], outputs: Sequence[Place], *, where: str) -> None:
        self._work: Callable[[], Sequence[object]] | None = work
        self._outputs = outputs
        self._where = where
        self.error: BaseException | None = None
        self.is_done = False
        self.duration_ns: int | None = None

    def doom(self, error: Exception) -> None:
        """Let the job fail with that error when its turn comes."""

        def fail() -> Sequence[object]:
            raise error

        self._work = fail

    def run(self) -> None:
        """Do the work once; what goes wrong is kept for whoever waits."""
        work = self._work
        if work is None:
            return
        start_ns = time.perf_counter_ns()
        try:
            for result, (buffer, shape, dtype) in zip(work(), self._outputs, strict=True):
                _check(result, shape, dtype, self._where)
                buffer.view(shape, dtype)[...] = result
        except Exception as error:
            self.error = error
        self.duration_ns = time.perf_counter_ns() - start_ns
        self._work, self._outputs, self.is_done = None, (), True


def _check(result: object, shape: tuple[int, ...], dtype: np.dtype[Any], where: str) -> None:
    if not isinstance(result, np.ndarray) or result.shape != shape or result.dtype != dtype:
        got = f"{result.dtype}{result.shape}" if isinstance(result, np.ndarray) else type(result).__name__
        msg = f"{where}: expected {dtype}{shape} as inferred, got {got}; correct the node's infer or its result"
        raise InvalidArgumentError(msg)


class LoopbackQueue:
    """Jobs in order. Safe to use from several threads; a job runs in the thread that waits for it."""

    def __init__(self) -> None:
        self._recorded: deque[Job] = deque()
        self._waiting: deque[Job] = deque()
        self._failed: deque[Job] = deque()
        self._lock = threading.RLock()
        self.submissions = 0

    def record(self, job: Job) -> None:
        """Add a job; it is not handed over yet."""
        with self._lock:
            self._recorded.append(job)

    def submit(self) -> None:
        """Hand over what was recorded; nothing recorded is no submission."""
        with self._lock:
            if not self._recorded:
                return
            self.submissions += 1
            self._waiting.extend(self._recorded)
            self._recorded.clear()
            while len(self._waiting) > MAX_WAITING:
                self._run_first()

    def wait_for(self, job: Job | None) -> None:
        """Hand over and run everything up to a job, and raise what went wrong with it."""
        if job is None:
            return
        with self._lock:
            self.submit()
            while not job.is_done:
                self._run_first()
            if job.error is not None:
                if job in self._failed:
                    self._failed.remove(job)
                raise job.error

    def time_of(self, job: Job) -> int | None:
        """Return how long a job ran, after running everything up to it; None if it was discarded."""
        with self._lock:
            self.submit()
            while not job.is_done and self._waiting:
                self._run_first()
            return job.duration_ns

    def drain(self) -> None:
        """Hand over and run everything, and raise the first error that nobody has been told of."""
        with self._lock:
            self.submit()
            while self._waiting:
                self._run_first()
            failed = list(self._failed)
            self._failed.clear()
        if failed and failed[0].error is not None:
            raise failed[0].error

    def discard(self) -> None:
        """Forget everything that has not run."""
        with self._lock:
            self._recorded.clear()
            self._waiting.clear()
            self._failed.clear()

    def _run_first(self) -> None:
        job = self._waiting.popleft()
        job.run()
        if job.error is not None:
            self._failed.append(job)


def read(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a read-only view, so that work cannot change its inputs by accident."""
    view = array.view()
    view.flags.writeable = False
    return view
