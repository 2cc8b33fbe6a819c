"""Checks of arguments that callers get wrong in spite of their types."""

from __future__ import annotations

import operator
from typing import TypeGuard

from unshape_core.errors import InvalidArgumentError
from unshape_core.value_type import ValueType

_SHOWN = 60


def check_count(what: str, value: object, *, at_least: int) -> int:
    """Return a whole number that is large enough.

    Raises
    ------
    InvalidArgumentError
        If it is not; the message begins with ``what``.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
        msg = f"{what}: expected a whole number from {at_least}, got {shown(value)}"
        raise InvalidArgumentError(msg)
    return value


def whole_number(what: str, value: object) -> int:
    """Return a whole number, also one of NumPy's, as a Python int.

    Raises
    ------
    InvalidArgumentError
        If it is none; the message begins with ``what``.
    """
    if type(value) is int:
        return value
    if not isinstance(value, bool):
        try:
            return operator.index(value)  # type: ignore[arg-type]  # raises TypeError where it is none
        except TypeError:
            pass
    msg = f"{what}: expected a whole number, got {shown(value)}"
    raise InvalidArgumentError(msg)


def check_port_facts(type_name: str, value_type: object, *, name: object = "value") -> None:
    """Check what a node of the core lets its author say of ports.

    Raises
    ------
    InvalidArgumentError
        If the name is none, or the type is no value type.
    """
    if not isinstance(name, str) or not name:
        msg = f"{type_name}: expected a name, got {shown(name)}"
        raise InvalidArgumentError(msg, type_name=type_name)
    if not isinstance(value_type, ValueType):
        msg = f"{type_name}: value_type: expected a value type such as F32 or TEXTURE, got {shown(value_type)}"
        raise InvalidArgumentError(msg, type_name=type_name)


def shown(value: object) -> str:
    """Return a value in the few words that an error message has room for."""
    text = str(value.bit_length()) + "-bit number" if _is_huge(value) else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _is_huge(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and value.bit_length() > 4 * _SHOWN  # Python refuses to write very long ones
