"""Arithmetic, comparison, logic, selection and conversion, with types checked and broadcasting resolved.

The operators of Python on expressions lead here. Arguments may be Python numbers, which become literals of the type of
the other arguments (f32 if there is none). An f32 beside a vector is spread over it; nothing else is converted
silently.
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.errors import ExpressionTypeError
from unshape_expr.ir import Expr
from unshape_expr.literal import ExprLike, lift
from unshape_expr.ops import Op
from unshape_expr.types import Type

FLOATS = frozenset({Type.F32, Type.VEC2, Type.VEC3, Type.VEC4})
INTEGERS = frozenset({Type.I32, Type.U32})
NUMBERS = FLOATS | INTEGERS
SCALARS = frozenset({Type.F32, Type.I32, Type.U32, Type.BOOL})


def type_names(types: Sequence[Type] | frozenset[Type]) -> str:
    """Return types as a list for an error message."""
    names = [t.value for t in Type if t in types]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def common_type(name: str, arguments: Sequence[ExprLike], accepted: frozenset[Type]) -> Type:
    """Return the type that arguments of one operation are brought to.

    Raises
    ------
    ExpressionTypeError
        If there is none, or the operation does not take it.
    """
    found: Type | None = None
    for argument in arguments:
        if not isinstance(argument, Expr) or argument.type is found:
            continue
        if found is None or (found is Type.F32 and argument.type.is_vector):
            found = argument.type
        elif not (found.is_vector and argument.type is Type.F32):
            got = " and ".join(dict.fromkeys(a.type.value for a in arguments if isinstance(a, Expr)))
            remedy = "vectors of different size do not mix; choose components, for example .xy"
            if not (found.is_vector and argument.type.is_vector):
                remedy = f"convert one with to_{found.value if not found.is_vector else 'f32'}(...)"
            msg = f"{name}: expected arguments of one type, got {got}; {remedy}"
            raise ExpressionTypeError(msg)
    if found is None:
        only_bools = bool(arguments) and all(isinstance(a, bool) for a in arguments)
        found = Type.BOOL if only_bools else Type.F32
    if found not in accepted:
        remedy = "; powers are written **" if name == Op.BIT_XOR else ""
        msg = f"{name}: expected {type_names(accepted)}, got {found.value}{remedy}"
        raise ExpressionTypeError(msg)
    return found


def unify(name: str, arguments: Sequence[ExprLike], accepted: frozenset[Type]) -> tuple[tuple[Expr, ...], Type]:
    """Return the arguments of one operation brought to one type, and that type."""
    common = common_type(name, arguments, accepted)
    return tuple([lift(a, common, where=name) for a in arguments]), common


def binary(op: Op, a: ExprLike, b: ExprLike, accepted: frozenset[Type]) -> Expr:
    """Return an operation of two arguments of one type with a result of that type."""
    if isinstance(a, Expr) and isinstance(b, Expr) and a.type is b.type and a.type in accepted:
        return Expr(op, a.type, (a, b))
    args, common = unify(op.value, (a, b), accepted)
    return Expr(op, common, args)


def unary(op: Op, a: ExprLike, accepted: frozenset[Type]) -> Expr:
    """Return an operation of one argument with a result of its type."""
    args, common = unify(op.value, (a,), accepted)
    return Expr(op, common, args)


def add(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``a + b``."""
    return binary(Op.ADD, a, b, NUMBERS)


