"""How long a device worked for a step: measured by the device itself, and fetched when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

TimeReader: TypeAlias = Callable[[], int | None]
"""Returns the nanoseconds that a piece of work took on the device's own clock, and waits for it if it is not done;
None if the device cannot tell (any more). It raises nothing, and may be called from any thread and more than once."""


class DeviceTime:
    """The time of all work that a device did for one step.

    It is asked of the device at the first look, which waits for the work; so keeping records waits for nothing. What is
    pickled is the number.

    Parameters
    ----------
    readers : sequence of TimeReader
        One for each piece of work that was handed over.

    Examples
    --------
    >>> DeviceTime([lambda: 1000, lambda: 500]).ns
    1500
    """

    __slots__ = ("_ns", "_readers")

    def __init__(self, readers: Sequence[TimeReader]) -> None:
        self._readers: Sequence[TimeReader] = tuple(readers)
        self._ns: int | None = None

    @property
    def ns(self) -> int | None:
        """Nanoseconds, None if they are unknown for a part of the work."""
        readers = self._readers
        if readers:
            times = [read() for read in readers]
            known = [time_ns for time_ns in times if time_ns is not None]
            self._ns = sum(known) if len(known) == len(times) else None
            self._readers = ()
        return self._ns

    def __reduce__(self) -> tuple[Callable[[int | None], DeviceTime], tuple[int | None]]:
        return _known, (self.ns,)


def _known(time_ns: int | None) -> DeviceTime:
    return DeviceTime([lambda: time_ns])
