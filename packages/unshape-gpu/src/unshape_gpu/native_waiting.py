"""The seam to wgpu for everything that takes time: mapping, and waiting in the thread that asks.

wgpu's own way is a promise and a thread that polls; while that thread waits for the device, nobody can hand anything
over, and whoever waits is woken up late. So here callbacks set a :class:`Signal`, and who waits for one polls.
"""

from __future__ import annotations

import itertools
import time
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_gpu.native import Device, checked_library, library
from unshape_gpu.native_objects import Buffer

Bytes = npt.NDArray[np.uint8]

_MOST_S = 60.0
"""So long a device may say that it is done without telling whoever waits: then it is gone."""
_SHORTEST_NAP_S, _NAP_S = 0.00002, 0.0002


class Signal:
    """Whether something has happened on a device.

    Attributes
    ----------
    is_set : bool
        Whether it has.
    failure : str
        Why it never will, empty if it may.
    """

    __slots__ = ("failure", "is_set")

    def __init__(self) -> None:
        self.is_set = False
        self.failure = ""


def wait_until_idle(device: Device) -> None:
    """Wait until the device has done everything that was handed over."""
    lib, ffi = library()
    lib.wgpuDevicePoll(device._internal, 1, ffi.NULL)  # 1: wait


def wait(device: Device, signal: Signal, submission: int) -> None:
    """Wait for what happens at the end of a submission.

    Raises
    ------
    RuntimeError
        If it never will.
    """
    lib, ffi = library()
    number = ffi.new("uint64_t *", submission)
    lib.wgpuDevicePoll(device._internal, 1, number)
    # Another thread may have been told instead of this one, and not have come to tell it.
    nap_s, end_s = _SHORTEST_NAP_S, 0.0
    while not signal.is_set and not signal.failure:
        end_s = end_s or time.monotonic() + _MOST_S
        if time.monotonic() > end_s:
            break
        time.sleep(nap_s)
        nap_s = min(2.0 * nap_s, _NAP_S)
        lib.wgpuDevicePoll(device._internal, 0, ffi.NULL)
    if signal.is_set:
        return
    msg = f"the device is lost: {signal.failure or 'it answers no more'}"
    raise RuntimeError(msg)


def has_happened(device: Device, signal: Signal) -> bool:
    """Return whether a signal is set; does not wait."""
    if not signal.is_set:
        lib, ffi = library()
        lib.wgpuDevicePoll(device._internal, 0, ffi.NULL)
    return signal.is_set


def wait_at_most(device: Device, signal: Signal, timeout_s: float) -> bool:
    """Wait for a signal for a while and return whether it is set."""
    end_s = time.monotonic() + timeout_s
    while not has_happened(device, signal) and not signal.failure and time.monotonic() < end_s:
        time.sleep(_NAP_S)
    return signal.is_set


def when_done(device: Device) -> Signal:
    """Return a signal that is set when everything that was handed over so far is done."""
    lib, ffi = library()
    signal, handle = _announced()
    info = ffi.new("WGPUQueueWorkDoneCallbackInfo *")
    info.mode = lib.WGPUCallbackMode_AllowProcessEvents
    info.callback = _callbacks()[0]
    info.userdata1 = handle
    lib.wgpuQueueOnSubmittedWorkDone(device.queue._internal, info[0])
    return signal


def begin_map(buffer: Buffer, nbytes: int, *, for_writing: bool) -> Signal:
    """Begin to map the first bytes of a staging buffer; the signal comes when work that uses it is done."""
    lib, ffi = library()
    signal, handle = _announced()
    info = ffi.new("WGPUBufferMapCallbackInfo *")
    info.mode = lib.WGPUCallbackMode_AllowProcessEvents
    info.callback = _callbacks()[1]
    info.userdata1 = handle
    mode = 2 if for_writing else 1  # WGPUMapMode_Write, WGPUMapMode_Read
    checked_library().wgpuBufferMapAsync(buffer._internal, mode, 0, nbytes, info[0])
    return signal


def mapped(buffer: Buffer, nbytes: int, *, for_writing: bool) -> Bytes:
    """Return the memory of a mapped staging buffer; not to be used after :func:`unmap`."""
    _, ffi = library()
    of = checked_library().wgpuBufferGetMappedRange if for_writing else checked_library().wgpuBufferGetConstMappedRange
    memory = ffi.cast("void *", of(buffer._internal, 0, nbytes))
    return np.frombuffer(ffi.buffer(memory, nbytes), np.uint8)


def unmap(buffer: Buffer) -> None:
    """Give the memory of a mapped staging buffer back to the device."""
    checked_library().wgpuBufferUnmap(buffer._internal)


_pending: dict[int, Signal] = {}
"""Signals that are waited for; the library knows their numbers."""
_numbers = itertools.count(1)


def _announced() -> tuple[Signal, Any]:
    _, ffi = library()
    signal, number = Signal(), next(_numbers)
    _pending[number] = signal
    return signal, ffi.cast("void *", number)


def _happened(number: int, failure: str) -> None:
    signal = _pending.pop(number)
    signal.failure = failure
    signal.is_set = not failure


@cache
def _callbacks() -> tuple[Any, Any]:
    lib, ffi = library()

    def text(message: Any) -> str:
        return ffi.string(message.data, message.length).decode(errors="replace") if message.data else "no reason given"

    @ffi.callback("void(WGPUQueueWorkDoneStatus, WGPUStringView, void *, void *)")  # type: ignore[untyped-decorator]
    def done(status: int, message: Any, number: Any, _: Any) -> None:
        is_fine = status == lib.WGPUQueueWorkDoneStatus_Success
        _happened(int(ffi.cast("uintptr_t", number)), "" if is_fine else text(message))

    @ffi.callback("void(WGPUMapAsyncStatus, WGPUStringView, void *, void *)")  # type: ignore[untyped-decorator]
    def is_mapped(status: int, message: Any, number: Any, _: Any) -> None:
        is_fine = status == lib.WGPUMapAsyncStatus_Success
        _happened(int(ffi.cast("uintptr_t", number)), "" if is_fine else text(message))

    return done, is_mapped
