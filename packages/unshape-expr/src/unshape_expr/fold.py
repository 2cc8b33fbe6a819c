"""Folding of operations on fixed literals, with the bits that every backend would compute.

Only literals inside the definition of a function are fixed. The float64 result of one operation on float32 numbers,
rounded to float32, is the correctly rounded one for ``+ - * /`` and the square root (float64 has more than twice the
digits), so Python's floats are enough.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from unshape_expr.ir import Expr
from unshape_expr.literal import round_to_f32
from unshape_expr.ops import Op
from unshape_expr.types import Type

_F32: dict[Op, Callable[..., float]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
    Op.ABS: abs,
}
_INTEGER: dict[Op, Callable[..., int]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
    Op.ABS: abs,
    Op.MIN: min,
    Op.MAX: max,
    Op.BIT_AND: lambda a, b: a & b,
    Op.BIT_OR: lambda a, b: a | b,
    Op.BIT_XOR: lambda a, b: a ^ b,
    Op.BIT_NOT: lambda a: ~a,
    Op.SHL: lambda a, b: a << (b % 32),
    Op.SHR: lambda a, b: a >> (b % 32),
}
_BOOL: dict[Op, Callable[..., bool]] = {
    Op.AND: lambda a, b: a and b,
    Op.OR: lambda a, b: a or b,
    Op.NOT: lambda a: not a,
}


def folded(expr: Expr) -> Expr:
    """Return a literal in place of an operation on literals, if that keeps the bits; else the expression."""
    if not expr.args:
        return expr
    if expr.op is Op.SELECT and expr.args[0].op is Op.CONST:
        return expr.args[1] if expr.args[0].attr is True else expr.args[2]
    if any(a.op is not Op.CONST for a in expr.args):
        return expr
    values = [a.attr for a in expr.args]
    if expr.type is Type.F32:
        return _folded_f32(expr, values)
    if expr.type.is_integer and expr.op in _INTEGER:
        return Expr(Op.CONST, expr.type, (), wrap(_INTEGER[expr.op](*values), expr.type))
    if expr.type is Type.BOOL and expr.op in _BOOL:
        return Expr(Op.CONST, expr.type, (), _BOOL[expr.op](*values))
    return expr


def wrap(value: int, type: Type) -> int:  # noqa: A002 - the field's word
    """Return an integer modulo 2**32 in the range of i32 or u32."""
    value &= 0xFFFFFFFF
    return value - 2**32 if type is Type.I32 and value >= 2**31 else value


def _folded_f32(expr: Expr, values: Sequence[object]) -> Expr:
    numbers = [float(v) for v in values if isinstance(v, bool | int | float)]
    if expr.op in _F32:
        result = _F32[expr.op](*numbers)
    elif expr.op is Op.DIV and numbers[1] != 0.0:
        result = numbers[0] / numbers[1]
    elif expr.op is Op.SQRT and numbers[0] >= 0.0:
        result = math.sqrt(numbers[0])
    elif expr.op is Op.TO_F32:
        result = numbers[0]
    else:
        return expr
    return expr if math.isnan(result) else Expr(Op.CONST, Type.F32, (), round_to_f32(result))
