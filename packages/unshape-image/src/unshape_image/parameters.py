"""Checks of node parameters, with one form of error."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NoReturn

from unshape_core.argument_checks import shown
from unshape_core.errors import InvalidArgumentError
from unshape_expr.literal import round_to_f32


def check_number(type_name: str, name: str, value: object, *, low: float = -math.inf, high: float = math.inf) -> float:
    """Return a parameter that is a finite number in the closed range.

    Raises
    ------
    InvalidArgumentError
        If it is not.
    """
    if isinstance(value, bool) or not (isinstance(value, int | float) and _is_finite(value) and low <= value <= high):
        _refuse(type_name, name, _range("a finite number", low, high), value)
    return value


def check_integer(type_name: str, name: str, value: object, *, low: int, high: int) -> None:
    """Raise unless a parameter is an integer in the closed range.

    Raises
    ------
    InvalidArgumentError
        If it is not.
    """
    if isinstance(value, bool) or not (isinstance(value, int) and low <= value <= high):
        _refuse(type_name, name, _range("an integer", low, high), value)


def check_rows(type_name: str, name: str, value: object, *, of: str) -> tuple[tuple[object, ...], ...]:
    """Return a parameter that is a sequence of sequences as a tuple of tuples.

    Raises
    ------
    InvalidArgumentError
        If it is none; ``of`` says in the message what it is to be.
    """
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        _refuse(type_name, name, of, value)
    rows: list[tuple[object, ...]] = []
    for row in value:
        if not isinstance(row, Iterable) or isinstance(row, str | bytes | Mapping):
            _refuse(type_name, f"{name}[{len(rows)}]", of, row)
        rows.append(tuple(row))
    return tuple(rows)


def check_names(node: object, type_name: str, name: str) -> None:
    """Turn a parameter of a frozen node that is a sequence of names into a tuple of them.

    Raises
    ------
    InvalidArgumentError
        If it is none.
    """
    value = getattr(node, name)
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        _refuse(type_name, name, "a tuple of names", value)
    names = tuple(value)
    for index, item in enumerate(names):
        if not isinstance(item, str):
            _refuse(type_name, f"{name}[{index}]", "a name", item)
    object.__setattr__(node, name, names)


def check_text(type_name: str, name: str, value: object) -> None:
    """Raise unless a parameter is a text.

    Raises
    ------
    InvalidArgumentError
        If it is none.
    """
    if not isinstance(value, str):
        _refuse(type_name, name, "a text", value)


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
        listed = ", ".join(repr(choice.value) for choice in choices)
        _refuse(type_name, name, f"one of {listed}", value)


def check_span(type_name: str, low_name: str, low: float, high_name: str, high: float) -> None:
    """Raise if two parameters are one number as float32, so that nothing lies between them.

    Raises
    ------
    InvalidArgumentError
        If they are.
    """
    if round_to_f32(low) == round_to_f32(high):
        msg = f"{type_name}: expected {low_name} and {high_name} to differ, got {low!r} and {high!r}"
        raise InvalidArgumentError(msg, type_name=type_name)


def check_color(type_name: str, name: str, value: object) -> tuple[float, ...]:
    """Return a colour as a tuple of 1 to 4 numbers.

    Raises
    ------
    InvalidArgumentError
        If it is none.
    """
    if not isinstance(value, Sequence) or isinstance(value, str) or not 1 <= len(value) <= 4:
        _refuse(type_name, name, "1 to 4 numbers, one for each channel", value)
    for index, channel in enumerate(value):
        check_number(type_name, f"{name}[{index}]", channel)
    return tuple(float(channel) for channel in value)


def check_colors_alike(type_name: str, colors: Mapping[str, Sequence[float]]) -> None:
    """Raise unless colours have equally many channels.

    Raises
    ------
    InvalidArgumentError
        If they have not.
    """
    counts = {name: len(color) for name, color in colors.items()}
    if len(set(counts.values())) > 1:
        got = ", ".join(f"{count} in {name}" for name, count in counts.items())
        msg = f"{type_name}: expected colours of equally many channels, got {got}"
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


def _refuse(type_name: str, name: str, expected: str, value: object) -> NoReturn:
    msg = f"{type_name}: {name}: expected {expected}, got {shown(value)}"
    raise InvalidArgumentError(msg, type_name=type_name)
