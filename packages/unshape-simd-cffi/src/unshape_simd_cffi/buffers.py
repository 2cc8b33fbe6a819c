"""Memory for outputs: large blocks are kept and used again.

Fresh memory of 64 MiB costs several milliseconds in page faults, more than many kernels take. An output above
:data:`SMALLEST_KEPT_BYTES` therefore gets a block of a pool; the block returns to the pool when the last array that
refers to it is gone. Blocks are anonymous memory with the advice to use huge pages.
"""

from __future__ import annotations

import mmap
import threading
import weakref
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unshape_core.fork_safety import renew_in_children

SMALLEST_KEPT_BYTES = 4 * 2**20
LARGEST_RESERVE_BYTES = 512 * 2**20
_GRANULE = 2 * 2**20


class _Block:
    """A piece of anonymous memory; arrays hold it alive through the buffer protocol of ``memory``."""

    __slots__ = ("__weakref__", "memory", "nbytes")

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes
        self.memory = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE"):
            self.memory.madvise(mmap.MADV_HUGEPAGE)


class BufferPool:
    """A reserve of memory for outputs; safe to use from several threads."""

    __slots__ = ("__weakref__", "_free", "_lock", "_reserved_bytes")

    def __init__(self) -> None:
        self._free: dict[int, list[_Block]] = {}
        self._reserved_bytes = 0
        self._lock = threading.RLock()  # a finalizer may run while it is held
        renew_in_children(self)

    def renew_after_fork(self) -> None:
        """Replace the lock, which a thread that is not here may have held."""
        self._lock = threading.RLock()

    def empty(self, shape: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return an uninitialised C-contiguous float32 array."""
        nbytes = 4
        for side in shape:
            nbytes *= side
        if nbytes < SMALLEST_KEPT_BYTES:
            return np.empty(tuple(shape), np.float32)
        block = self._take(-(-nbytes // _GRANULE) * _GRANULE)
        lease = np.frombuffer(block.memory, np.uint8)
        weakref.finalize(lease, self._give, block).atexit = False
        return np.ndarray(tuple(shape), np.float32, buffer=lease.data)

    @property
    def reserved_bytes(self) -> int:
        """Bytes that are kept for coming outputs."""
        return self._reserved_bytes

    def trim(self) -> int:
        """Give all reserved memory back and return how many bytes that was."""
        with self._lock:
            freed, self._reserved_bytes = self._reserved_bytes, 0
            self._free.clear()
        return freed

    def _take(self, nbytes: int) -> _Block:
        with self._lock:
            kept = self._free.get(nbytes)
            if kept:
                self._reserved_bytes -= nbytes
                return kept.pop()
        return _Block(nbytes)

    def _give(self, block: _Block) -> None:
        with self._lock:
            if self._reserved_bytes + block.nbytes <= LARGEST_RESERVE_BYTES:
                self._free.setdefault(block.nbytes, []).append(block)
                self._reserved_bytes += block.nbytes
