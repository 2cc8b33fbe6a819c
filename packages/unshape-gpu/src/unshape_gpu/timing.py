"""Times on the device: how long each kernel of a submission took, by timestamps that the device itself writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unshape_gpu import native

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext

_MOST_KERNELS = 512


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


class PassTimer:
    """Writes a timestamp before and after each kernel. Called under the lock of the context.

    Parameters
    ----------
    context : GpuContext
        A device with the feature TIMESTAMPS.
    """

    def __init__(self, context: GpuContext) -> None:
        self._context = context
        device, use = context.device, native.usages()
        self._period_ns = native.timestamp_period_ns(device)
        self._queries = native.timestamp_query_set(device, 2 * _MOST_KERNELS)
        self._resolved = device.create_buffer(size=16 * _MOST_KERNELS, usage=use.queries)
        self._labels: list[str] = []
        self._times: list[KernelTime] = []

    def prepare(self, kernels: int) -> None:
        """Make room for the kernels of the next submission."""
        if len(self._labels) + kernels > _MOST_KERNELS:
            self.collect()

    def begin(self, running: native.Encoder, label: str) -> None:
        """Note the time before a kernel."""
        native.write_timestamp(running, self._queries, 2 * len(self._labels))
        self._labels.append(label)

    def end(self, running: native.Encoder) -> None:
        """Note the time after it."""
        native.write_timestamp(running, self._queries, 2 * len(self._labels) - 1)

    def resolve(self, encoder: native.Encoder) -> None:
        """Record that the timestamps of this submission become numbers."""
        if self._labels:
            encoder.resolve_query_set(self._queries, 0, 2 * len(self._labels), self._resolved, 0)

    def collect(self) -> None:
        """Wait for the times of what was handed over, and keep them."""
        count = len(self._labels)
        if count:
            raw = np.frombuffer(self._context.device.queue.read_buffer(self._resolved, 0, 16 * count), np.uint64)
            for label, (start, stop) in zip(self._labels, raw.reshape(count, 2), strict=True):
                start_ns, stop_ns = int(int(start) * self._period_ns), int(int(stop) * self._period_ns)
                self._times.append(KernelTime(name=label, start_ns=start_ns, duration_ns=max(0, stop_ns - start_ns)))
            self._labels = []

    def take(self) -> tuple[KernelTime, ...]:
        """Return the times since the last call."""
        self.collect()
        times, self._times = self._times, []
        return tuple(times)
