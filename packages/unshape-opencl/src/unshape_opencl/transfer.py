"""Moving arrays between the host and the device.

Where device and host share memory a transfer is one copy in that memory, or none. Elsewhere the device reads and writes
pinned memory by itself. An array that lies there travels as it is; so does what is downloaded, once a size comes back.
Any other one goes through a few pinned pieces: several threads fill or empty some while others travel.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from math import prod
from queue import SimpleQueue
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from unshape_opencl.pinned import PinnedMemory
from unshape_opencl.pool import Block, Bytes, size_class
from unshape_opencl.queue import Queue

PIECE_BYTES = 4 * 1024 * 1024
PIECES = 8
COPY_THREADS = min(PIECES, max(2, (os.cpu_count() or 2) // 2))
"""One core copies some 10 GB/s; a bus carries several times that."""
SMALL_BYTES = 64 * 1024
DIRECT_FROM_BYTES = 1024 * 1024
"""Below, pinned memory of its own is not worth asking a driver for."""
RETURNS = 2
"""After so many downloads of one size the next ones get pinned memory of their own."""


class Transfer(Protocol):
    """How arrays travel to a device and back."""

    def host_bytes(self, nbytes: int, /) -> Bytes:
        """Return new host memory from which arrays travel fast."""

    def upload(self, array: npt.NDArray[Any], block: Block, /) -> cl.Event | None:
        """Copy an array of any layout to the device; returns when the array may be changed."""

    def download(
        self, block: Block, shape: tuple[int, ...], dtype: np.dtype[Any], ready: cl.Event | None, /
    ) -> npt.NDArray[Any]:
        """Return a copy of what begins at the first byte of device memory, when it is ready."""

    def close(self) -> None:
        """Release what it holds."""


class SharedTransfer:
    """Transfers on a device that uses host memory in place."""

    def __init__(self, queue: Queue) -> None:
        self._queue = queue

    def host_bytes(self, nbytes: int) -> Bytes:
        """Return new host memory."""
        return np.empty(nbytes, np.uint8)

    def upload(self, array: npt.NDArray[Any], block: Block) -> cl.Event | None:
        """Copy an array of any layout into memory that no command is using."""
        assert block.host is not None
        target = block.host[: array.nbytes].view(array.dtype.newbyteorder("=")).reshape(array.shape)
        np.copyto(target, array)
        return None

    def download(
        self, block: Block, shape: tuple[int, ...], dtype: np.dtype[Any], ready: cl.Event | None
    ) -> npt.NDArray[Any]:
        """Return a copy of memory, when it is ready."""
        assert block.host is not None
        self._queue.flush()
        if ready is not None:
            ready.wait()
        out = np.empty(shape, dtype)
        np.copyto(out, block.host[: out.nbytes].view(dtype).reshape(shape))
        return out

    def close(self) -> None:
        """Release nothing: it holds nothing."""


class PinnedTransfer:
    """Transfers to a device with memory of its own. Safe to use from several threads.

    Parameters
    ----------
    context : pyopencl.Context
        Where pinned memory is made, on first use.
    queue : Queue
        Takes the copies.
    """

    def __init__(self, context: cl.Context, queue: Queue) -> None:
        self._queue = queue
        self._pinned = PinnedMemory(context)
        self._pieces = SimpleQueue[_Piece]()
        self._strip: _Piece | None = None
        self._threads: ThreadPoolExecutor | None = None
        self._downloads: Counter[int] = Counter()
        self._lock = threading.Lock()

    @property
    def reserved_bytes(self) -> int:
        """Pinned memory that there is."""
        return self._pinned.reserved_bytes

    def host_bytes(self, nbytes: int) -> Bytes:
        """Return pinned memory, or other memory if there is no room for it."""
        found = self._pinned.array(nbytes)
        return np.empty(nbytes, np.uint8) if found is None else found

    def upload(self, array: npt.NDArray[Any], block: Block) -> cl.Event | None:
        """Copy an array of any layout to the device; returns when the array may be changed."""
        dense = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(-1).view(np.uint8)
        if dense.size <= SMALL_BYTES:
            return self._send_small(block, dense)
        if self._pinned.has(dense):
            event = self._send(block, dense, 0)
            event.wait()
            return event

        def send(piece: _Piece, start: int, stop: int) -> None:
            np.copyto(piece.host[: stop - start], dense[start:stop])
            piece.event = self._send(block, piece.host[: stop - start], start)

        self._piecewise(dense.size, send)
        self._queue.flush()
        return self._queue.last

    def download(
        self,
        block: Block,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        ready: cl.Event | None,  # noqa: ARG002 - commands run in order
    ) -> npt.NDArray[Any]:
        """Return a copy of device memory; waits for whatever was given before."""
        nbytes = prod(shape) * dtype.itemsize
        direct = self._direct(nbytes)
        if direct is not None:
            self._receive(block, direct, 0).wait()
            return direct.view(dtype).reshape(shape)
        out = np.empty(shape, dtype)
        flat = out.reshape(-1).view(np.uint8)

        def receive(piece: _Piece, start: int, stop: int) -> None:
            part = piece.host[: stop - start]
            self._receive(block, part, start).wait()
            np.copyto(flat[start:stop], part)

        self._piecewise(nbytes, receive)
        return out

    def close(self) -> None:
        """Release the pinned memory and the threads."""
        with self._lock:
            self._strip = None
            while not self._pieces.empty():
                self._pieces.get()
            if self._threads is not None:
                self._threads.shutdown()
                self._threads = None
            self._pinned.close()

    def _direct(self, nbytes: int) -> Bytes | None:
        """Return where a device writes a download by itself, None if it goes through pieces."""
        if nbytes <= SMALL_BYTES:
            return np.empty(nbytes, np.uint8)  # drivers have pinned memory for little ones
        if nbytes < DIRECT_FROM_BYTES:
            return None
        self._downloads[size_class(nbytes)] += 1
        return self._pinned.array(nbytes) if self._downloads[size_class(nbytes)] > RETURNS else None

    def _send_small(self, block: Block, dense: Bytes) -> cl.Event:
        """Copy to the next place of a strip of pinned memory, which is waited for once each time round."""
        with self._lock:
            if self._strip is None:
                self._strip = _Piece(self.host_bytes(PIECE_BYTES))
            place = self._strip.place(dense.size)
            np.copyto(place, dense)
            event = self._strip.event = self._send(block, place, 0)
        return event

    def _piecewise(self, nbytes: int, move: Callable[[_Piece, int, int], None]) -> None:
        """Move the parts of so many bytes, each by a piece that nobody uses; several parts with several threads."""

        def move_next(span: tuple[int, int]) -> None:
            piece = self._pieces.get()
            try:
                piece.wait()
                move(piece, *span)
            finally:
                self._pieces.put(piece)

        spans = list(_spans(nbytes))
        with self._lock:
            if self._threads is None:
                for _ in range(PIECES):
                    self._pieces.put(_Piece(self.host_bytes(PIECE_BYTES)))
                self._threads = ThreadPoolExecutor(COPY_THREADS, thread_name_prefix="unshape-opencl-copy")
            threads = self._threads
        if len(spans) == 1:
            move_next(spans[0])
        else:
            for _ in threads.map(move_next, spans):
                pass

    def _send(self, block: Block, host: Bytes, start: int) -> cl.Event:
        return self._queue.give(
            lambda native: cl.enqueue_copy(native, block.buffer, host, dst_offset=start, is_blocking=False)
        )

    def _receive(self, block: Block, host: Bytes, start: int) -> cl.Event:
        return self._queue.give(
            lambda native: cl.enqueue_copy(native, host, block.buffer, src_offset=start, is_blocking=False)
        )


class _Piece:
    """A piece of pinned memory, and the copy that was the last one to use it."""

    __slots__ = ("_next", "event", "host")

    def __init__(self, host: Bytes) -> None:
        self.host = host
        self.event: cl.Event | None = None
        self._next = 0

    def wait(self) -> None:
        """Wait until nothing is using it."""
        if self.event is not None:
            self.event.wait()
            self.event = None

    def place(self, nbytes: int) -> Bytes:
        """Return the next part that nothing is using."""
        if self._next + nbytes > self.host.size:
            self.wait()
            self._next = 0
        start = self._next
        self._next += -(-nbytes // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES
        return self.host[start : start + nbytes]


_ALIGNMENT_BYTES = 256


def _spans(nbytes: int) -> Iterator[tuple[int, int]]:
    """Yield the parts of so many bytes that fit one piece each."""
    for start in range(0, nbytes, PIECE_BYTES):
        yield start, min(start + PIECE_BYTES, nbytes)
