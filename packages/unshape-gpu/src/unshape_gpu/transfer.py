"""Copies between host and device.

Small arrays are written through the queue. Large ones go through mapped staging buffers in chunks, copied by several
threads, which is several times faster than the queue's own copy; staging buffers are kept and used again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unshape_gpu import native

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext
    from unshape_gpu.pool import Block
    from unshape_gpu.queue import GpuQueue

Bytes = npt.NDArray[np.uint8]

_DIRECT_BYTES = 1024 * 1024
"""Largest array that is written through the queue."""
_CHUNK_BYTES = 16 * 1024 * 1024
_KEPT_CHUNKS = 8
_COPY_THREADS = 4
_PARALLEL_BYTES = 2 * 1024 * 1024


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
        self._ready_up: list[native.Buffer] = []
        self._ready_down: dict[int, list[native.Buffer]] = {}
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
            staging = self._mapped_for_writing()
            target = np.frombuffer(native.mapped_for_writing(staging), np.uint8)
            self._copy(part, target[: len(part)])
            del target
            with self._context.lock:
                staging.unmap()
                self._queue.copy(staging, 0, block.buffer, start, _padded(len(part)))
                block.last_use = self._queue.recording
                self._queue.submit()
            self._give_back_up(staging)

    def _write(self, source: Bytes, block: Block) -> None:
        if len(source) % 4:
            source = np.concatenate([source, np.zeros(-len(source) % 4, np.uint8)])
        with self._context.lock:
            if block.last_use == self._queue.recording:
                self._queue.submit()  # a write overtakes what is recorded, which may still read this memory
            self._context.device.queue.write_buffer(block.buffer, 0, source)

    def download(self, block: Block, nbytes: int) -> Bytes:
        """Wait for a block and return a copy of its first bytes."""
        result = np.empty(nbytes, np.uint8)
        self.downloads += 1
        for start in range(0, nbytes, _CHUNK_BYTES * _KEPT_CHUNKS):
            self._download_part(block, start, result[start : start + _CHUNK_BYTES * _KEPT_CHUNKS])
        return result

    def _download_part(self, block: Block, offset: int, result: Bytes) -> None:
        chunks = [
            (start, self._staging_down(min(_CHUNK_BYTES, len(result) - start)))
            for start in range(0, len(result), _CHUNK_BYTES)
        ]
        with self._context.lock:
            for start, staging in chunks:
                count = min(_CHUNK_BYTES, len(result) - start)
                self._queue.copy(block.buffer, offset + start, staging, 0, _padded(count))
            self._queue.submit()
            promises = [native.map_for_reading(staging) for _, staging in chunks]
        for (start, staging), promise in zip(chunks, promises, strict=True):
            promise.sync_wait()
            count = min(_CHUNK_BYTES, len(result) - start)
            source = np.frombuffer(native.mapped_for_reading(staging), np.uint8)
            self._copy(source[:count], result[start : start + count])
            del source
            with self._context.lock:
                staging.unmap()
            self._give_back_down(staging)

    def _copy(self, source: Bytes, target: Bytes) -> None:
        """Copy bytes, by several threads where that pays."""
        if len(source) < _PARALLEL_BYTES:
            np.copyto(target, source)
            return
        with self._lock:
            if self._copiers is None:
                self._copiers = ThreadPoolExecutor(_COPY_THREADS, thread_name_prefix="unshape-gpu-copy")
            copiers = self._copiers
        step = -(-len(source) // _COPY_THREADS)
        parts = range(0, len(source), step)
        for done in [copiers.submit(np.copyto, target[k : k + step], source[k : k + step]) for k in parts]:
            done.result()

    def _mapped_for_writing(self) -> native.Buffer:
        with self._lock:
            staging = self._ready_up.pop(0) if len(self._ready_up) >= _KEPT_CHUNKS else None
        if staging is None:
            with self._context.lock:
                usage = native.usages().staging_up
                return self._context.device.create_buffer(size=_CHUNK_BYTES, usage=usage, mapped_at_creation=True)
        native.map_for_writing(staging).sync_wait()
        return staging

    def _give_back_up(self, staging: native.Buffer) -> None:
        with self._lock:
            self._ready_up.append(staging)

    def _staging_down(self, nbytes: int) -> native.Buffer:
        capacity = max(4096, 1 << (nbytes - 1).bit_length())
        with self._lock:
            ready = self._ready_down.get(capacity)
            if ready:
                return ready.pop()
        with self._context.lock:
            return self._context.device.create_buffer(size=capacity, usage=native.usages().staging_down)

    def _give_back_down(self, staging: native.Buffer) -> None:
        with self._lock:
            ready = self._ready_down.setdefault(staging.size, [])
            if len(ready) < _KEPT_CHUNKS:
                ready.append(staging)
                return
        staging.destroy()

    def trim(self) -> int:
        """Give staging memory back to the driver and return how many bytes that was."""
        with self._lock:
            buffers: Sequence[native.Buffer] = [*self._ready_up, *(b for row in self._ready_down.values() for b in row)]
            self._ready_up, self._ready_down = [], {}
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
