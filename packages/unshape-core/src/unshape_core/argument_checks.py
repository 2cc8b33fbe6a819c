"""Checks of arguments that callers get wrong in spite of their types."""

from __future__ import annotations

from unshape_core.errors import InvalidArgumentError


def check_count(what: str, value: object, *, at_least: int) -> int:
    """Return a whole number that is large enough.

    Raises
    ------
    InvalidArgumentError
        If it is not; the message begins with ``what``.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
        msg = f"{what}: expected a whole number from {at_least}, got {value!r}"
        raise InvalidArgumentError(msg)
    return value
