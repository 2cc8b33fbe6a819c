"""Fences: they tell when everything that was handed over before is done."""

from __future__ import annotations

from unshape_gpu import native_waiting
from unshape_gpu.native import Device


class Fence:
    """A point in the queue of a device: behind everything that was handed over when it was made.

    Parameters
    ----------
    device : wgpu device
        The device.
    submission : int
        The last one before it.
    """

    __slots__ = ("_device", "_signal", "_submission")

    def __init__(self, device: Device, submission: int) -> None:
        self._device = device
        self._submission = submission
        self._signal = native_waiting.when_done(device)

    def is_done(self) -> bool:
        """Return whether the device has come past it; does not wait."""
        return native_waiting.has_happened(self._device, self._signal)

    def wait(self, timeout_s: float | None) -> bool:
        """Wait until the device has come past it, at most so long; return whether it has."""
        if timeout_s is not None:
            return native_waiting.wait_at_most(self._device, self._signal, timeout_s)
        native_waiting.wait(self._device, self._signal, self._submission)
        return True
