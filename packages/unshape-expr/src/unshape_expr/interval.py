"""Interval arithmetic: sound bounds of expressions over a rectangle of pixels.

Rounding is monotone, so the float32 result of an operation at the ends of an interval bounds all results in between;
what has no tight rule is unbounded. Bounds are used to find which part of a picture is read at computed positions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unshape_expr.literal import round_to_f32
from unshape_expr.ops import Op
from unshape_expr.types import Type


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of one component.

    Parameters
    ----------
    low, high : float
        Every value that is not NaN lies in ``[low, high]``.
    may_be_nan : bool
        Whether a value may be NaN.
    """

    low: float
    high: float
    may_be_nan: bool = False

    @property
    def is_finite(self) -> bool:
        """Whether every value is a finite number."""
        return not self.may_be_nan and math.isfinite(self.low) and math.isfinite(self.high)

    def union(self, other: Interval) -> Interval:
        """Return bounds of values of either."""
        return Interval(min(self.low, other.low), max(self.high, other.high), self.may_be_nan or other.may_be_nan)


_ANYTHING = {
    Type.F32: Interval(-math.inf, math.inf, may_be_nan=True),
    Type.I32: Interval(-(2**31), 2**31 - 1),
    Type.U32: Interval(0, 2**32 - 1),
    Type.BOOL: Interval(0, 1),
}


def anything(type: Type) -> Interval:  # noqa: A002 - the field's word
    """Return the bounds of a component of which nothing is known."""
    return _ANYTHING[type.scalar]


def exactly(value: float) -> Interval:
    """Return the bounds of one value."""
    return anything(Type.F32) if value != value else Interval(value, value)  # noqa: PLR0124 - NaN


def hull(values: Sequence[float], *, may_be_nan: bool) -> Interval:
    """Return float32 bounds of float64 results; a NaN among them stands for any value."""
    if any(math.isnan(v) for v in values):
        return anything(Type.F32)
    return Interval(round_to_f32(min(values)), round_to_f32(max(values)), may_be_nan)


def apply(op: Op, type: Type, args: Sequence[Interval]) -> Interval:  # noqa: A002 - the field's word
    """Return bounds of one component of an arithmetic operation.

    Parameters
    ----------
    op : Op
        The operation.
    type : Type
        Of the result, a scalar.
    args : sequence of Interval
        Bounds of the arguments' components, which are of the same type.
    """
    rules = _FLOAT if type is Type.F32 else _INTEGER
    rule = rules.get(op)
    if rule is None:
        return anything(type)
    result = rule(*args)
    # Integers wrap: a bound outside of the range says nothing.
    if type.is_integer and not (_ANYTHING[type].low <= result.low and result.high <= _ANYTHING[type].high):
        return anything(type)
    return result


def _nan(*args: Interval) -> bool:
    return any(a.may_be_nan for a in args)


def _add(a: Interval, b: Interval) -> Interval:
    return hull([a.low + b.low, a.high + b.high], may_be_nan=_nan(a, b) or _has_opposite_infinities(a, b))


def _has_opposite_infinities(a: Interval, b: Interval) -> bool:
    return (a.high == math.inf and b.low == -math.inf) or (a.low == -math.inf and b.high == math.inf)


def _sub(a: Interval, b: Interval) -> Interval:
    return _add(a, _neg(b))


def _mul(a: Interval, b: Interval) -> Interval:
    products = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return hull(products, may_be_nan=_nan(a, b) or _has_zero_times_infinity(a, b))


def _has_zero_times_infinity(a: Interval, b: Interval) -> bool:
    return any(x.low <= 0 <= x.high and (math.isinf(y.low) or math.isinf(y.high)) for x, y in ((a, b), (b, a)))


def _div(a: Interval, b: Interval) -> Interval:
    if b.low <= 0 <= b.high:
        return anything(Type.F32)
    return hull([x / y for x in (a.low, a.high) for y in (b.low, b.high)], may_be_nan=_nan(a, b))


def _mod(a: Interval, b: Interval) -> Interval:
    return _sub(a, _mul(b, _monotone(math.floor)(_div(a, b))))


def _neg(a: Interval) -> Interval:
    return Interval(-a.high, -a.low, a.may_be_nan)


def _abs(a: Interval) -> Interval:
    low = 0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return Interval(low, max(abs(a.low), abs(a.high)), a.may_be_nan)


def _min(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.low, b.low), min(a.high, b.high), _nan(a, b))


def _max(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.low, b.low), max(a.high, b.high), _nan(a, b))


def _monotone(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    def rule(a: Interval) -> Interval:
        low, high = (v if math.isinf(v) else float(function(v)) for v in (a.low, a.high))
        return Interval(low, high, a.may_be_nan)

    return rule


def _sqrt(a: Interval) -> Interval:
    low, high = (round_to_f32(math.sqrt(max(v, 0.0))) for v in (a.low, a.high))
    return Interval(low, high, a.may_be_nan or a.low < 0)


_FLOAT: dict[Op, Callable[..., Interval]] = {
    Op.ADD: _add,
    Op.SUB: _sub,
    Op.MUL: _mul,
    Op.DIV: _div,
    Op.MOD: _mod,
    Op.NEG: _neg,
    Op.ABS: _abs,
    Op.MIN: _min,
    Op.MAX: _max,
    Op.FLOOR: _monotone(math.floor),
    Op.CEIL: _monotone(math.ceil),
    Op.TRUNC: _monotone(math.trunc),
    Op.ROUND: _monotone(round),
    Op.SQRT: _sqrt,
}


def _int_mul(a: Interval, b: Interval) -> Interval:
    products = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(products), max(products))


def _int_div(a: Interval, b: Interval) -> Interval:
    if b.low <= 0:
        return Interval(-math.inf, math.inf)
    quotients = [x // y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(quotients), max(quotients))


def _int_mod(a: Interval, b: Interval) -> Interval:
    if b.low <= 0:
        return Interval(-math.inf, math.inf)
    return a if a.low >= 0 and a.high < b.low else Interval(0, b.high - 1)


def _int_and(a: Interval, b: Interval) -> Interval:
    bounds = [x.high for x in (a, b) if x.low >= 0]
    return Interval(0, min(bounds)) if bounds else Interval(-math.inf, math.inf)


_INTEGER: dict[Op, Callable[..., Interval]] = {
    Op.ADD: lambda a, b: Interval(a.low + b.low, a.high + b.high),
    Op.SUB: lambda a, b: Interval(a.low - b.high, a.high - b.low),
    Op.MUL: _int_mul,
    Op.DIV: _int_div,
    Op.MOD: _int_mod,
    Op.NEG: _neg,
    Op.ABS: _abs,
    Op.MIN: _min,
    Op.MAX: _max,
    Op.BIT_AND: _int_and,
}


def convert(op: Op, source: Type, a: Interval) -> Interval:
    """Return bounds of a conversion from a scalar type."""
    if op is Op.TO_F32:
        return Interval(round_to_f32(a.low), round_to_f32(a.high))
    target = Type.I32 if op is Op.TO_I32 else Type.U32
    limits = _ANYTHING[target]
    if source is Type.F32:
        ends = [min(max(v, limits.low), limits.high) for v in (a.low, a.high)]
        low, high = math.trunc(ends[0]), math.trunc(ends[1])
        return Interval(min(low, 0), max(high, 0)) if a.may_be_nan else Interval(low, high)
    return a if limits.low <= a.low and a.high <= limits.high else limits
