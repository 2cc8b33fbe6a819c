"""Checks of the parameters that nodes of images have: texts, names, rows, spans and colours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from unshape_core.errors import InvalidArgumentError
from unshape_core.parameter_checks import check_number, refuse
from unshape_expr.literal import round_to_f32


def check_rows(type_name: str, name: str, value: object, *, of: str) -> tuple[tuple[object, ...], ...]:
    """Return a parameter that is a sequence of sequences as a tuple of tuples.

    Raises
    ------
    InvalidArgumentError
        If it is none; ``of`` says in the message what it is to be.
    """
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        refuse(type_name, name, of, value)
    rows: list[tuple[object, ...]] = []
    for row in value:
        if not isinstance(row, Iterable) or isinstance(row, str | bytes | Mapping):
            refuse(type_name, f"{name}[{len(rows)}]", of, row)
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
        refuse(type_name, name, "a tuple of names", value)
    names = tuple(value)
    for index, item in enumerate(names):
        if not isinstance(item, str):
            refuse(type_name, f"{name}[{index}]", "a name", item)
    object.__setattr__(node, name, names)


def check_text(type_name: str, name: str, value: object) -> None:
    """Raise unless a parameter is a text.

    Raises
    ------
    InvalidArgumentError
        If it is none.
    """
    if not isinstance(value, str):
        refuse(type_name, name, "a text", value)


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
        refuse(type_name, name, "1 to 4 numbers, one for each channel", value)
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
