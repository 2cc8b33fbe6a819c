"""Copies between host and device.

Small arrays are written through the queue. Large ones go through mapped staging buffers in chunks, copied by several
threads while the device copies other chunks; staging buffers are kept and used again.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_gpu import native, native_waiting
from unshape_gpu.native_objects import Buffer, create_buffer, write_buffer
from unshape_gpu.native_waiting import Bytes, Signal

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext
    from unshape_gpu.pool import Block
    from unshape_gpu.queue import GpuQueue

_DIRECT_BYTES = 1024 * 1024
"""Largest array that is written through the queue."""
_CHUNK_BYTES = 16 * 1024 * 1024
_KEPT_CHUNKS = 8
_COPIED_AT_ONCE = 3
_SMALLEST_CHUNK_BYTES = 4096
_MOST_THREADS = 8
_PARALLEL_BYTES = 2 * 1024 * 1024
_PART_BYTES = 4 * 1024 * 1024
"""What one thread copies at a time."""


@dataclass(slots=True)
class _Chunk:
    """A part of an array on its way: the staging buffer, when it is mapped, and who copies from it."""

    start: int
    nbytes: int
    staging: Buffer
    signal: Signal
    submission: int
    copies: list[Future[None]] | None = None


class Transfers:
    """Copies of one backend. Methods are called without the lock of the context.

    Parameters
    ----------
    context : GpuContext
        The device.
    queue : GpuQueue
        Whose work copies have to follow.
    """

    def __init__(self, context: GpuContext, queue: GpuQueue) -> None:
        self._context = context
        self._queue = queue
        self._lock = threading.Lock()
        self._up: deque[tuple[Buffer, Signal, int]] = deque()
        self._down: dict[int, list[Buffer]] = {}
        self._copiers: ThreadPoolExecutor | None = None
        self.uploads = self.downloads = 0

    def upload(self, array: npt.NDArray[Any], block: Block) -> None:
        """Copy a contiguous array into a block; it may be changed afterwards."""
        source = array.reshape(-1).view(np.uint8)
        self.uploads += 1
        if len(source) <= _DIRECT_BYTES:
            self._write(source, block)
            return
        for start in range(0, len(source), _CHUNK_BYTES):
            part = source[start : start + _CHUNK_BYTES]
            staging = self._staging_up()
            into = native_waiting.mapped(staging, _CHUNK_BYTES, for_writing=True)
            for copy in self._begin_copy(part, into):
                copy.result()
            with self._context.lock:
                native_waiting.unmap(staging)
                self._queue.copy(staging, 0, block.buffer, start, _padded(len(part)))
                block.last_use = self._queue.recording
                self._queue.submit()
                signal = native_waiting.begin_map(staging, _CHUNK_BYTES, for_writing=True)
                submission = self._queue.last_submission
            with self._lock:
                self._up.append((staging, signal, submission))

    def _write(self, source: Bytes, block: Block) -> None:
        if len(source) % 4:
            source = np.concatenate([source, np.zeros(-len(source) % 4, np.uint8)])
        with self._context.lock:
            if block.last_use == self._queue.recording:
                self._queue.submit()  # a write overtakes what is recorded, which may still read this memory
            write_buffer(self._context.device, block.buffer, source)

    def _staging_up(self) -> Buffer:
        with self._lock:
            oldest = self._up.popleft() if len(self._up) >= _KEPT_CHUNKS else None
        if oldest is not None:
            staging, signal, submission = oldest
            native_waiting.wait(self._context.device, signal, submission)
            return staging
        with self._context.lock:
            usage = native.usages().staging_up
            return create_buffer(self._context.device, _CHUNK_BYTES, usage, is_mapped=True)

    def download(self, block: Block, nbytes: int) -> Bytes:
        """Wait for a block and return a copy of its first bytes."""
        result = np.empty(nbytes, np.uint8)
        self.downloads += 1
        starts = deque(range(0, nbytes, _CHUNK_BYTES))
        coming: deque[_Chunk] = deque()
        copied: deque[_Chunk] = deque()
        try:
            while starts or coming:
                while starts and len(coming) + len(copied) < _KEPT_CHUNKS:
                    start = starts.popleft()
                    coming.append(self._begin_chunk(block, start, min(_CHUNK_BYTES, nbytes - start)))
                if coming:
                    chunk = coming.popleft()
                    native_waiting.wait(self._context.device, chunk.signal, chunk.submission)
                    source = native_waiting.mapped(chunk.staging, _padded(chunk.nbytes), for_writing=False)
                    target = result[chunk.start : chunk.start + chunk.nbytes]
                    chunk.copies = self._begin_copy(source[: chunk.nbytes], target)
                    copied.append(chunk)
                while starts and len(copied) > _COPIED_AT_ONCE:
                    self._end_chunk(copied.popleft())
        finally:
            while copied:
                self._end_chunk(copied.popleft())
        return result

    def _begin_chunk(self, block: Block, start: int, nbytes: int) -> _Chunk:
        staging = self._staging_down(nbytes)
        with self._context.lock:
            self._queue.copy(block.buffer, start, staging, 0, _padded(nbytes))
            self._queue.submit()
            signal = native_waiting.begin_map(staging, _padded(nbytes), for_writing=False)
            return _Chunk(start, nbytes, staging, signal, self._queue.last_submission)

    def _end_chunk(self, chunk: _Chunk) -> None:
        for copy in chunk.copies or ():
            copy.result()
        native_waiting.unmap(chunk.staging)
        self._give_back_down(chunk.staging)

    def _begin_copy(self, source: Bytes, target: Bytes) -> list[Future[None]]:
        """Copy bytes, by several threads where that pays; what is returned has to be waited for."""
        if len(source) < _PARALLEL_BYTES:
            target[: len(source)] = source
            return []
        with self._lock:
            if self._copiers is None:
                threads = min(_MOST_THREADS, os.cpu_count() or 1)
                self._copiers = ThreadPoolExecutor(threads, thread_name_prefix="unshape-gpu-copy")
            copiers = self._copiers
        parts = [slice(k, min(k + _PART_BYTES, len(source))) for k in range(0, len(source), _PART_BYTES)]
        return [copiers.submit(np.copyto, target[part], source[part]) for part in parts]

    def _staging_down(self, nbytes: int) -> Buffer:
        capacity = max(_SMALLEST_CHUNK_BYTES, 1 << (nbytes - 1).bit_length())
        with self._lock:
            ready = self._down.get(capacity)
            if ready:
                return ready.pop()
        with self._context.lock:
            return create_buffer(self._context.device, capacity, native.usages().staging_down)

    def _give_back_down(self, staging: Buffer) -> None:
        with self._lock:
            ready = self._down.setdefault(staging.size, [])
            if len(ready) < _KEPT_CHUNKS:
                ready.append(staging)
                return
        staging.destroy()

    def trim(self) -> int:
        """Give staging memory back to the driver and return how many bytes that was."""
        with self._lock:
            buffers = [*(staging for staging, _, _ in self._up), *(each for row in self._down.values() for each in row)]
            self._up, self._down = deque(), {}
        for staging in buffers:
            staging.destroy()
        return sum(staging.size for staging in buffers)

    def close(self) -> None:
        """Give everything back."""
        self.trim()
        with self._lock:
            copiers, self._copiers = self._copiers, None
        if copiers is not None:
            copiers.shutdown(wait=False)

    def renew_after_fork(self) -> None:
        """Replace the lock and forget the threads, which are not here."""
        self._lock = threading.Lock()
        self._copiers = None


def _padded(nbytes: int) -> int:
    return -(-nbytes // 4) * 4
