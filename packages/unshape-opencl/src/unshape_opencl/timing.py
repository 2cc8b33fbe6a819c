"""Times of kernels, as the device's own clock has them: no transfer, no queueing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyopencl as cl

from unshape_opencl.queue import Queue, duration_ns


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelTime:
    """How long one launch took.

    Parameters
    ----------
    name : str
        The node type.
    duration_ns : int
        From its start to its end on the device.
    """

    name: str
    duration_ns: int


class Timings:
    """Times of a queue's kernels, while somebody wants them. Safe to use from several threads.

    Parameters
    ----------
    queue : Queue
        The queue.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._lock = threading.Lock()

    @contextmanager
    def recorded(self) -> Iterator[list[KernelTime]]:
        """Record the kernels that are launched inside; their times are in the list after the block, which waits."""
        times: list[KernelTime] = []
        with self._lock:
            events: list[tuple[str, cl.Event]] = []
            try:
                with self._queue.watched() as events:
                    yield times
            finally:
                found = [(name, duration_ns(event)) for name, event in events]
                times += [KernelTime(name=name, duration_ns=each) for name, each in found if each is not None]
