"""Evaluations under way: what ``submit`` returns."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable, Generator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unshape_core.errors import UnshapeError

if TYPE_CHECKING:
    from concurrent.futures import Future

    from unshape_core.cancellation import CancellationToken
    from unshape_core.result import EvalResult

_EXIT_WAIT_S = 5.0


class EvalHandle:
    """An evaluation that runs in a thread of its own.

    It can be waited for, awaited, or cancelled. At the end of the interpreter evaluations under way are cancelled.
    """

    def __init__(self, work: Callable[[], EvalResult], cancellation: CancellationToken) -> None:
        from concurrent.futures import Future

        # Backends may import this when they open. Its first import fails once the interpreter begins to end, so the
        # caller's thread sees to it.
        import_module("concurrent.futures.thread")
        self._future: Future[EvalResult] = Future()
        self._future.set_running_or_notify_cancel()
        self._cancellation = cancellation
        self._pid = os.getpid()
        _under_way().add(self)
        threading.Thread(target=_run, args=(work, self._future), name="unshape-evaluation", daemon=True).start()

    def done(self) -> bool:
        """Return whether the result, or an error, is there."""
        return self._future.done()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until it is done, at most so long; return whether it is."""
        from concurrent.futures import wait

        self._check_process()
        return bool(wait([self._future], timeout_s).done)

    def result(self, timeout_s: float | None = None) -> EvalResult:
        """Wait for the result and return it.

        Raises
        ------
        TimeoutError
            If it is not there in time; it goes on.
        Cancelled
            If the evaluation was cancelled.
        """
        self._check_process()
        return self._future.result(timeout_s)

    def cancel(self) -> None:
        """Ask the evaluation to stop; :meth:`result` then raises ``Cancelled``."""
        self._cancellation.cancel()

    def is_running_here(self) -> bool:
        """Return whether it is under way in this process; a forked child has the handle, but not the thread."""
        return self._pid == os.getpid() and not self._future.done()

    def _check_process(self) -> None:
        if self._pid != os.getpid() and not self._future.done():
            msg = f"evaluation: it runs in process {self._pid}, which this one was forked from; submit it again here"
            raise UnshapeError(msg)

    def __await__(self) -> Generator[Any, None, EvalResult]:
        import asyncio

        try:
            return (yield from asyncio.wrap_future(self._future).__await__())
        except asyncio.CancelledError:
            self.cancel()
            raise


def _run(work: Callable[[], EvalResult], future: Future[EvalResult]) -> None:
    try:
        result = work()
    except BaseException as error:  # it is raised again where the result is asked for
        future.set_exception(error)
    else:
        future.set_result(result)


@cache
def _under_way() -> weakref.WeakSet[EvalHandle]:
    """Return the handles to stop at the end of the interpreter; the first one sees to that."""
    handles: weakref.WeakSet[EvalHandle] = weakref.WeakSet()
    atexit.register(_stop_all, handles)
    return handles


def stop_evaluations() -> None:
    """Stop what was submitted and still runs; for whoever has to let go of a device when the interpreter ends."""
    _stop_all(_under_way())


def _stop_all(handles: weakref.WeakSet[EvalHandle]) -> None:
    running = [handle for handle in handles if handle.is_running_here()]
    for handle in running:
        handle.cancel()
    for handle in running:
        handle.wait(_EXIT_WAIT_S)
