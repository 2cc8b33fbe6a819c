"""Moving arrays between the host and the device.

Where device and host share memory a transfer is one copy in that memory, or none. Elsewhere it goes through pinned
memory, which the device reads and writes by itself: a few pieces of it are used in turn, and while one travels the
host fills or empties the next, large ones with several threads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from unshape_opencl.pool import Block, Bytes
from unshape_opencl.queue import Queue

PIECE_BYTES = 16 * 1024 * 1024
PIECES = 4
COPY_THREADS = 4
THREADED_FROM_BYTES = 1024 * 1024
"""A thread takes some 50 us to start; a megabyte takes twice that to copy."""


class SharedTransfer:
    """Transfers on a device that uses host memory in place."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    @property
    def reserved_bytes(self) -> int:
        """Memory that it holds for itself."""
        return 0

    def upload(self, array: npt.NDArray[Any], block: Block) -> cl.Event | None:
        """Copy an array of any layout into memory that no command is using."""
        assert block.host is not None
        target = block.host[: array.nbytes].view(array.dtype.newbyteorder("=")).reshape(array.shape)
        np.copyto(target, array)
        return None

    def download(self, block: Block, out: Bytes, ready: cl.Event | None) -> None:
        """Copy memory to ``out`` when it is ready."""
        assert block.host is not None
        self._queue.flush()
        if ready is not None:
            ready.wait()
        np.copyto(out, block.host[: out.size])

    def close(self) -> None:
        """Release nothing: it holds nothing."""


class PinnedTransfer:
    """Transfers through pinned memory. Safe to use from several threads.

    Parameters
    ----------
    context : pyopencl.Context
        Where the pinned memory is made, on first use.
    queue : Queue
        Takes the copies.
    """

    def __init__(self, context: cl.Context, queue: Queue) -> None:
        self._context = context
        self._queue = queue
        self._pieces: list[_Piece] = []
        self._next = 0
        self._threads: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    @property
    def reserved_bytes(self) -> int:
        """Pinned memory that it holds."""
        return PIECE_BYTES * len(self._pieces)

    def upload(self, array: npt.NDArray[Any], block: Block) -> cl.Event | None:
        """Copy an array of any layout to the device; returns when the array may be changed."""
        dense = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(-1).view(np.uint8)
        event = None
        with self._lock:
            for start, stop in _spans(dense.size):
                piece = self._piece()
                piece.wait()
                self._copy(piece.host[: stop - start], dense[start:stop])
                event = piece.event = self._write(block, piece.host[: stop - start], start)
        self._queue.flush()
        return event

    def download(self, block: Block, out: Bytes, ready: cl.Event | None) -> None:  # noqa: ARG002 - the queue is in order
        """Copy device memory to ``out``; waits for whatever was given before."""
        with self._lock:
            under_way: list[tuple[_Piece, int, int]] = []
            for start, stop in _spans(out.size):
                if len(under_way) == PIECES:
                    self._land(under_way.pop(0), out)
                piece = self._piece()
                piece.wait()
                piece.event = self._read(block, piece.host[: stop - start], start)
                self._queue.flush()
                under_way.append((piece, start, stop))
            for each in under_way:
                self._land(each, out)

    def close(self) -> None:
        """Release the pinned memory and the threads."""
        with self._lock:
            for piece in self._pieces:
                piece.wait()
                piece.mapped.release()
            self._pieces.clear()
            if self._threads is not None:
                self._threads.shutdown()
                self._threads = None

    def _land(self, flight: tuple[_Piece, int, int], out: Bytes) -> None:
        piece, start, stop = flight
        piece.wait()
        self._copy(out[start:stop], piece.host[: stop - start])

    def _write(self, block: Block, host: Bytes, start: int) -> cl.Event:
        return self._queue.give(
            lambda native: cl.enqueue_copy(native, block.buffer, host, dst_offset=start, is_blocking=False)
        )

    def _read(self, block: Block, host: Bytes, start: int) -> cl.Event:
        return self._queue.give(
            lambda native: cl.enqueue_copy(native, host, block.buffer, src_offset=start, is_blocking=False)
        )

    def _piece(self) -> _Piece:
        if len(self._pieces) < PIECES:
            self._pieces.append(_Piece(self._context, self._queue))
            return self._pieces[-1]
        self._next = (self._next + 1) % PIECES
        return self._pieces[self._next]

    def _copy(self, target: Bytes, source: Bytes) -> None:
        if target.size < THREADED_FROM_BYTES:
            np.copyto(target, source)
            return
        if self._threads is None:
            self._threads = ThreadPoolExecutor(COPY_THREADS, thread_name_prefix="unshape-opencl-copy")
        edges = [target.size * part // COPY_THREADS for part in range(COPY_THREADS + 1)]
        parts = [(target[a:b], source[a:b]) for a, b in pairwise(edges)]
        for done in [self._threads.submit(np.copyto, *part) for part in parts]:
            done.result()


class _Piece:
    """A piece of pinned memory, and the copy that is using it."""

    __slots__ = ("buffer", "event", "host", "mapped")

    def __init__(self, context: cl.Context, queue: Queue) -> None:
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR
        self.buffer = cl.Buffer(context, flags, PIECE_BYTES)
        access: Any = cl.map_flags.READ | cl.map_flags.WRITE  # an int, which the library's types do not know
        mapped: Any = cl.enqueue_map_buffer(queue.native, self.buffer, access, 0, (PIECE_BYTES,), np.dtype(np.uint8))
        host, _ = mapped  # with its event, which the library's types do not know either
        self.host: Bytes = host
        self.mapped: Any = host.base
        self.event: cl.Event | None = None

    def wait(self) -> None:
        """Wait until nothing is using it."""
        if self.event is not None:
            self.event.wait()
            self.event = None


def _spans(nbytes: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of so many bytes that fit one piece each."""
    for start in range(0, nbytes, PIECE_BYTES):
        yield start, min(start + PIECE_BYTES, nbytes)
