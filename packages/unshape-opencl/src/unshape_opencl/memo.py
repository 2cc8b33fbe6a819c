"""What a task keeps between its runs, a few things at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

ENTRIES = 8
"""As many as a user's slider comes back to; each holds tables of a picture's width and height."""

Made = TypeVar("Made")
_NOTHING = object()


class Memo:
    """Keeps what was made for each key, those used last. Safe to use from several threads.

    Parameters
    ----------
    entries : int
        How many are kept.
    """

    __slots__ = ("_entries", "_kept", "_last", "_lock")

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._kept: dict[Hashable, Any] = {}
        self._last: tuple[Hashable, Any] = (_NOTHING, None)
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what was made for a key, and make it if it is not there; two threads may both make it."""
        last, made = self._last
        if last == key:  # the same parts are the same objects, and comparing these is faster than hashing them
            return made  # type: ignore[no-any-return]  # what was made for this key
        with self._lock:
            made = self._kept.pop(key, _NOTHING)
            if made is not _NOTHING:
                self._kept[key] = made  # as the one used last
        if made is _NOTHING:
            made = make()
            with self._lock:
                self._kept[key] = made
                if len(self._kept) > self._entries:
                    del self._kept[next(iter(self._kept))]
        self._last = (key, made)
        return made  # type: ignore[no-any-return]
