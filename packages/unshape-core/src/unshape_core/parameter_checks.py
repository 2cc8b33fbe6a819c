"""Checks of node parameters, with one form of error: node, parameter, what it may be, what was given."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NoReturn

from unshape_core.argument_checks import shown
from unshape_core.errors import InvalidArgumentError


def check_number(type_name: str, name: str, value: object, *, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a parameter that is a finite number in the closed range.

    Raises
    ------
    InvalidArgumentError
        If it is not.
    """
    if isinstance(value, bool) or not (isinstance(value, int | float) and _is_finite(value) and low <= value <= high):
        refuse(type_name, name, _range("a finite number", low, high), value)
    return value


def check_integer(type_name: str, name: str, value: object, *, low: int, high: int) -> None:
    """Raise unless a parameter is an integer in the closed range.

    Raises
    ------
    InvalidArgumentError
        If it is not.
    """
    if isinstance(value, bool) or not (isinstance(value, int) and low <= value <= high):
        refuse(type_name, name, _range("an integer", low, high), value)


def check_choice(node: object, type_name: str, name: str, choices: type[StrEnum]) -> None:
    """Turn a parameter of a frozen node that was given as text into a member of its set.

    Raises
    ------
    InvalidArgumentError
        If it is none of them.
    """
    value = getattr(node, name)
    try:
        object.__setattr__(node, name, choices(value))
    except ValueError:
        refuse(type_name, name, "one of " + ", ".join([repr(choice.value) for choice in choices]), value)


def refuse(type_name: str, name: str, expected: str, value: object) -> NoReturn:
    """Raise the error that all checks of parameters raise.

    Parameters
    ----------
    type_name, name : str
        The node's type and the parameter.
    expected : str
        What it may be: ``"an integer in [1, 30]"``.
    value : object
        What was given.

    Raises
    ------
    InvalidArgumentError
        Always.
    """
    msg = f"{type_name}: {name}: expected {expected}, got {shown(value)}"
    raise InvalidArgumentError(msg, type_name=type_name)


def _is_finite(value: float) -> bool:
    """Return whether a number is finite as the float64 that files and kernels make of it."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _range(what: str, low: float, high: float) -> str:
    if low == -math.inf and high == math.inf:
        return what
    return f"{what} of at least {low:g}" if high == math.inf else f"{what} in [{low:.10g}, {high:.10g}]"