def sub(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``a - b``."""
    return binary(Op.SUB, a, b, NUMBERS)


def mul(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``a * b``."""
    return binary(Op.MUL, a, b, NUMBERS)


def div(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``a / b`` of floats, correctly rounded; integers have :func:`floordiv`."""
    args, common = unify("div", (a, b), NUMBERS)
    if common.is_integer:
        msg = f"div: '/' expected f32 or vectors, got {common.value}; use '//' or convert with to_f32(...)"
        raise ExpressionTypeError(msg)
    return Expr(Op.DIV, common, args)


def floordiv(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``floor(a / b)``: of integers exactly, 0 for a zero divisor; of floats the quotient is rounded first."""
    args, common = unify("floordiv", (a, b), NUMBERS)
    quotient = Expr(Op.DIV, common, args)
    return quotient if common.is_integer else Expr(Op.FLOOR, common, (quotient,))


def mod(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``a`` modulo ``b`` with the sign of ``b``: of floats ``a - b*floor(a/b)``."""
    return binary(Op.MOD, a, b, NUMBERS)


def neg(a: ExprLike) -> Expr:
    """Return ``-a``."""
    return unary(Op.NEG, a, NUMBERS)


def abs(a: ExprLike) -> Expr:  # noqa: A001 - the language's name
    """Return the magnitude of each component; of the smallest i32, itself."""
    return unary(Op.ABS, a, NUMBERS)


def min(a: ExprLike, b: ExprLike, *more: ExprLike) -> Expr:  # noqa: A001 - the language's name
    """Return the smallest argument, from left to right; NaN if any is NaN."""
    return _fold(Op.MIN, (a, b, *more))


def max(a: ExprLike, b: ExprLike, *more: ExprLike) -> Expr:  # noqa: A001 - the language's name
    """Return the largest argument, from left to right; NaN if any is NaN."""
    return _fold(Op.MAX, (a, b, *more))


def _fold(op: Op, arguments: tuple[ExprLike, ...]) -> Expr:
    args, common = unify(op.value, arguments, NUMBERS)
    result = args[0]
    for argument in args[1:]:
        result = Expr(op, common, (result, argument))
    return result


def floor(a: ExprLike) -> Expr:
    """Return the largest whole number that is not above ``a``."""
    return unary(Op.FLOOR, a, FLOATS)


def ceil(a: ExprLike) -> Expr:
    """Return the smallest whole number that is not below ``a``."""
    return unary(Op.CEIL, a, FLOATS)


def trunc(a: ExprLike) -> Expr:
    """Return ``a`` without its fraction."""
    return unary(Op.TRUNC, a, FLOATS)


def round(a: ExprLike) -> Expr:  # noqa: A001 - the language's name
    """Return the nearest whole number, the even one of two."""
    return unary(Op.ROUND, a, FLOATS)


def sqrt(a: ExprLike) -> Expr:
    """Return the square root, correctly rounded; NaN below zero."""
    return unary(Op.SQRT, a, FLOATS)


def _compare(op: Op, a: ExprLike, b: ExprLike, accepted: frozenset[Type]) -> Expr:
    args, _ = unify(op.value, (a, b), accepted)
    return Expr(op, Type.BOOL, args)


def eq(a: ExprLike, b: ExprLike) -> Expr:
    """Return whether ``a`` equals ``b``; false if either is NaN."""
    return _compare(Op.EQ, a, b, SCALARS)


def ne(a: ExprLike, b: ExprLike) -> Expr:
    """Return whether ``a`` differs from ``b``; true if either is NaN."""
    return _compare(Op.NE, a, b, SCALARS)


def lt(a: ExprLike, b: ExprLike) -> Expr:
    """Return whether ``a`` is less than ``b``; false if either is NaN."""
    return _compare(Op.LT, a, b, SCALARS - {Type.BOOL})


def le(a: ExprLike, b: ExprLike) -> Expr:
    """Return whether ``a`` is at most ``b``; false if either is NaN."""
    return _compare(Op.LE, a, b, SCALARS - {Type.BOOL})


def gt(a: ExprLike, b: ExprLike) -> Expr:
    """Return whether ``a`` is greater than ``b``, as ``b < a``."""
    return lt(b, a)


def ge(a: ExprLike, b: ExprLike) -> Expr:
    """Return whether ``a`` is at least ``b``, as ``b <= a``."""
    return le(b, a)


def condition(value: ExprLike, *, where: str) -> Expr:
    """Return a bool expression.

    A Python ``bool`` is refused: it is nearly always the answer of ``==``, which compares identity.
    """
    if isinstance(value, Expr) and value.type is Type.BOOL:
        return value
    got = value.type.value if isinstance(value, Expr) else f"the Python value {value!r}"
    msg = f"{where}: expected a bool expression, got {got}; write a comparison (eq(a, b) for equality)"
    raise ExpressionTypeError(msg)


def logical_and(a: ExprLike, b: ExprLike) -> Expr:
    """Return whether both conditions hold."""
    return Expr(Op.AND, Type.BOOL, (condition(a, where="and"), condition(b, where="and")))


def logical_or(a: ExprLike, b: ExprLike) -> Expr:
    """Return whether at least one condition holds."""
    return Expr(Op.OR, Type.BOOL, (condition(a, where="or"), condition(b, where="or")))


def logical_not(a: ExprLike) -> Expr:
    """Return whether the condition does not hold."""
    return Expr(Op.NOT, Type.BOOL, (condition(a, where="not"),))


def _is_bool(*values: ExprLike) -> bool:
    return any(isinstance(v, Expr) and v.type is Type.BOOL for v in values)


def bit_and(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``a & b`` of integers; of conditions, :func:`logical_and`."""
    return logical_and(a, b) if _is_bool(a, b) else binary(Op.BIT_AND, a, b, INTEGERS)


def bit_or(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``a | b`` of integers; of conditions, :func:`logical_or`."""
    return logical_or(a, b) if _is_bool(a, b) else binary(Op.BIT_OR, a, b, INTEGERS)


def bit_xor(a: ExprLike, b: ExprLike) -> Expr:
    """Return ``a ^ b`` of integers; of conditions, whether they differ."""
    if _is_bool(a, b):
        return ne(condition(a, where="xor"), condition(b, where="xor"))
    return binary(Op.BIT_XOR, a, b, INTEGERS)


def bit_not(a: ExprLike) -> Expr:
    """Return ``~a`` of an integer; of a condition, :func:`logical_not`."""
    return logical_not(a) if _is_bool(a) else unary(Op.BIT_NOT, a, INTEGERS)


def shl(a: ExprLike, amount: ExprLike) -> Expr:
    """Return ``a << amount``; the amount is taken modulo 32."""
    return _shift(Op.SHL, a, amount)


def shr(a: ExprLike, amount: ExprLike) -> Expr:
    """Return ``a >> amount``, with copies of the sign for i32; the amount is taken modulo 32."""
    return _shift(Op.SHR, a, amount)


def _shift(op: Op, a: ExprLike, amount: ExprLike) -> Expr:
    if not isinstance(a, Expr) or not a.type.is_integer:
        got = a.type.value if isinstance(a, Expr) else f"the Python value {a!r}"
        msg = f"{op.value}: expected i32 or u32 to shift, got {got}; convert with to_u32(...)"
        raise ExpressionTypeError(msg)
    if isinstance(amount, Expr) and amount.type is Type.I32:
        amount = to_u32(amount)
    return Expr(op, a.type, (a, lift(amount, Type.U32, where=op.value)))


def select(test: ExprLike, if_true: ExprLike, if_false: ExprLike) -> Expr:
    """Return ``if_true`` where the condition holds, else ``if_false``; the other one leaves no trace."""
    test = condition(test, where="select")
    branches, common = unify("select", (if_true, if_false), frozenset(Type))
    return Expr(Op.SELECT, common, (test, *branches))


def _convert(op: Op, result: Type, a: ExprLike, accepted: frozenset[Type]) -> Expr:
    if isinstance(a, Expr) and a.type is result:
        return a
    if not isinstance(a, Expr):
        return lift(a, result, where=op.value)
    if a.type not in accepted:
        msg = f"{op.value}: expected {type_names(accepted)}, got {a.type.value}"
        raise ExpressionTypeError(msg)
    return Expr(op, result, (a,))


def to_f32(a: ExprLike) -> Expr:
    """Return the nearest f32 of an integer (of two, the even one); 1 or 0 of a condition."""
    return _convert(Op.TO_F32, Type.F32, a, SCALARS)


def to_i32(a: ExprLike) -> Expr:
    """Return an i32: of a float toward zero, at most the limits, 0 for NaN; of a u32 the same bits."""
    return _convert(Op.TO_I32, Type.I32, a, SCALARS)


def to_u32(a: ExprLike) -> Expr:
    """Return a u32: of a float toward zero, at most the limits, 0 for NaN; of an i32 the same bits."""
    return _convert(Op.TO_U32, Type.U32, a, SCALARS)


def bitcast_f32(a: Expr) -> Expr:
    """Return the f32 of those 32 bits."""
    return Expr(Op.BITCAST_F32, Type.F32, (lift(a, Type.U32, where="bitcast_f32"),))


def bitcast_u32(a: Expr) -> Expr:
    """Return the 32 bits of an f32."""
    return Expr(Op.BITCAST_U32, Type.U32, (lift(a, Type.F32, where="bitcast_u32"),))
