"""The pool of device memory: size classes, a budget, and memory that is used again.

Freed memory is used again by the device at once, since commands run in order; by the host only when the device is done
with it. Whoever frees memory may be any thread at any time, the garbage collector included, so freeing takes no lock:
what was freed is noted and sorted in by the next one who takes memory.

On a device that shares memory with the host, blocks are host memory that the device uses in place. Nobody but the pool
keeps them for the commands under way, so a pool that goes without having been closed waits for these first.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
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
    """A piece of device memory.

    Parameters
    ----------
    buffer : pyopencl.Buffer
        The memory.
    nbytes : int
        Its size.
    host : uint8[nbytes] or None
        The same memory as the host sees it, where it does.
    last_use : pyopencl.Event or None
        The last command that may use it; None if there is none.
    """

    buffer: cl.Buffer
    nbytes: int
    host: Bytes | None = None
    last_use: cl.Event | None = None


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


class Lease:
    """The right to use a block; the block goes back when nothing refers to the lease any more, or on release.

    Attributes
    ----------
    block : Block or None
        The block, None after release.
    """

    __slots__ = ("_give_back", "block")

    def __init__(self, block: Block, give_back: Callable[[Block], None]) -> None:
        self.block: Block | None = block
        self._give_back = give_back

    def release(self) -> None:
        """Give the block back."""
        block, self.block = self.block, None
        if block is not None:
            self._give_back(block)

    def __del__(self) -> None:
        if self.block is not None:
            self._give_back(self.block)


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
        self._free: dict[int, deque[Block]] = {}
        self._returned: deque[Block] = deque()
        self._lent: deque[Block] = deque()
        self._used = self._reserved = 0
        self._allocations = self._reuses = self._trims = 0
        self._lock = threading.RLock()
        weakref.finalize(self, settle, queue, os.getpid()).atexit = False

    @property
    def statistics(self) -> PoolStatistics:
        """What it has done and holds."""
        with self._lock:
            self._sort_in()
            return PoolStatistics(
                used_bytes=self._used,
                reserved_bytes=self._reserved,
                allocations=self._allocations,
                reuses=self._reuses,
                trims=self._trims,
            )

    def take(self, nbytes: int, *, for_host: bool = False) -> Lease:
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

    def take_class(self, size: int, *, for_host: bool = False) -> Lease:
        """Return memory of a size class, as :meth:`take` does."""
        with self._lock:
            if self._returned or self._lent:
                self._sort_in()
            block = self._kept(size, for_host=for_host)
            if block is None:
                block = self._allocated(size)
                self._allocations += 1
            else:
                self._reserved -= size
                self._reuses += 1
            self._used += size
        return Lease(block, self._returned.append)

    def lend(self, array: npt.NDArray[Any]) -> Lease:
        """Return host memory as device memory, without a copy; it is kept alive as long as a command may use it.

        Parameters
        ----------
        array : ndarray
            Contiguous; nobody may change it any more.
        """
        host = array.reshape(-1).view(np.uint8)
        with self._lock:
            self._sort_in()
            flags = cl.mem_flags.READ_ONLY | cl.mem_flags.USE_HOST_PTR
            block = Block(cl.Buffer(self._context, flags, hostbuf=host), host.nbytes, host)
        return Lease(block, self._note_lent)

    def trim(self) -> int:
        """Give back what is kept and return how many bytes that was; waits for the device."""
        with self._lock:
            self._sort_in()
            freed = self._reserved
            if freed:
                self._queue.finish()
                self._drop_kept()
                self._trims += 1
            return freed

    def close(self) -> None:
        """Give everything back that nobody holds."""
        with self._lock:
            self._sort_in()
            self._drop_kept()
            self._lent.clear()

    def _kept(self, size: int, *, for_host: bool) -> Block | None:
        blocks = self._free.get(size)
        if not blocks:
            return None
        if for_host:
            # The first one has been free for longest: if the device still uses it, it uses all of them.
            return blocks.popleft() if is_done(blocks[0].last_use) else None
        return blocks.pop()

    def _allocated(self, size: int) -> Block:
        budget = self.budget_bytes
        if budget is not None and self._used + self._reserved + size > budget:
            self.trim()
        if budget is not None and self._used + size > budget:
            raise self._out_of_memory(size, budget - self._used)
        try:
            return self._new(size)
        except (cl.Error, MemoryError) as error:
            if isinstance(error, cl.Error) and not is_out_of_memory(error):
                raise
        self.trim()
        try:
            return self._new(size)
        except (cl.Error, MemoryError) as error:
            raise self._out_of_memory(size, None) from error

    def _new(self, size: int) -> Block:
        if not self._is_shared:
            return Block(cl.Buffer(self._context, cl.mem_flags.READ_WRITE, size), size)
        alignment = PAGE_BYTES if size >= LARGE_BYTES else SMALLEST_BYTES
        pages = np.empty(size + alignment, np.uint8)
        start = -pages.ctypes.data % alignment
        host = pages[start : start + size]
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
        return Block(cl.Buffer(self._context, flags, hostbuf=host), size, host)

    def _out_of_memory(self, size: int, available: int | None) -> OutOfMemoryError:
        there = "the device has no more" if available is None else f"{max(available, 0)} are available"
        return OutOfMemoryError(
            f"memory of '{self._owner}': {size} bytes are needed, {there}; compute a smaller window or resolution",
            backend=self._owner,
            needed_bytes=size,
            available_bytes=available,
        )

    def _note_lent(self, block: Block) -> None:
        block.last_use = self._queue.last
        self._lent.append(block)

    def _sort_in(self) -> None:
        """Keep what was returned, and let go of lent memory that the device is done with."""
        while self._returned:
            block = self._returned.popleft()
            block.last_use = self._queue.last
            size = block.nbytes
            if size not in self._free:
                self._free[size] = deque()
            self._free[size].append(block)
            self._used -= size
            self._reserved += size
        while self._lent and is_done(self._lent[0].last_use):
            self._lent.popleft()

    def _drop_kept(self) -> None:
        for blocks in self._free.values():
            for block in blocks:
                block.buffer.release()
        self._free.clear()
        self._reserved = 0


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
