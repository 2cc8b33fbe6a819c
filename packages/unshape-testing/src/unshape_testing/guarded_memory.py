"""Memory that tells on whoever misuses it: guard bytes, poison, and an account of every byte.

Every buffer lies between two rows of guard bytes, is filled with poison before its first use and again when it is given
back, and is counted as long as anything refers to it. A write past an end, a read of what was never written or is gone,
and a leak all show.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_backend.cpu.host_memory import host_memory
from unshape_backend.errors import OutOfMemoryError

GUARD_BYTES = 64
GUARD = 0xFD
UNWRITTEN = 0xCD
FREED = 0xDB


class Buffer:
    """Bytes of a :class:`GuardedMemory`; they go back to it when nothing refers to the buffer any more."""

    __slots__ = ("__weakref__", "_storage", "nbytes")

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self._storage = np.full(nbytes + 2 * GUARD_BYTES, GUARD, np.uint8)
        self.bytes[:] = UNWRITTEN

    @property
    def bytes(self) -> npt.NDArray[np.uint8]:
        """The bytes between the guards, writable."""
        return self._storage[GUARD_BYTES : GUARD_BYTES + self.nbytes]

    @property
    def storage(self) -> npt.NDArray[np.uint8]:
        """The bytes with their guards."""
        return self._storage

    def view(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Return the bytes as an array."""
        return self.bytes.view(dtype).reshape(shape)


class GuardedMemory:
    """An allocator of guarded buffers. Safe to use from several threads.

    Parameters
    ----------
    owner : str
        The backend, for error messages.
    budget_bytes : int or None
        Allocations beyond it fail as those of a full device do; None sets no bound.

    Attributes
    ----------
    allocations : int
        Number of buffers ever made; none is made for zero bytes.
    peak_bytes : int
        Most bytes that were live at one time.
    """

    def __init__(self, *, owner: str, budget_bytes: int | None = None) -> None:
        self.budget_bytes = budget_bytes
        self.allocations = 0
        self.peak_bytes = 0
        self._owner = owner
        self._live_bytes = 0
        self._live: weakref.WeakSet[Buffer] = weakref.WeakSet()
        self._lock = threading.Lock()
        # Finalizers run wherever the garbage collector does, also while this thread holds the lock: they only append.
        self._returned: deque[int] = deque()
        self._violations: deque[str] = deque()

    def allocate(self, nbytes: int) -> Buffer:
        """Return a buffer filled with poison.

        Raises
        ------
        OutOfMemoryError
            If it does not fit into the budget.
        """
        with self._lock:
            self._settle()
            if self.budget_bytes is not None and self._live_bytes + nbytes > self.budget_bytes:
                available = self.budget_bytes - self._live_bytes
                msg = f"backend '{self._owner}': expected {nbytes} bytes free, got {available}; release some values"
                raise OutOfMemoryError(msg, backend=self._owner, needed_bytes=nbytes, available_bytes=available)
            try:
                buffer = Buffer(nbytes)
            except MemoryError as error:
                msg = f"backend '{self._owner}': {error}; compute a smaller window or resolution"
                raise OutOfMemoryError(
                    msg, backend=self._owner, needed_bytes=nbytes, available_bytes=host_memory().available_bytes
                ) from error
            if nbytes == 0:
                return buffer
            self.allocations += 1
            self._live_bytes += nbytes
            self.peak_bytes = max(self.peak_bytes, self._live_bytes)
            self._live.add(buffer)
        weakref.finalize(buffer, self._take_back, buffer.storage, nbytes).atexit = False
        return buffer

    @property
    def live_bytes(self) -> int:
        """Bytes of all buffers that something refers to."""
        with self._lock:
            self._settle()
            return self._live_bytes

    def violations(self) -> tuple[str, ...]:
        """Return what was written outside of any buffer so far, live ones included; empty if all is well."""
        with self._lock:
            live = list(self._live)
        found = [text for buffer in live if (text := _violation(buffer.storage, buffer.nbytes))]
        return (*self._violations, *found)

    def _settle(self) -> None:
        while self._returned:
            self._live_bytes -= self._returned.popleft()

    def _take_back(self, storage: npt.NDArray[np.uint8], nbytes: int) -> None:
        text = _violation(storage, nbytes)
        if text:
            self._violations.append(text)
        storage[:] = FREED
        self._returned.append(nbytes)


def _violation(storage: npt.NDArray[np.uint8], nbytes: int) -> str:
    before, after = storage[:GUARD_BYTES] != GUARD, storage[GUARD_BYTES + nbytes :] != GUARD
    if before.any():
        return f"a buffer of {nbytes} bytes was written {GUARD_BYTES - int(before.argmax())} bytes before its start"
    if after.any():
        return f"a buffer of {nbytes} bytes was written {GUARD_BYTES - int(after[::-1].argmax())} bytes past its end"
    return ""
