"""Pinned memory: host memory that a device reads and writes by itself, at the full speed of its bus.

A driver gives it out slowly and the rest of the machine cannot have it meanwhile, so blocks are used again and their
sum is bounded.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from unshape_opencl.errors import is_out_of_memory
from unshape_opencl.pool import Bytes, size_class

BUDGET_BYTES = 1024 * 1024 * 1024


class PinnedMemory:
    """Pinned arrays of one device. Safe to use from several threads.

    Parameters
    ----------
    context : pyopencl.Context
        Of the device.
    budget_bytes : int
        How much there may be in all.
    """

    def __init__(self, context: cl.Context, *, budget_bytes: int = BUDGET_BYTES) -> None:
        self._context = context
        # A queue of its own: mapping memory would wait for the commands of another one.
        self._queue = cl.CommandQueue(context)
        self._budget_bytes = budget_bytes
        self._spans: dict[int, int] = {}
        self._free: dict[int, list[_Block]] = {}
        self._returned: deque[_Block] = deque()
        self._lock = threading.Lock()

    @property
    def reserved_bytes(self) -> int:
        """How much there is, in use or not."""
        return sum(self._spans.values())

    def array(self, nbytes: int) -> Bytes | None:
        """Return so many pinned bytes, None if there is no room for them.

        They are used again when nobody holds the array or a part of it any more.
        """
        with self._lock:
            self._sort_in()
            size = size_class(nbytes)
            kept = self._free.get(size)
            block = kept.pop() if kept else self._new(size)
        if block is None:
            return None
        array = np.frombuffer(block.view, np.uint8)  # a new owner of all parts that are made of it
        weakref.finalize(array, self._returned.append, block).atexit = False
        return array[:nbytes]

    def has(self, array: npt.NDArray[Any]) -> bool:
        """Return whether a dense array lies in pinned memory."""
        start = array.ctypes.data
        return any(
            first <= start and start + array.nbytes <= first + size for first, size in self._spans.copy().items()
        )

    def close(self) -> None:
        """Give back what nobody holds."""
        with self._lock:
            self._sort_in()
            self._drop_free()

    def _new(self, size: int) -> _Block | None:
        if self.reserved_bytes + size > self._budget_bytes:
            self._drop_free()
        if self.reserved_bytes + size > self._budget_bytes:
            return None
        try:
            block = _Block(self._context, self._queue, size)
        except cl.Error as error:
            if is_out_of_memory(error):
                return None
            raise
        self._spans[block.start] = size
        return block

    def _sort_in(self) -> None:
        while self._returned:
            block = self._returned.popleft()
            self._free.setdefault(block.memory.size, []).append(block)

    def _drop_free(self) -> None:
        for blocks in self._free.values():
            for block in blocks:
                del self._spans[block.start]
                block.mapped.release()
        self._free.clear()


class _Block:
    """A piece of pinned memory."""

    __slots__ = ("buffer", "mapped", "memory", "start", "view")

    def __init__(self, context: cl.Context, queue: cl.CommandQueue, nbytes: int) -> None:
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
        self.buffer = cl.Buffer(context, flags, nbytes)
        access: Any = cl.map_flags.READ | cl.map_flags.WRITE  # an int, which the library's types do not know
        mapped: Any = cl.enqueue_map_buffer(queue, self.buffer, access, 0, (nbytes,), np.dtype(np.uint8))
        memory, _ = mapped  # with its event, which the library's types do not know either
        self.memory: Bytes = memory
        self.mapped: Any = memory.base
        self.view: memoryview = memory.data
        self.start: int = memory.ctypes.data
