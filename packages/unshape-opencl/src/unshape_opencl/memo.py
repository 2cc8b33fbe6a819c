"""What a task keeps between its runs, a few things at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

ENTRIES = 8
"""As many as a user's slider comes back to; each holds tables of a picture's width and height."""

Made = TypeVar("Made")


class Memo:
    """Keeps what was made for each key, those used last. Safe to use from several threads.

    Parameters
    ----------
    entries : int
        How many are kept.
    """

    __slots__ = ("_entries", "_kept", "_lock")

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return what was made for a key, and make it if it is not there; two threads may both make it."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return cast("Made", self._kept[key])
        made = make()
        with self._lock:
            self._kept[key] = made
            if len(self._kept) > self._entries:
                self._kept.popitem(last=False)
        return made
