"""Literals: Python numbers as expressions.

Every call makes a new literal object, which is a slot of its own (see ``ir.py``).
"""

from __future__ import annotations

import math
import struct
from typing import TypeAlias

from unshape_expr.errors import ExpressionTypeError
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.traced_number import TracedNumber
from unshape_expr.types import Type

ExprLike: TypeAlias = "Expr | bool | int | float"
"""What builder functions take: an expression, or a Python number that becomes a literal of the type that fits."""

_RANGES = {Type.I32: (-(2**31), 2**31 - 1), Type.U32: (0, 2**32 - 1)}


def round_to_f32(value: float) -> float:
    """Return the nearest float32 as a Python float; beyond the largest one, an infinity."""
    try:
        (result,) = struct.unpack("<f", struct.pack("<f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    return float(result)


def checked_value(value: object, type: Type, *, where: str) -> bool | int | float:  # noqa: A002 - the field's word
    """Return a Python number as the value of a literal of a scalar type.

    Raises
    ------
    ExpressionTypeError
        If the number does not fit the type.
    """
    match type:
        case Type.BOOL:
            if isinstance(value, bool):
                return value
        case Type.F32:
            if isinstance(value, int | float) and not isinstance(value, bool):
                try:
                    return round_to_f32(float(value))
                except OverflowError:
                    return math.inf if value > 0 else -math.inf
        case Type.I32 | Type.U32:
            if isinstance(value, int) and not isinstance(value, bool):
                low, high = _RANGES[type]
                if low <= value <= high:
                    return value
                msg = f"{where}: expected an integer in [{low}, {high}] for {type.value}, got {value}"
                raise ExpressionTypeError(msg)
        case Type.VEC2 | Type.VEC3 | Type.VEC4:
            pass
    got = f"{value!r}" if isinstance(value, bool | int | float) else f"an object of type {value.__class__.__name__}"
    msg = f"{where}: expected a literal of type {type.value}, got {got}"
    raise ExpressionTypeError(msg)


def literal(value: float, type: Type = Type.F32) -> Expr:  # noqa: A002 - the field's word
    """Return a new literal of a scalar type; for a vector type, one number in every component."""
    if type.is_vector:
        return Expr(Op.SPLAT, type, (literal(value),))
    return _slot(value, type, where="literal")


def lift(value: ExprLike, type: Type, *, where: str) -> Expr:  # noqa: A002 - the field's word
    """Return an expression of exactly that type: a number as a literal, an f32 spread over a vector.

    Raises
    ------
    ExpressionTypeError
        If the value is of another type.
    """
    if isinstance(value, Expr):
        if value.type is type:
            return value
        if type.is_vector and value.type is Type.F32:
            return Expr(Op.SPLAT, type, (value,))
        msg = f"{where}: expected {type.value}, got {value.type.value}{_remedy(value.type, type)}"
        raise ExpressionTypeError(msg)
    if type.is_vector:
        return Expr(Op.SPLAT, type, (_slot(value, Type.F32, where=where),))
    return _slot(value, type, where=where)


def _slot(value: object, type: Type, *, where: str) -> Expr:  # noqa: A002 - the field's word
    if isinstance(value, TracedNumber):
        return value.literal(Expr(Op.CONST, type, (), checked_value(value.value, type, where=where)))
    return Expr(Op.CONST, type, (), checked_value(value, type, where=where))


def _remedy(got: Type, wanted: Type) -> str:
    if not wanted.is_vector and not got.is_vector and wanted is not Type.BOOL:
        return f"; convert it with to_{wanted.value}(...)"
    if got.is_vector and wanted is Type.F32:
        return "; take a component, for example .x"
    return ""
