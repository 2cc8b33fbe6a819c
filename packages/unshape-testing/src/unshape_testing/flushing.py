"""Arithmetic without subnormal numbers, as some devices have it: the processor is asked to do it so.

A device that does not claim DENORMALS may take a subnormal operand for zero, or give zero for a subnormal result, or
both. What a definition gives then is found out by running it on this processor in that mode; so an element is excused
only where subnormal numbers really change it, and only to what their absence makes of it.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

_MXCSR_WORD = 7
"""Of glibc's ``fenv_t`` on x86-64, in words of 32 bits."""
_OPERANDS, _RESULTS = 1 << 6, 1 << 15
"""Denormals-are-zero and flush-to-zero in MXCSR (Intel SDM, volume 1, 10.2.3)."""

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Flushing:
    """What becomes zero.

    Parameters
    ----------
    operands, results : bool
        Subnormal numbers that operations take, and that they give.
    """

    operands: bool
    results: bool


WAYS = (
    Flushing(operands=False, results=True),
    Flushing(operands=True, results=False),
    Flushing(operands=True, results=True),
)
"""The ways in which a device can do without subnormal numbers."""


def can_flush() -> bool:
    """Return whether this processor and C library can be asked."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and platform.libc_ver()[0] == "glibc"


@contextmanager
def flushing(how: Flushing) -> Iterator[None]:
    """Compute without subnormal numbers in this thread.

    Raises
    ------
    NotImplementedError
        Where :func:`can_flush` is False.
    """
    if not can_flush():
        msg = f"flushing: expected Linux on x86-64 with glibc, got {sys.platform} on {platform.machine()}"
        raise NotImplementedError(msg)
    library = ctypes.CDLL("libm.so.6")
    before = (ctypes.c_uint32 * 8)()
    library.fegetenv(before)
    changed = (ctypes.c_uint32 * 8)(*before)
    changed[_MXCSR_WORD] |= (_OPERANDS if how.operands else 0) | (_RESULTS if how.results else 0)
    library.fesetenv(changed)
    try:
        yield
    finally:
        library.fesetenv(before)


def each_way(compute: Callable[[], _Result]) -> list[_Result]:
    """Return what a computation gives with subnormal numbers, and in each way without if :func:`can_flush`."""
    results = [compute()]
    for how in WAYS if can_flush() else ():
        with flushing(how):
            results.append(compute())
    return results
