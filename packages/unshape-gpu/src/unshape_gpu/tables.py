"""Tables of kernels: host arrays that are the same in many runs, copied to the device once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, ValuesView
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from unshape_core.content_key import value_key

if TYPE_CHECKING:
    from unshape_gpu.buffer import GpuBuffer

_KEPT = 256


class Tables:
    """Copies of the tables that were used last, found by what is in them. Used under the lock of the context."""

    def __init__(self) -> None:
        self._tables: OrderedDict[Hashable, GpuBuffer] = OrderedDict()
        # An array that nobody can write any more need not be looked through twice; it is held, so that no other one
        # gets its number.
        self._known: OrderedDict[int, tuple[npt.NDArray[Any], Hashable]] = OrderedDict()

    def get(self, array: npt.NDArray[Any], upload: Callable[[npt.NDArray[Any]], GpuBuffer]) -> GpuBuffer:
        """Return the copy of a table, a new one if there is none."""
        key = self._key(array)
        found = self._tables.get(key)
        if found is None:
            found = self._tables[key] = upload(array)
            if len(self._tables) > _KEPT:
                self._tables.popitem(last=False)
        self._tables.move_to_end(key)
        return found

    def _key(self, array: npt.NDArray[Any]) -> Hashable:
        if array.flags.writeable or array.base is not None:
            return value_key(array)
        known = self._known.get(id(array))
        if known is None:
            known = self._known[id(array)] = (array, value_key(array))
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return known[1]

    def values(self) -> ValuesView[GpuBuffer]:
        """Return the copies."""
        return self._tables.values()

    def clear(self) -> None:
        """Forget all."""
        self._tables.clear()
        self._known.clear()
