"""A second opinion on expressions: one pixel at a time, in NumPy scalars, straight from the definition.

It is slow and shares nothing with interpreters, lowering or simplification but the list of operations, so that an error
in one of them is not an error in both. Pictures at computed positions are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from unshape_expr.functions import Function
from unshape_expr.ir import Expr, LoopScope, LoopState
from unshape_expr.ops import Op
from unshape_expr.types import Type

Scalar: TypeAlias = Any
"""``numpy.float32``, or ``int`` for i32 and u32, or ``bool``."""
Components: TypeAlias = tuple[Scalar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pixel:
    """Where an expression is evaluated.

    Parameters
    ----------
    x, y : int
        The pixel.
    width, height : int
        The picture.
    values : mapping of str to tuple
        Components of uniforms, inputs and arguments by name.
    """

    x: int = 0
    y: int = 0
    width: int = 1
    height: int = 1
    values: Mapping[str, Sequence[Scalar]] = field(default_factory=dict)


def evaluate_pixel(expr: Expr, pixel: Pixel) -> Components:
    """Return the components of an expression at one pixel."""
    return evaluate_all((expr,), pixel)[0]


def evaluate_all(exprs: Sequence[Expr], pixel: Pixel) -> list[Components]:
    """Return the components of several expressions at one pixel; what they share is computed once."""
    evaluation = _Evaluation(pixel, {})
    with np.errstate(all="ignore"):
        return [evaluation.value(expr) for expr in exprs]


class _Evaluation:
    """Values of one pixel, of one iteration of each loop around."""

    def __init__(self, pixel: Pixel, carried: Mapping[tuple[LoopScope, int], Components]) -> None:
        self._pixel = pixel
        self._carried = carried
        self._known: dict[Expr, Components] = {}

    def value(self, root: Expr) -> Components:
        waiting = [root]
        while waiting:
            expr = waiting[-1]
            missing = [a for a in expr.args if a not in self._known]
            if missing:
                waiting += missing
            else:
                if expr not in self._known:
                    self._known[expr] = self._compute(expr)
                waiting.pop()
        return self._known[root]

    def _compute(self, expr: Expr) -> Components:
        args = [self._known[a] for a in expr.args]
        attr: Any = expr.attr
        match expr.op:
            case Op.CONST:
                return (np.float32(attr) if expr.type is Type.F32 else attr,)
            case Op.UNIFORM | Op.INPUT | Op.SCALAR_INPUT | Op.ARGUMENT:
                return tuple(self._pixel.values[attr])
            case Op.PIXEL_X:
                return (self._pixel.x,)
            case Op.PIXEL_Y:
                return (self._pixel.y,)
            case Op.WIDTH:
                return (self._pixel.width,)
            case Op.HEIGHT:
                return (self._pixel.height,)
            case Op.LOOP_INDEX:
                return self._carried[attr, -1]
            case Op.LOOP_STATE:
                state: LoopState = attr
                return self._carried[state.scope, state.index]
            case Op.LOOP:
                return self._loop(attr, args)
            case Op.LOOP_RESULT:
                result: Components = args[0][attr]
                return result
            case Op.VEC:
                return tuple(a[0] for a in args)
            case Op.SPLAT:
                return args[0] * expr.type.components
            case Op.COMPONENT:
                return (args[0][attr],)
            case Op.SELECT:
                return args[1] if args[0][0] else args[2]
            case Op.CALL:
                return self._call(attr, args)
            case _:
                pass
        operand = expr.args[0].type.scalar
        rule = _rule(expr.op, operand)
        return tuple(_typed(rule(*parts), expr.type.scalar) for parts in zip(*args, strict=True))

    def _loop(self, scope: LoopScope, args: Sequence[Components]) -> Components:
        states = list(args[1:])
        for index in range(min(max(args[0][0], 0), scope.max_count)):
            carried = dict(self._carried) | {(scope, -1): (index,)} | {(scope, k): s for k, s in enumerate(states)}
            inside = _Evaluation(self._pixel, carried)
            states = [inside.value(result) for result in scope.results]
        return tuple(states)

    @staticmethod
    def _call(function: Function, args: Sequence[Components]) -> Components:
        names = [p.name for p in function.parameters]
        each = list(zip(*args, strict=True)) if function.is_componentwise else []
        if not function.is_componentwise:
            pixel = Pixel(values=dict(zip(names, args, strict=True)))
            return _Evaluation(pixel, {}).value(function.definition)
        found: list[Scalar] = []
        for parts in each:
            pixel = Pixel(values={name: (part,) for name, part in zip(names, parts, strict=True)})
            found += _Evaluation(pixel, {}).value(function.definition)
        return tuple(found)


def _typed(value: Scalar, type_: Type) -> Scalar:
    if type_ is Type.F32:
        return np.float32(value)
    if type_ is Type.BOOL:
        return bool(value)
    wrapped = int(value) & 0xFFFFFFFF
    return wrapped - 2**32 if type_ is Type.I32 and wrapped >= 2**31 else wrapped


def _rule(op: Op, operand: Type) -> Callable[..., Scalar]:
    if operand is Type.F32 and op in _FLOAT:
        return _FLOAT[op]
    return _OTHER[op]


def _min(a: Scalar, b: Scalar) -> Scalar:
    return a if a != a else (min(b, a))  # noqa: PLR0124 - NaN


def _max(a: Scalar, b: Scalar) -> Scalar:
    return a if a != a else (max(b, a))  # noqa: PLR0124 - NaN


def _to_integer(low: int, high: int) -> Callable[[Scalar], int]:
    def convert(a: Scalar) -> int:
        value = float(a)
        if math.isnan(value):
            return 0
        return int(min(max(value, float(low)), float(high))) if math.isfinite(value) else (high if value > 0 else low)

    return convert


def _bits(a: Scalar) -> int:
    return int(np.float32(a).view(np.uint32))


_FLOAT: dict[Op, Callable[..., Scalar]] = {
    Op.DIV: lambda a, b: np.divide(a, b, dtype=np.float32),
    Op.MOD: lambda a, b: np.float32(a - np.float32(b * np.floor(np.divide(a, b, dtype=np.float32)))),
    Op.FLOOR: np.floor,
    Op.CEIL: np.ceil,
    Op.TRUNC: np.trunc,
    Op.ROUND: np.rint,
    Op.SQRT: np.sqrt,
    Op.ABS: np.abs,
    Op.TO_I32: _to_integer(-(2**31), 2**31 - 1),
    Op.TO_U32: _to_integer(0, 2**32 - 1),
    Op.BITCAST_U32: _bits,
}
_OTHER: dict[Op, Callable[..., Scalar]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.DIV: lambda a, b: a // b if b else 0,
    Op.MOD: lambda a, b: a % b if b else 0,
    Op.NEG: lambda a: -a,
    Op.ABS: abs,
    Op.MIN: _min,
    Op.MAX: _max,
    Op.EQ: lambda a, b: a == b,
    Op.NE: lambda a, b: a != b,
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.AND: lambda a, b: a and b,
    Op.OR: lambda a, b: a or b,
    Op.NOT: lambda a: not a,
    Op.BIT_AND: lambda a, b: a & b,
    Op.BIT_OR: lambda a, b: a | b,
    Op.BIT_XOR: lambda a, b: a ^ b,
    Op.BIT_NOT: lambda a: ~a,
    Op.SHL: lambda a, b: a << (b % 32),
    Op.SHR: lambda a, b: a >> (b % 32),
    Op.TO_F32: np.float32,
    Op.TO_I32: int,
    Op.TO_U32: int,
    Op.BITCAST_F32: lambda a: np.uint32(a).view(np.float32),
}
