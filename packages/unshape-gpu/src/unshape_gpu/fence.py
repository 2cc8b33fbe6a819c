"""Fences: they tell when everything that was handed over before is done."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from unshape_gpu import native

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext

_BYTES = 16
_KEPT = 16


class Fence:
    """A point in the queue of a device."""

    __slots__ = ("_fences", "_is_done", "_promise", "_staging")

    def __init__(self, fences: Fences, staging: native.Buffer, promise: native.Promise) -> None:
        self._fences = fences
        self._staging = staging
        self._promise = promise
        self._is_done = False

    def is_done(self) -> bool:
        """Return whether the device has come past it; does not wait."""
        if not self._is_done and native.is_settled(self._promise):
            self.wait(None)
        return self._is_done

    def wait(self, timeout_s: float | None) -> bool:
        """Wait until the device has come past it, at most so long; return whether it has."""
        if not self._is_done and native.settle(self._promise, timeout_s):
            self._is_done = True
            self._fences.give_back(self._staging)
        return self._is_done


class Fences:
    """Makes fences of one backend: a tiny copy to memory that can be mapped is done when all before it is.

    Parameters
    ----------
    context : GpuContext
        The device.
    """

    def __init__(self, context: GpuContext) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._ready: list[native.Buffer] = []
        self._source: native.Buffer = None

    def fence(self) -> Fence:
        """Return a fence behind everything that was handed over; called under the lock of the context."""
        device, use = self._context.device, native.usages()
        if self._source is None:
            self._source = device.create_buffer(size=_BYTES, usage=use.storage)
        with self._lock:
            staging = self._ready.pop() if self._ready else None
        if staging is None:
            staging = device.create_buffer(size=_BYTES, usage=use.staging_down)
        encoder = device.create_command_encoder()
        encoder.copy_buffer_to_buffer(self._source, 0, staging, 0, _BYTES)
        device.queue.submit([encoder.finish()])
        return Fence(self, staging, native.map_for_reading(staging))

    def give_back(self, staging: native.Buffer) -> None:
        """Take back the memory of a fence that is done."""
        with self._context.lock:
            staging.unmap()
        with self._lock:
            if len(self._ready) < _KEPT:
                self._ready.append(staging)

    def close(self) -> None:
        """Give everything back to the driver."""
        with self._lock:
            self._ready.clear()
        self._source = None

    def renew_after_fork(self) -> None:
        """Replace the lock."""
        self._lock = threading.Lock()
