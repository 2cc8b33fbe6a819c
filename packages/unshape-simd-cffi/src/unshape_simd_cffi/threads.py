"""How many threads work on one task. ``UNSHAPE_THREADS`` sets it for the process."""

from __future__ import annotations

import os

from unshape_core.errors import InvalidArgumentError
from unshape_simd_cffi import native

VARIABLE = "UNSHAPE_THREADS"


def thread_count() -> int:
    """Return how many threads may take part: the setting, else the processors that this process may use."""
    return int(native.load().lib.us_threads())


def apply_setting() -> None:
    """Take over ``UNSHAPE_THREADS``; more than 256 are 256.

    Raises
    ------
    InvalidArgumentError
        If it is no such number.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return
    if not (text.isascii() and text.isdecimal() and len(text) <= 9 and int(text) >= 1):
        msg = f"{VARIABLE}: expected a whole number from 1 to 999999999, got {text[:40]!r}"
        raise InvalidArgumentError(msg)
    native.load().lib.us_set_threads(int(text))
