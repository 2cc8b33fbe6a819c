"""Cancellation: a flag that a caller sets and that long work asks for."""

from __future__ import annotations

import threading

from unshape_core.errors import Cancelled


class CancellationToken:
    """A one-way flag, safe to set from any thread.

    Work that may run for more than some 50 ms calls :meth:`raise_if_cancelled` between its parts.
    """

    __slots__ = ("_event", "flag")

    flag: bytearray
    """Four bytes that are 0 until the token is set: for native code, which reads memory instead of asking."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.flag = bytearray(4)

    def cancel(self) -> None:
        """Ask the work to stop. Calling it again changes nothing."""
        self.flag[0] = 1
        self._event.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether :meth:`cancel` was called."""
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        """Raise :class:`Cancelled` if :meth:`cancel` was called."""
        if self._event.is_set():
            raise Cancelled("the evaluation was cancelled by its caller")
