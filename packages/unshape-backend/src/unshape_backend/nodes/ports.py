"""Ports of the arithmetic nodes, made once for each type."""

from __future__ import annotations

from functools import cache

from unshape_core.errors import InvalidArgumentError
from unshape_core.port import Port
from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_core.value_type import BOOL, F32, I32, TEXTURE, VEC2, VEC3, VEC4, ValueType

NUMBERS: tuple[ValueType, ...] = (F32, I32, VEC2, VEC3, VEC4, TEXTURE)
"""What arithmetic is defined on."""

FLOATS: tuple[ValueType, ...] = (F32, VEC2, VEC3, VEC4, TEXTURE)
"""What float32 functions are defined on."""


def check_type(type_name: str, value_type: ValueType, allowed: tuple[ValueType, ...]) -> None:
    """Raise if a node is not defined on a type.

    Parameters
    ----------
    type_name : str
        The node's type, for the message.
    value_type : ValueType
        What the node is to work on.
    allowed : tuple of ValueType
        What it can work on.
    """
    if value_type not in allowed:
        names = ", ".join(map(str, allowed))
        msg = f"{type_name}: value_type: expected one of {names}, got {value_type}"
        raise InvalidArgumentError(msg, type_name=type_name)


def filled(value_type: ValueType, number: float) -> Value | None:
    """Return a scalar or vector of a type whose components are a number; None for a picture, which has to be wired."""
    match value_type:
        case _ if value_type == F32:
            return float(number)
        case _ if value_type == I32:
            return int(number)
        case _ if value_type == BOOL:
            return bool(number)
        case _ if value_type == VEC2:
            return Vec2(number, number)
        case _ if value_type == VEC3:
            return Vec3(number, number, number)
        case _ if value_type == VEC4:
            return Vec4(number, number, number, number)
        case _:
            return None


@cache
def value_port(name: str, value_type: ValueType, default: float | None = None, doc: str = "") -> Port:
    """Return a port of a type with a default whose components are a number."""
    return Port(name, value_type, None if default is None else filled(value_type, default), doc)


@cache
def value_output(value_type: ValueType) -> tuple[Port, ...]:
    """Return the one output of an arithmetic node."""
    return (Port("value", value_type, doc="The result."),)
