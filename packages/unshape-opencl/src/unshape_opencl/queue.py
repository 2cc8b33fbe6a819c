"""The device's queue: commands in order, handed over without waiting.

Every command of a backend goes through one queue that runs them in the order in which they were given, so a command
that uses memory may follow the one that last used it without any event between them. Only the host has to wait, and
waits for single commands.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

import pyopencl as cl

from unshape_core.eval_handle import stop_evaluations
from unshape_core.notes import note_device_time, wants_device_time
from unshape_opencl.launch import Argument, Launch

enqueue = cl.enqueue_nd_range_kernel


class Queue:
    """Commands of one device. Safe to use from several threads.

    Parameters
    ----------
    native : pyopencl.CommandQueue
        In order. Another one keeps times, and takes its place while somebody wants them: devices pay for it.
    has_timestamps : bool
        Whether the device can keep times.

    Attributes
    ----------
    last : pyopencl.Event or None
        The command that was given last.
    is_closed : bool
        Whether it is done for good: no command uses memory any more.
    """

    __slots__ = ("__weakref__", "_has_timestamps", "_lock", "_plain", "_timed", "_watch", "is_closed", "last", "native")

    def __init__(self, native: cl.CommandQueue, *, has_timestamps: bool = True) -> None:
        self.native = self._plain = native
        self.last: cl.Event | None = None
        self.is_closed = False
        self._has_timestamps = has_timestamps
        self._timed: cl.CommandQueue | None = None
        self._watch: list[tuple[str, cl.Event]] | None = None
        self._lock = threading.RLock()
        at_exit = partial(_settle_at_exit, weakref.ref(self), os.getpid())
        atexit.register(at_exit)
        weakref.finalize(self, atexit.unregister, at_exit).atexit = False

    def launch(self, launch: Launch, arguments: Sequence[Argument]) -> cl.Event:
        """Give a kernel to the device. A kernel holds its arguments, so setting and giving are one step.

        Parameters
        ----------
        launch : Launch
            What is run; used with this queue only.
        arguments : sequence
            All of its arguments.
        """
        with self._lock:
            launch.set_arguments(arguments)
            if self._watch is None and self.native is self._plain and not wants_device_time():
                event = self.last = enqueue(self.native, launch.kernel, launch.global_size, launch.local_size)
                return event
            is_told = wants_device_time() and self._has_timestamps
            is_timed = is_told or self._watch is not None
            if is_timed is (self.native is self._plain):
                self._go_on_with(self._timed_queue() if is_timed else self._plain)
            event = self.last = enqueue(self.native, launch.kernel, launch.global_size, launch.local_size)
            if is_told:
                note_device_time(partial(duration_ns, event))
            if self._watch is not None:
                self._watch.append((launch.name, event))
            return event

    def give(self, command: Callable[[cl.CommandQueue], cl.Event]) -> cl.Event:
        """Give another command to the device: ``command(native)`` returns its event."""
        with self._lock:
            event = command(self.native)
            self.last = event
        return event

    @contextmanager
    def watched(self) -> Iterator[list[tuple[str, cl.Event]]]:
        """Collect the name and event of every kernel given inside the block; the events then know their times.

        Only one block at a time.
        """
        events: list[tuple[str, cl.Event]] = []
        self._watch = events
        try:
            yield events
        finally:
            self._watch = None

    def _timed_queue(self) -> cl.CommandQueue:
        if self._timed is None:
            flags = cl.command_queue_properties.PROFILING_ENABLE
            self._timed = cl.CommandQueue(self._plain.context, self._plain.device, flags)
        return self._timed

    def _go_on_with(self, native: cl.CommandQueue) -> None:
        """Give the next commands to another queue, which begins when the present one is done."""
        self.native.flush()
        if self.last is not None:
            cl.enqueue_barrier(native, wait_for=[self.last])
        self.native = native

    def flush(self) -> None:
        """Hand over everything; does not wait."""
        self.native.flush()

    def finish(self) -> None:
        """Wait until everything is done."""
        self.native.finish()

    def close(self) -> None:
        """Wait until everything is done; nothing is given afterwards."""
        self.native.finish()
        self.is_closed = True


def is_done(event: cl.Event | None) -> bool:
    """Return whether a command is done, or there is none."""
    return event is None or event.command_execution_status == cl.command_execution_status.COMPLETE


def duration_ns(event: cl.Event) -> int | None:
    """Wait for a command and return how long the device worked for it; None if the device does not say."""
    try:
        event.wait()
        return event.profile.end - event.profile.start
    except cl.Error:  # it failed, or the device is lost: who waits for the result is told
        return None


def settle(queue: Queue, process: int) -> None:
    """Wait for a queue, in the process that opened it; a device that is lost has nothing to wait for.

    Parameters
    ----------
    queue : Queue
        The queue.
    process : int
        Who opened it; in a fork of it waiting would never end.
    """
    if process == os.getpid():
        with suppress(cl.Error):
            queue.finish()


def _settle_at_exit(reference: weakref.ref[Queue], process: int) -> None:
    """Stop whoever still hands over work, then let the device come to rest before the driver is unloaded."""
    stop_evaluations()
    queue = reference()
    if queue is not None:
        settle(queue, process)
