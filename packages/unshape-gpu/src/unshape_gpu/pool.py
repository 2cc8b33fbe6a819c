"""The memory pool of a device: blocks in size classes, counted, reused, bounded by a budget.

Memory that nobody uses any more goes back to the pool and is handed out again. That is safe without waiting: the queue
of a device works in order, so whatever a later kernel writes comes after everything that an earlier one read. Only
writes of the host could overtake work that is recorded and not yet handed over; ``Block.last_use`` is what
:mod:`~unshape_gpu.transfer` looks at to prevent that.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

from unshape_backend.errors import OutOfMemoryError
from unshape_gpu.native_objects import Buffer

_SMALLEST_BYTES = 256
RESERVE_BYTES = 1 << 30
"""What may lie ready to be used again; the block that waits longest goes first."""
_NEVER = -1
_MOST_CLASSES = 1024


class Block:
    """A piece of device memory.

    Attributes
    ----------
    buffer : wgpu buffer
        The memory.
    capacity : int
        Its bytes, a multiple of 16.
    serial : int
        Its number, never used twice.
    last_use : int
        Number of the last submission that uses it.
    """

    __slots__ = ("buffer", "capacity", "last_use", "references", "serial")

    def __init__(self, buffer: Buffer, capacity: int, serial: int) -> None:
        self.buffer = buffer
        self.capacity = capacity
        self.serial = serial
        self.last_use = _NEVER
        self.references = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolStatistics:
    """What a pool holds and has done.

    Parameters
    ----------
    live_bytes, live_blocks : int
        What is in use.
    reserved_bytes, reserved_blocks : int
        What lies ready to be used again.
    allocations, reuses, releases, trims : int
        How often each happened.
    """

    live_bytes: int
    live_blocks: int
    reserved_bytes: int
    reserved_blocks: int
    allocations: int
    reuses: int
    releases: int
    trims: int


class GpuMemoryPool:
    """Blocks of one device. Safe to use from several threads.

    Parameters
    ----------
    allocate : callable
        Returns a new buffer of a number of bytes; raises OutOfMemoryError.
    backend : str
        Whose memory it is, for messages.
    budget_bytes : int or None
        What may be allocated at most; None leaves it to the driver.
    on_destroy : callable
        Told the serial numbers of blocks before they are given back to the driver, so that recorded work that uses them
        is handed over.
    lock : threading.RLock
        That of the device: taken by whoever records work as well, so that there is no order of two locks.
    reserve_bytes : int
        What may lie ready to be used again.
    """

    def __init__(
        self,
        allocate: Callable[[int], Buffer],
        *,
        backend: str,
        budget_bytes: int | None,
        on_destroy: Callable[[set[int]], None],
        lock: threading.RLock,
        reserve_bytes: int = RESERVE_BYTES,
    ) -> None:
        self._allocate = allocate
        self._backend = backend
        self.budget_bytes = budget_bytes
        self._on_destroy = on_destroy
        self.lock = lock
        self._reserve_bytes = reserve_bytes
        self._free: dict[int, list[Block]] = {}
        self._waiting: OrderedDict[int, Block] = OrderedDict()
        self._returned: deque[Block] = deque()
        # Blocks in use are held here too: a garbage collector that found one in a cycle would release its buffer.
        self._live: dict[int, Block] = {}
        self._classes: dict[int, int] = {}
        self._live_bytes = self._reserved_bytes = 0
        self._allocations = self._reuses = self._releases = self._trims = self._serial = 0
        self._is_closed = False

    def take(self, nbytes: int) -> Block:
        """Return a block of at least so many bytes, with one reference.

        Raises
        ------
        OutOfMemoryError
            If the budget or the driver does not admit it, after everything in reserve was given back.
        """
        with self.lock:
            capacity = self._classes.get(nbytes)
            if capacity is None:
                capacity = self._class_of(nbytes)
            if self._returned:
                self._collect()
            ready = self._free.get(capacity)
            if ready:
                block = ready.pop()
                del self._waiting[block.serial]
                self._reserved_bytes -= capacity
                self._reuses += 1
            else:
                block = self._new(capacity)
            block.references = 1
            self._live_bytes += capacity
            self._live[block.serial] = block
            return block

    def retain(self, block: Block) -> None:
        """Add a reference to a block."""
        with self.lock:
            block.references += 1

    def release(self, block: Block) -> None:
        """Give up a reference. May be called anywhere, also by a garbage collector that interrupts this pool."""
        self._returned.append(block)

    def trim(self) -> int:
        """Give what lies in reserve back to the driver and return how many bytes that was."""
        with self.lock:
            self._collect()
            self._trims += 1
            return self._shrink(0)

    def close(self) -> None:
        """Give everything in reserve back, and from now on whatever is released."""
        with self.lock:
            self._is_closed = True
            self.trim()

    @property
    def statistics(self) -> PoolStatistics:
        """What the pool holds and has done."""
        with self.lock:
            self._collect()
            return PoolStatistics(
                live_bytes=self._live_bytes,
                live_blocks=len(self._live),
                reserved_bytes=self._reserved_bytes,
                reserved_blocks=len(self._waiting),
                allocations=self._allocations,
                reuses=self._reuses,
                releases=self._releases,
                trims=self._trims,
            )

    def _class_of(self, nbytes: int) -> int:
        """Return the size class of a size, and remember it: sizes come again."""
        if len(self._classes) >= _MOST_CLASSES:
            self._classes.clear()
        capacity = self._classes[nbytes] = size_class(nbytes)
        return capacity

    def _new(self, capacity: int) -> Block:
        if self._exceeds_budget(capacity):
            self.trim()
        if self._exceeds_budget(capacity):
            msg = (
                f"backend '{self._backend}': expected room for {capacity} bytes, {self._live_bytes} of a budget of "
                f"{self.budget_bytes} are in use; compute in smaller windows or raise the budget"
            )
            available = (self.budget_bytes or 0) - self._live_bytes
            raise OutOfMemoryError(msg, backend=self._backend, needed_bytes=capacity, available_bytes=available)
        try:
            buffer = self._allocate(capacity)
        except OutOfMemoryError:
            self.trim()
            buffer = self._allocate(capacity)
        self._allocations += 1
        self._serial += 1
        return Block(buffer, capacity, self._serial)

    def _exceeds_budget(self, more: int) -> bool:
        held = self._live_bytes + self._reserved_bytes
        return self.budget_bytes is not None and held + more > self.budget_bytes

    def _collect(self) -> None:
        """Take in what was released since."""
        while self._returned:
            block = self._returned.popleft()
            block.references -= 1
            self._releases += 1
            if block.references > 0:
                continue
            self._live_bytes -= block.capacity
            del self._live[block.serial]
            if self._is_closed:
                block.buffer.destroy()
                continue
            self._free.setdefault(block.capacity, []).append(block)
            self._waiting[block.serial] = block
            self._reserved_bytes += block.capacity
        if self._reserved_bytes > self._reserve_bytes:
            self._shrink(self._reserve_bytes)

    def _shrink(self, reserve_bytes: int) -> int:
        """Give back the blocks that wait longest until so much is in reserve, and return how many bytes that was."""
        gone: list[Block] = []
        freed = 0
        while self._waiting and self._reserved_bytes - freed > reserve_bytes:
            _, block = self._waiting.popitem(last=False)
            self._free[block.capacity].remove(block)
            freed += block.capacity
            gone.append(block)
        self._reserved_bytes -= freed
        self._on_destroy({block.serial for block in gone})
        for block in gone:
            block.buffer.destroy()
        return freed


def size_class(nbytes: int) -> int:
    """Return the capacity of the blocks that serve a size: four classes for each power of two.

    Examples
    --------
    >>> [size_class(size) for size in (1, 257, 1000, 1025, 3000)]
    [256, 320, 1024, 1280, 3072]
    """
    if nbytes <= _SMALLEST_BYTES:
        return _SMALLEST_BYTES
    step = 1 << max((nbytes - 1).bit_length() - 3, 6)
    return -(-nbytes // step) * step
