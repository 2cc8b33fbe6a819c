"""Compiled shaders of a device, those used last: bounded in number and in memory.

What is dropped here lives on as long as something uses it: a task that was made ready holds its shader, and so does
work that is recorded or running. It is compiled again when it is asked for again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Protocol, TypeVar

MAX_PROGRAMS = 1024
MAX_PROGRAM_BYTES = 512 * 1024 * 1024
BYTES_PER_CHARACTER = 32
"""What a driver keeps for each character of a shader, as an estimate; drivers do not tell."""
BYTES_PER_CHARACTER_SOFTWARE = 256
"""The same where a shader becomes code of the processor, with all functions inlined: 60 to 500 were measured."""


class Sized(Protocol):
    """What a store keeps."""

    @property
    def nbytes(self) -> int:
        """Bytes that it is estimated to take."""


_Made = TypeVar("_Made", bound=Sized)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramStatistics:
    """What a store holds and has done.

    Parameters
    ----------
    kept, kept_bytes : int
        Shaders that are there, and the bytes that they are estimated to take.
    hits, misses, evictions : int
        How often one was found, was not, and was dropped.
    """

    kept: int
    kept_bytes: int
    hits: int
    misses: int
    evictions: int


class ProgramStore:
    """Compiled shaders. Used under the lock of the context.

    Parameters
    ----------
    max_count, max_bytes : int
        What is kept at most; the newest shader is kept whatever its size.
    """

    def __init__(self, *, max_count: int = MAX_PROGRAMS, max_bytes: int = MAX_PROGRAM_BYTES) -> None:
        self._max_count, self._max_bytes = max_count, max_bytes
        self._kept: OrderedDict[Hashable, Sized] = OrderedDict()
        self._kept_bytes = self._hits = self._misses = self._evictions = 0

    def get(self, key: Hashable, compile_: Callable[[], _Made]) -> _Made:
        """Return the shader of a key, and compile it if it is not there."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            self._hits += 1
            return found  # type: ignore[return-value]  # keys name what they stand for
        made = compile_()
        self._misses += 1
        self._kept[key] = made
        self._kept_bytes += made.nbytes
        self._shrink()
        return made

    def set_limits(self, *, max_count: int | None = None, max_bytes: int | None = None) -> None:
        """Change what is kept at most; what is too much goes at once."""
        self._max_count = self._max_count if max_count is None else max_count
        self._max_bytes = self._max_bytes if max_bytes is None else max_bytes
        self._shrink()

    @property
    def statistics(self) -> ProgramStatistics:
        """What the store holds and has done."""
        return ProgramStatistics(
            kept=len(self._kept),
            kept_bytes=self._kept_bytes,
            hits=self._hits,
            misses=self._misses,
            evictions=self._evictions,
        )

    def _shrink(self) -> None:
        """Drop those that were not used for longest."""
        while len(self._kept) > 1 and (len(self._kept) > self._max_count or self._kept_bytes > self._max_bytes):
            _, dropped = self._kept.popitem(last=False)
            self._kept_bytes -= dropped.nbytes
            self._evictions += 1
