"""The store of computed values: by content key, bounded in bytes for each memory space, least recently used first.

A key stands for everything that a value depends on, so what is found is never stale; see
:mod:`~unshape_core.content_key`. Values are immutable: arrays are read-only, and none shares memory with an array that
a caller can change.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from unshape_core.coercion import is_graph_value
from unshape_core.errors import InvalidArgumentError
from unshape_core.fork_safety import renew_in_children
from unshape_core.memory_space import HOST, MemorySpace

if TYPE_CHECKING:
    from unshape_core.value import Value

DEFAULT_BUDGET_BYTES = 512 * 1024 * 1024
"""What a memory space may hold if nothing else is said."""

_SCALAR_BYTES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStatistics:
    """What a cache has done and holds, of one space or of all.

    Parameters
    ----------
    entries, bytes_held : int
        What it holds now.
    hits, misses, evictions : int
        What it has done since it was made or cleared.
    """

    entries: int
    bytes_held: int
    hits: int
    misses: int
    evictions: int


def space_of(value: Value) -> MemorySpace:
    """Return where a value lives."""
    return value.space if is_graph_value(value) else HOST


def bytes_of(value: Value) -> int:
    """Return the bytes that keeping a value costs."""
    if isinstance(value, np.ndarray) or is_graph_value(value):
        return value.nbytes
    return _SCALAR_BYTES


class _Shelf:
    """The values of one space."""

    __slots__ = ("budget_bytes", "bytes_held", "evictions", "hits", "misses", "values")

    def __init__(self, budget_bytes: int) -> None:
        self.budget_bytes = budget_bytes
        self.values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self.bytes_held = self.hits = self.misses = self.evictions = 0

    def statistics(self) -> CacheStatistics:
        return CacheStatistics(
            entries=len(self.values),
            bytes_held=self.bytes_held,
            hits=self.hits,
            misses=self.misses,
            evictions=self.evictions,
        )


class ValueCache:
    """Values by content key.

    Safe to use from several threads.

    Parameters
    ----------
    budget_bytes : int
        Bytes that each memory space may hold; 0 keeps nothing.
    budgets : mapping of MemorySpace to int
        Other budgets for some spaces.

    Examples
    --------
    >>> cache = ValueCache(budget_bytes=1000)
    >>> cache.put(b"key", 1.0)
    >>> cache.get(b"key")
    1.0
    """

    def __init__(
        self, *, budget_bytes: int = DEFAULT_BUDGET_BYTES, budgets: Mapping[MemorySpace, int] | None = None
    ) -> None:
        for budget in (budget_bytes, *(budgets or {}).values()):
            if budget < 0:
                msg = f"ValueCache: expected a budget of at least 0 bytes, got {budget}"
                raise InvalidArgumentError(msg)
        self._lock = threading.Lock()
        self._default_budget = budget_bytes
        self._budgets = dict(budgets or {})
        self._shelves: dict[MemorySpace, _Shelf] = {}
        renew_in_children(self)

    def get(self, key: Hashable, space: MemorySpace = HOST) -> Value | None:
        """Return the value of that key in that space, None if it is not there."""
        with self._lock:
            shelf = self._shelves.get(space)
            if shelf is None:
                shelf = self._open(space)
            entry = shelf.values.get(key)
            if entry is None:
                shelf.misses += 1
                return None
            shelf.values.move_to_end(key)
            shelf.hits += 1
            return entry[0]

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value, if it fits into the budget of its space at all; the least recently used ones make room."""
        size = bytes_of(value)
        space = space_of(value)
        dropped: list[Value] = []  # released after the lock: freeing device memory may take a while
        with self._lock:
            shelf = self._shelves.get(space) or self._open(space)
            before = shelf.values.pop(key, None)
            if before is not None:
                shelf.bytes_held -= before[1]
            if size > shelf.budget_bytes:
                return
            shelf.values[key] = (value, size)
            shelf.bytes_held += size
            while shelf.bytes_held > shelf.budget_bytes:
                _, (old, old_size) = shelf.values.popitem(last=False)
                shelf.bytes_held -= old_size
                shelf.evictions += 1
                dropped.append(old)

    def trim(self, space: MemorySpace, *, to_bytes: int = 0) -> int:
        """Drop the least recently used values of a space until it holds at most that much; return the bytes freed."""
        dropped: list[Value] = []
        with self._lock:
            shelf = self._shelves.get(space) or self._open(space)
            before = shelf.bytes_held
            while shelf.values and shelf.bytes_held > to_bytes:
                _, (old, old_size) = shelf.values.popitem(last=False)
                shelf.bytes_held -= old_size
                shelf.evictions += 1
                dropped.append(old)
            return before - shelf.bytes_held

    def clear(self) -> None:
        """Drop everything, the counts too."""
        with self._lock:
            dropped = list(self._shelves.values())
            self._shelves.clear()
        del dropped

    def statistics(self, space: MemorySpace | None = None) -> CacheStatistics:
        """Return what the cache has done and holds, of one space or of all."""
        with self._lock:
            if space is not None:
                return (self._shelves.get(space) or self._open(space)).statistics()
            each = [shelf.statistics() for shelf in self._shelves.values()]
        return CacheStatistics(
            entries=sum(s.entries for s in each),
            bytes_held=sum(s.bytes_held for s in each),
            hits=sum(s.hits for s in each),
            misses=sum(s.misses for s in each),
            evictions=sum(s.evictions for s in each),
        )

    def renew_after_fork(self) -> None:
        """Replace the lock; if a thread that is not here held it, its values are dropped, for it was not finished."""
        if self._lock.locked():
            self._shelves = {}
        self._lock = threading.Lock()

    def _open(self, space: MemorySpace) -> _Shelf:
        shelf = self._shelves[space] = _Shelf(self._budgets.get(space, self._default_budget))
        return shelf
