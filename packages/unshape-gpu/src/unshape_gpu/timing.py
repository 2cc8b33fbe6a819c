"""Times on the device: how long each kernel of a submission took, by timestamps that the device itself writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unshape_gpu import native
from unshape_gpu.native_encoding import Encoding
from unshape_gpu.native_objects import Buffer, create_buffer
from unshape_gpu.single_run import read_buffer

if TYPE_CHECKING:
    from unshape_gpu.queue import GpuQueue


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelTime:
    """How long one kernel took on the device.

    Parameters
    ----------
    name : str
        The node type.
    start_ns, duration_ns : int
        On the device's own clock.
    """

    name: str
    start_ns: int
    duration_ns: int


class KernelTimer:
    """Tells how long a kernel that was recorded takes, once somebody asks.

    Parameters
    ----------
    queue : GpuQueue
        Where it was recorded.
    name : str
        The node type.
    """

    __slots__ = ("_name", "_queue", "_times", "number")

    def __init__(self, queue: GpuQueue, name: str) -> None:
        self._queue = queue
        self._name = name
        self._times: PassTimes | None = None
        self.number = 0

    def measured_by(self, times: PassTimes, number: int) -> None:
        """Say which timestamps are those of this kernel."""
        self._times, self.number = times, number

    def time(self) -> KernelTime | None:
        """Hand over what was recorded, wait for the kernel and return its time; None if the device cannot tell."""
        try:
            if self._times is None:
                self._queue.submit_now()
            if self._times is None:
                return None
            start_ns, stop_ns = self._times.read(self._queue)[self.number]
        except Exception:  # the work failed, the device is lost, or the backend closed: who waits for values is told
            return None
        return KernelTime(name=self._name, start_ns=start_ns, duration_ns=max(0, stop_ns - start_ns))

    def duration_ns(self) -> int | None:
        """Return the nanoseconds of :meth:`time`; a ``TimeReader`` of unshape-core."""
        found = self.time()
        return None if found is None else found.duration_ns


class PassTimes:
    """Timestamps before and after some kernels of one submission. Made and written under the lock of the context.

    Parameters
    ----------
    device : wgpu device
        With timestamps.
    timers : sequence of KernelTimer
        The kernels.
    """

    def __init__(self, device: native.Device, timers: Sequence[KernelTimer]) -> None:
        self._count = len(timers)
        self._period_ns = native.timestamp_period_ns(device)
        self._queries = native.timestamp_query_set(device, 2 * self._count)
        self._resolved: Buffer | None = create_buffer(device, 16 * self._count, native.usages().queries)
        self._times: list[tuple[int, int]] = []
        for number, timer in enumerate(timers):
            timer.measured_by(self, number)

    def begin(self, running: native.Encoder, number: int) -> None:
        """Note the time before a kernel."""
        native.write_timestamp(running, self._queries, 2 * number)

    def end(self, running: native.Encoder, number: int) -> None:
        """Note the time after it."""
        native.write_timestamp(running, self._queries, 2 * number + 1)

    def resolve(self, encoding: Encoding) -> None:
        """Record that the timestamps become numbers."""
        if self._resolved is not None:
            encoding.resolve(self._queries, 2 * self._count, self._resolved)

    def read(self, queue: GpuQueue) -> list[tuple[int, int]]:
        """Wait for the submission and return begin and end of each kernel."""
        with queue.context.lock:
            if self._resolved is not None:
                data = read_buffer(queue.context.device, self._resolved)
                ticks = np.frombuffer(data, np.uint64).reshape(self._count, 2)
                self._times = [(int(int(a) * self._period_ns), int(int(b) * self._period_ns)) for a, b in ticks]
                self._queries = self._resolved = None
            return self._times
