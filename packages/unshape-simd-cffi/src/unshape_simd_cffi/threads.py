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
    """Take over ``UNSHAPE_THREADS``.

    Raises
    ------
    InvalidArgumentError
        If it is no whole number from 1 on.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text.isdigit() or int(text) < 1:
        if text:
            msg = f"{VARIABLE}: expected a whole number of at least 1, got {text!r}"
            raise InvalidArgumentError(msg)
        return
    native.load().lib.us_set_threads(min(int(text), 2**20))
