"""Times of kernels, as the device's own clock has them: no transfer, no queueing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyopencl as cl


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
    """Collects the events of kernels while somebody wants them. Safe to use from several threads."""

    def __init__(self) -> None:
        self._events: list[tuple[str, cl.Event]] | None = None
        self._lock = threading.Lock()

    def note(self, name: str, event: cl.Event) -> None:
        """Remember a launch, if times are wanted."""
        events = self._events
        if events is not None:
            events.append((name, event))

    @contextmanager
    def recorded(self) -> Iterator[list[KernelTime]]:
        """Record the kernels that are launched inside; their times are in the list after the block, which waits."""
        times: list[KernelTime] = []
        with self._lock:
            events: list[tuple[str, cl.Event]] = []
            self._events = events
            try:
                yield times
            finally:
                self._events = None
                for name, event in events:
                    event.wait()
                    times.append(KernelTime(name=name, duration_ns=event.profile.end - event.profile.start))
