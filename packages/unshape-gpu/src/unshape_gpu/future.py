"""Values that are not there yet."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy.typing as npt


class GpuFuture:
    """The elements of an array that a device may still be computing.

    Parameters
    ----------
    is_ready : callable
        Whether they are there, without waiting.
    fetch : callable
        Waits for them and copies them to the host; raises what went wrong with the work that makes them.
    wait : callable
        Waits at most so many seconds (None: as long as it takes); returns whether they are there.
    """

    __slots__ = ("_fetch", "_is_ready", "_wait")

    def __init__(
        self,
        *,
        is_ready: Callable[[], bool],
        fetch: Callable[[], npt.NDArray[Any]],
        wait: Callable[[float | None], bool],
    ) -> None:
        self._is_ready = is_ready
        self._fetch = fetch
        self._wait = wait

    def is_ready(self) -> bool:
        """Return whether the elements are there; does not wait."""
        return self._is_ready()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until they are there, at most so long; return whether they are.

        Raises
        ------
        BackendError
            If the work failed.
        """
        return self._wait(timeout_s)

    def result(self) -> npt.NDArray[Any]:
        """Wait, and return the elements on the host."""
        return self._fetch()

    def try_get(self) -> npt.NDArray[Any] | None:
        """Return the elements on the host if they are there, else None."""
        return self._fetch() if self._is_ready() else None

    def __await__(self) -> Generator[Any, None, npt.NDArray[Any]]:
        import asyncio

        while not self._is_ready():
            yield from asyncio.sleep(0.0005).__await__()
        return self._fetch()
