"""The pool of device memory: size classes, a budget, and memory that is used again.

Freed memory is used again by the device at once, since commands run in order; by the host only when the device is done
with it. Whoever frees memory may be any thread at any time, the garbage collector included, so freeing takes no lock:
it adds the block to the end of what is kept of its size, and what is in use is what was allocated less what is kept.

On a device that shares memory with the host, blocks are host memory that the device uses in place. Nobody but the pool
keeps them for the commands under way, so a pool that goes without having been closed waits for these first.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from unshape_backend.errors import OutOfMemoryError
from unshape_opencl.errors import is_out_of_memory
from unshape_opencl.queue import Queue, is_done, settle

SMALLEST_BYTES = 256
PAGE_BYTES = 4096
LARGE_BYTES = 65536
"""From here on blocks begin at a page, which some drivers need to use them in place."""
_STEPS = 8
"""Size classes from one power of two to the next: at most an eighth of a block is not used."""

Bytes = npt.NDArray[np.uint8]


@dataclass(slots=True, eq=False)
class Block:
    """A piece of device memory. Whoever takes it gives it back, once.

    Parameters
    ----------
    buffer : pyopencl.Buffer
        The memory.
    nbytes : int
        Its size.
    queue : Queue
        Whose commands use it.
    kept : deque of Block
        Where it waits to be used again.
    host : uint8[nbytes] or None
        The same memory as the host sees it, where it does.
    last_use : pyopencl.Event or None
        While it is kept: the last command that may use it; None if there is none.
    """

    buffer: cl.Buffer
    nbytes: int
    queue: Queue
    kept: deque[Block]
    host: Bytes | None = None
    last_use: cl.Event | None = None

    def give_back(self) -> None:
        """Give it back; commands that were given before still see it. To a device that was closed nothing goes back."""
        queue = self.queue
        if queue.is_closed:
            self.buffer.release()
        else:
            self.last_use = queue.last
            self.kept.append(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStatistics:
    """What a pool has done and holds.

    Parameters
    ----------
    used_bytes : int
        In blocks that somebody holds.
    reserved_bytes : int
        In blocks that are kept to be used again.
    allocations, reuses : int
        Blocks that were taken from the driver, and from what was kept.
    trims : int
        How often what was kept was given back.
    """

    used_bytes: int
    reserved_bytes: int
    allocations: int
    reuses: int
    trims: int


class Pool:
    """Memory of one device. Safe to use from several threads.

    Parameters
    ----------
    context : pyopencl.Context
        Where memory is taken.
    queue : Queue
        Whose commands use it.
    budget_bytes : int or None
        How much it may hold; None means as much as the driver gives.
    is_shared : bool
        Whether blocks are host memory that the device uses in place.
    owner : str
        The backend's id, for messages.
    """

    def __init__(
        self, context: cl.Context, queue: Queue, *, budget_bytes: int | None, is_shared: bool, owner: str
    ) -> None:
        self.budget_bytes = budget_bytes
        self._context = context
        self._queue = queue
        self._is_shared = is_shared
        self._owner = owner
        self._kept: dict[int, deque[Block]] = {}
        self._lent: deque[Block] = deque()
        self._allocated_bytes = 0
        self._allocations = self._reuses = self._trims = 0
        self._lock = threading.RLock()
        weakref.finalize(self, _let_all_go, queue, os.getpid(), self._kept, self._lent).atexit = False

    @property
    def statistics(self) -> PoolStatistics:
        """What it has done and holds."""
        with self._lock:
            self._let_go()
            kept = self._kept_bytes()
            return PoolStatistics(
                used_bytes=self._allocated_bytes - kept,
                reserved_bytes=kept,
                allocations=self._allocations,
                reuses=self._reuses,
                trims=self._trims,
            )

    def take(self, nbytes: int, *, for_host: bool = False) -> Block:
        """Return memory.

        Parameters
        ----------
        nbytes : int
            How much, at least 1.
        for_host : bool
            Whether the host writes it before the device does, so that no command may be using it any more.

        Raises
        ------
        OutOfMemoryError
            If the budget or the device does not have it, also after what was kept has been given back.
        """
        return self.take_class(size_class(nbytes), for_host=for_host)

    def take_class(self, size: int, *, for_host: bool = False) -> Block:
        """Return memory of a size class, as :meth:`take` does."""
        with self._lock:
            if self._lent:
                self._let_go()
            kept = self._kept.get(size)
            if kept is None:
                kept = self._kept[size] = deque()
            # What has been free for longest comes first: if the device still uses that one, it uses all of them.
            if kept and (not for_host or is_done(kept[0].last_use)):
                self._reuses += 1
                return kept.popleft() if for_host else kept.pop()
            block = self._allocated(size)
            self._allocations += 1
            return block

    def lend(self, array: npt.NDArray[Any]) -> Block:
        """Return host memory as device memory, without a copy; it is kept alive as long as a command may use it.

        Parameters
        ----------
        array : ndarray
            Contiguous; nobody may change it any more.
        """
        host = array.reshape(-1).view(np.uint8)
        with self._lock:
            self._let_go()
            flags = cl.mem_flags.READ_ONLY | cl.mem_flags.USE_HOST_PTR
            return self._block(cl.Buffer(self._context, flags, hostbuf=host), host.nbytes, self._lent, host)

    def trim(self) -> int:
        """Give back what is kept and return how many bytes that was; waits for the device."""
        with self._lock:
            self._let_go()
            if not self._kept_bytes():
                return 0
            self._queue.finish()
            self._trims += 1
            return self._drop_kept()

    def close(self) -> None:
        """Give everything back that nobody holds."""
        with self._lock:
            self._drop_kept()
            self._lent.clear()

    def _allocated(self, size: int) -> Block:
        budget = self.budget_bytes
        if budget is not None and self._allocated_bytes + size > budget:
            self.trim()
        if budget is not None and self._allocated_bytes + size > budget:
            raise self._out_of_memory(size, budget - self._allocated_bytes)
        try:
            block = self._new(size)
        except (cl.Error, MemoryError) as error:
            if isinstance(error, cl.Error) and not is_out_of_memory(error):
                raise
            self.trim()
            try:
                block = self._new(size)
            except (cl.Error, MemoryError) as again:
                raise self._out_of_memory(size, None) from again
        self._allocated_bytes += size
        return block

    def _new(self, size: int) -> Block:
        if not self._is_shared:
            return self._block(cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size), size, self._kept[size])
        alignment = PAGE_BYTES if size >= LARGE_BYTES else SMALLEST_BYTES
        pages = np.empty(size + alignment, np.uint8)
        start = -pages.ctypes.data % alignment
        host = pages[start : start + size]
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        return self._block(cl.Buffer(self._context, flags, hostbuf=host), size, self._kept[size], host)

    def _block(self, buffer: cl.Buffer, nbytes: int, kept: deque[Block], host: Bytes | None = None) -> Block:
        return Block(buffer, nbytes, self._queue, kept, host)

    def _out_of_memory(self, size: int, available: int | None) -> OutOfMemoryError:
        there = "the device has no more" if available is None else f"{max(available, 0)} are available"
        return OutOfMemoryError(
            f"memory of '{self._owner}': {size} bytes are needed, {there}; compute a smaller window or resolution",
            backend=self._owner,
            needed_bytes=size,
            available_bytes=available,
        )

    def _kept_bytes(self) -> int:
        return sum(size * len(blocks) for size, blocks in self._kept.items())

    def _let_go(self) -> None:
        """Let go of lent memory that the device is done with."""
        while self._lent and is_done(self._lent[0].last_use):
            self._lent.popleft()

    def _drop_kept(self) -> int:
        """Release what is kept, and return how many bytes that was; what is in use comes back to the same deques."""
        freed = 0
        for blocks in self._kept.values():
            while blocks:
                block = blocks.pop()
                block.buffer.release()
                freed += block.nbytes
        self._allocated_bytes -= freed
        return freed


def _let_all_go(queue: Queue, process: int, kept: dict[int, deque[Block]], lent: deque[Block]) -> None:
    """Wait for the device, then let go of blocks, which know where they are kept and so would stay for long."""
    settle(queue, process)
    if process == os.getpid():
        for blocks in (*kept.values(), lent):
            blocks.clear()


def size_class(nbytes: int) -> int:
    """Return the size of the block for that many bytes: eight classes from one power of two to the next.

    Examples
    --------
    >>> size_class(1), size_class(1025), size_class(4096)
    (256, 1152, 4096)
    """
    if nbytes <= SMALLEST_BYTES:
        return SMALLEST_BYTES
    step = (1 << (nbytes - 1).bit_length() - 1) // _STEPS
    return -(-nbytes // step) * step
