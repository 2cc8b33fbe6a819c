"""Primitive operations on arrays, into given arrays, with the results that ``ops.py`` states on every processor.

Where NumPy's own answer depends on the instruction set (the sign of the smaller of two zeros, conversions out of range)
or is not what the language says (shifts by 32 and more), the difference is made up for here. A result may share the
memory of one of its arguments only where :data:`IN_PLACE` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_expr.ops import Op
from unshape_expr.types import Type

Array = npt.NDArray[Any]
Operation: TypeAlias = Callable[..., object]
"""``operation(*arguments, result)``."""

_MINUS_ZERO = np.iinfo(np.int32).min
DTYPES: dict[Type, np.dtype[Any]] = {
    Type.F32: np.dtype(np.float32),
    Type.I32: np.dtype(np.int32),
    Type.U32: np.dtype(np.uint32),
    Type.BOOL: np.dtype(np.bool_),
}

_FLOATS: dict[Op, Operation] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.NEG: np.negative,
    Op.ABS: np.absolute,
    Op.FLOOR: np.floor,
    Op.CEIL: np.ceil,
    Op.TRUNC: np.trunc,
    Op.ROUND: np.rint,
    Op.SQRT: np.sqrt,
}
_INTEGERS: dict[Op, Operation] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.floor_divide,
    Op.MOD: np.remainder,
    Op.NEG: np.negative,
    Op.ABS: np.absolute,
    Op.BIT_AND: np.bitwise_and,
    Op.BIT_OR: np.bitwise_or,
    Op.BIT_XOR: np.bitwise_xor,
    Op.BIT_NOT: np.bitwise_not,
}
_BOOLS: dict[Op, Operation] = {
    Op.EQ: np.equal,
    Op.NE: np.not_equal,
    Op.LT: np.less,
    Op.LE: np.less_equal,
    Op.NOT: np.logical_not,
}
IN_PLACE = frozenset(
    (_FLOATS.keys() | _INTEGERS.keys() | _BOOLS.keys() | {Op.AND, Op.OR, Op.MIN, Op.MAX, Op.SELECT, Op.SHL, Op.SHR})
    - {Op.MOD}
)
"""Operations whose result may share the memory of an argument of the same kind of number."""


def operation(op: Op, kind: Type, argument_kind: Type) -> Operation:
    """Return what computes an operation with a result and a first argument of those kinds."""
    match op, kind:
        case (Op.MIN, Type.F32):
            return _minimum
        case (Op.MAX, Type.F32):
            return _maximum
        case (Op.MIN, _):
            return _integer_minimum
        case (Op.MAX, _):
            return _integer_maximum
        case (Op.MOD, Type.F32):
            return _float_mod
        case (Op.AND, _):
            return _and
        case (Op.OR, _):
            return _or
        case (Op.SHL, _):
            return _shl
        case (Op.SHR, _):
            return _shr
        case (Op.SELECT, Type.BOOL):
            return _select_bool
        case (Op.SELECT, _):
            return select
        case (Op.TO_I32, _) if argument_kind is Type.F32:
            return _float_to_i32
        case (Op.TO_U32, _) if argument_kind is Type.F32:
            return _float_to_u32
        case ((Op.TO_F32 | Op.TO_I32 | Op.TO_U32), _):
            return _convert
        case (_, Type.F32):
            return _FLOATS[op]
        case (_, Type.BOOL):
            return _BOOLS[op]
        case _:
            return _INTEGERS[op]


def _has_minus_zero(x: Array) -> bool:
    return bool(np.minimum.reduce(x.view(np.int32), axis=None) == _MINUS_ZERO)


def _extreme(ufunc: np.ufunc, a: Array, b: Array, out: Array) -> None:
    """Compute the smaller or larger of two floats: the second of two equal ones, NaN if either is NaN.

    NumPy agrees except for the sign of equal zeros, which its loops choose differently on different processors.
    """
    if _has_minus_zero(a) or _has_minus_zero(b):
        is_equal = np.equal(a, b)
        second = np.broadcast_to(b, out.shape).copy()
        ufunc(a, b, out=out)
        np.copyto(out, second, where=is_equal)
    else:
        ufunc(a, b, out=out)


def _minimum(a: Array, b: Array, out: Array) -> None:
    _extreme(np.minimum, a, b, out)


def _maximum(a: Array, b: Array, out: Array) -> None:
    _extreme(np.maximum, a, b, out)


def bounded(op: Op, bound: float) -> Operation | None:
    """Return MIN or MAX of floats with a second argument that is one number for all pixels, None if nothing is gained.

    ``operation(a, bounds, out)``: a bound that is no zero meets no tie whose sign matters; of a tie with plus
    zero the answer is plus zero, which adding plus zero makes of either.
    """
    ufunc = np.minimum if op is Op.MIN else np.maximum
    if bound != 0.0:
        return lambda a, bounds, out: ufunc(a, bounds, out=out)
    if str(bound)[0] == "-":
        return None

    def with_plus_zero(a: Array, bounds: Array, out: Array) -> None:
        ufunc(a, bounds, out=out)
        np.add(out, np.float32(0.0), out=out)

    return with_plus_zero


def _integer_minimum(a: Array, b: Array, out: Array) -> None:
    np.minimum(a, b, out=out)


def _integer_maximum(a: Array, b: Array, out: Array) -> None:
    np.maximum(a, b, out=out)


def _float_mod(a: Array, b: Array, out: Array) -> None:
    np.divide(a, b, out=out)
    np.floor(out, out=out)
    np.multiply(b, out, out=out)
    np.subtract(a, out, out=out)


def _amount(amount: Any, like: Array) -> Any:
    if np.ndim(amount) == 0:
        return int(amount) & 31
    return np.bitwise_and(amount, np.uint32(31)).astype(like.dtype)


def _shl(a: Array, amount: Any, out: Array) -> None:
    np.left_shift(a, _amount(amount, out), out=out)


def _shr(a: Array, amount: Any, out: Array) -> None:
    np.right_shift(a, _amount(amount, out), out=out)


def _and(a: Array, b: Array, out: Array) -> None:
    if np.ndim(b) == 0:
        _copy(a if b else np.False_, out)
    elif np.ndim(a) == 0:
        _copy(b if a else np.False_, out)
    else:
        np.logical_and(a, b, out=out)


def _or(a: Array, b: Array, out: Array) -> None:
    if np.ndim(b) == 0:
        _copy(np.True_ if b else a, out)
    elif np.ndim(a) == 0:
        _copy(np.True_ if a else b, out)
    else:
        np.logical_or(a, b, out=out)


def select(condition: Array, if_true: Array, if_false: Array, out: Array) -> None:
    """Compute ``if_true`` where the condition holds, else ``if_false``, in whole bits.

    Conditions that hold nowhere or everywhere in a tile, as those of special cases do, cost a count of their bytes;
    those that hold in a few places cost a search for them.
    """
    count = np.count_nonzero(condition)
    size = condition.size
    if count == 0:
        _copy(if_false, out)
    elif count == size:
        _copy(if_true, out)
    elif 8 * count < size and condition.shape == out.shape and out.flags.c_contiguous:
        _replace(if_false, np.flatnonzero(condition), if_true, out)
    elif 8 * (size - count) < size and condition.shape == out.shape and out.flags.c_contiguous:
        _replace(if_true, np.flatnonzero(~condition), if_false, out)
    else:
        _blend(condition, if_true, if_false, out)


def _replace(source: Array, places: Array, values: Array, out: Array) -> None:
    """Compute ``source`` with other values in a few places."""
    if np.ndim(values) > 0:
        whole = values if values.shape == out.shape else np.broadcast_to(values, out.shape)
        values = whole.reshape(-1)[places] if whole.flags.c_contiguous else whole[np.unravel_index(places, out.shape)]
    _copy(source, out)
    out.reshape(-1)[places] = values


def _blend(condition: Array, if_true: Array, if_false: Array, out: Array) -> None:
    mask = np.negative(condition.view(np.int8), dtype=np.int8).astype(np.int32).view(np.uint32)
    other = if_false.view(np.uint32)
    difference = np.bitwise_xor(if_true.view(np.uint32), other)
    if difference.shape == out.shape:
        np.bitwise_and(difference, mask, out=difference)
        np.bitwise_xor(difference, other, out=out.view(np.uint32))
    else:
        np.bitwise_xor(np.bitwise_and(difference, mask), other, out=out.view(np.uint32))


def _copy(source: Array | np.bool_, out: Array) -> None:
    if source is not out:
        np.copyto(out, source)


def _select_bool(condition: Array, if_true: Array, if_false: Array, out: Array) -> None:
    np.copyto(out, np.where(condition, if_true, if_false))


def _float_to_i32(a: Array, out: Array) -> None:
    # Both comparisons are false for NaN. 2**31 is the smallest float32 above the limit.
    if np.minimum.reduce(a, axis=None) >= -(2.0**31) and np.maximum.reduce(a, axis=None) < 2.0**31:
        np.copyto(out, a, casting="unsafe")
    else:
        _saturate(a, out, -(2**31), 2**31 - 1)


def _float_to_u32(a: Array, out: Array) -> None:
    if np.minimum.reduce(a, axis=None) >= 0.0 and np.maximum.reduce(a, axis=None) < 2.0**32:
        np.copyto(out, a, casting="unsafe")
    else:
        _saturate(a, out, 0, 2**32 - 1)


def _saturate(a: Array, out: Array, low: int, high: int) -> None:
    wide = np.where(np.isnan(a), np.float32(0.0), a).astype(np.float64)
    np.copyto(out, np.clip(wide, low, high), casting="unsafe")


def _convert(a: Array, out: Array) -> None:
    np.copyto(out, a, casting="unsafe")
