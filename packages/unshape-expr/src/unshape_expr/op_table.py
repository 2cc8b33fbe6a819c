"""Facts of each operation: how many arguments, of which types, with what attribute, and about how much work.

The table is complete (a test compares it with :class:`~unshape_expr.ops.Op`), so that checkers, readers of files and
cost models need no list of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from unshape_expr.ir import Attr, Fetching, LoopScope, LoopState, Sampling
from unshape_expr.literal import checked_value
from unshape_expr.operators import FLOATS, INTEGERS, NUMBERS, SCALARS, type_names
from unshape_expr.ops import Op
from unshape_expr.types import Type

Problem: TypeAlias = "str | None"
TypeRule: TypeAlias = Callable[[Type, Sequence[Type]], Problem]
"""Takes the type of the result and those of the arguments; returns what is wrong, None if nothing is."""
AttrRule: TypeAlias = Callable[[Attr, Type], Problem]
"""Takes the attribute and the type of the result; returns what is wrong, None if nothing is."""


@dataclass(frozen=True, slots=True)
class OpInfo:
    """Facts of one operation.

    Parameters
    ----------
    arity : (int, int)
        Smallest and largest number of arguments.
    types : TypeRule
        Checks the types.
    attr : AttrRule
        Checks the attribute.
    flops : int
        Approximate arithmetic operations for one component; of ``CALL`` and ``LOOP``, of the call alone.
    """

    arity: tuple[int, int]
    types: TypeRule
    attr: AttrRule
    flops: int


def _no_attr(attr: Attr, _: Type) -> Problem:
    return None if attr is None else f"expected no attribute, got {attr!r}"


def _attr_of(kind: type | tuple[type, ...], what: str) -> AttrRule:
    def check(attr: Attr, _: Type) -> Problem:
        is_right = isinstance(attr, kind) and not isinstance(attr, bool)
        return None if is_right else f"expected {what} as attribute, got {attr!r}"

    return check


def _literal(attr: Attr, type_: Type) -> Problem:
    try:
        value = checked_value(attr, type_, where="const")
    except TypeError as error:
        return str(error)
    return None if value == attr or value != value else f"expected a value of {type_.value}, got {attr!r:.40}"  # noqa: PLR0124


def _component(attr: Attr, _: Type) -> Problem:
    is_index = isinstance(attr, int) and not isinstance(attr, bool) and 0 <= attr <= 3
    return None if is_index else f"expected a component in [0, 3], got {attr!r}"


def _function(attr: Attr, _: Type) -> Problem:
    from unshape_expr.functions import Function

    return None if isinstance(attr, Function) else f"expected a function as attribute, got {attr!r}"


_name = _attr_of(str, "a name")


def _is(*results: Type) -> TypeRule:
    """Return the rule of an operation without arguments."""

    def check(result: Type, _: Sequence[Type]) -> Problem:
        return None if result in results else f"expected the type {type_names(results)}, got {result.value}"

    return check


def _same(accepted: frozenset[Type]) -> TypeRule:
    """Return the rule of operations whose result and arguments are of one type."""

    def check(result: Type, args: Sequence[Type]) -> Problem:
        if result not in accepted:
            return f"expected {type_names(accepted)}, got {result.value}"
        wrong = [a for a in args if a is not result]
        return f"expected arguments of type {result.value}, got {wrong[0].value}" if wrong else None

    return check


def _takes(result: Type, *args: frozenset[Type]) -> TypeRule:
    """Return the rule of operations of one result type and given arguments."""

    def check(found: Type, types: Sequence[Type]) -> Problem:
        if found is not result:
            return f"expected the type {result.value}, got {found.value}"
        for wanted, got in zip(args, types, strict=True):
            if got not in wanted:
                return f"expected {type_names(wanted)}, got {got.value}"
        return None

    return check


def _compares(accepted: frozenset[Type]) -> TypeRule:
    both = _takes(Type.BOOL, accepted, accepted)

    def check(result: Type, args: Sequence[Type]) -> Problem:
        if args[0] is not args[1]:
            return f"expected arguments of one type, got {args[0].value} and {args[1].value}"
        return both(result, args)

    return check


def _shifts(result: Type, args: Sequence[Type]) -> Problem:
    if args[1] is not Type.U32:
        return f"expected u32 as amount, got {args[1].value}"
    return _same(INTEGERS)(result, args[:1])


def _selects(result: Type, args: Sequence[Type]) -> Problem:
    if args[0] is not Type.BOOL:
        return f"expected bool as condition, got {args[0].value}"
    return _same(frozenset(Type))(result, args[1:])


def _builds_vector(result: Type, args: Sequence[Type]) -> Problem:
    if not result.is_vector or result.components != len(args):
        return f"expected a vector of {len(args)} components, got {result.value}"
    return _same(frozenset({Type.F32}))(Type.F32, args)


def _spreads(result: Type, args: Sequence[Type]) -> Problem:
    if not result.is_vector or args[0] is not Type.F32:
        return f"expected f32 to a vector, got {args[0].value} to {result.value}"
    return None


def _reads(*args: Type) -> TypeRule:
    def check(result: Type, types: Sequence[Type]) -> Problem:
        if not result.is_float:
            return f"expected texels of f32 or vectors, got {result.value}"
        return _takes(result, *(frozenset({a}) for a in args))(result, types)

    return check


def _anything(_: Type, __: Sequence[Type]) -> Problem:
    return None


def _counts(_: Type, args: Sequence[Type]) -> Problem:
    return None if args[0] is Type.I32 else f"expected i32 as count, got {args[0].value}"


_VECTORS = FLOATS - {Type.F32}
_F32, _I32, _U32, _BOOL = (frozenset({t}) for t in (Type.F32, Type.I32, Type.U32, Type.BOOL))
_ORDERED = SCALARS - _BOOL
_ARITHMETIC, _FLOAT, _BITS = _same(NUMBERS), _same(FLOATS), _same(INTEGERS)


def _leaf(types: TypeRule, attr: AttrRule = _no_attr) -> OpInfo:
    return OpInfo((0, 0), types, attr, 0)


def _plain(arity: int, types: TypeRule, flops: int = 1) -> OpInfo:
    return OpInfo((arity, arity), types, _no_attr, flops)


OPS: Mapping[Op, OpInfo] = MappingProxyType(
    {
        Op.CONST: _leaf(_is(Type.F32, Type.I32, Type.U32, Type.BOOL), _literal),
        Op.UNIFORM: _leaf(_anything, _name),
        Op.INPUT: _leaf(_is(Type.F32, Type.VEC2, Type.VEC3, Type.VEC4), _name),
        Op.SCALAR_INPUT: _leaf(_anything, _name),
        Op.PIXEL_X: _leaf(_is(Type.I32)),
        Op.PIXEL_Y: _leaf(_is(Type.I32)),
        Op.WIDTH: _leaf(_is(Type.I32)),
        Op.HEIGHT: _leaf(_is(Type.I32)),
        Op.ARGUMENT: _leaf(_anything, _name),
        Op.LOOP_INDEX: _leaf(_is(Type.I32), _attr_of(LoopScope, "a loop")),
        Op.LOOP_STATE: _leaf(_anything, _attr_of(LoopState, "a carried value")),
        Op.SAMPLE: OpInfo((1, 1), _reads(Type.VEC2), _attr_of(Sampling, "how to sample"), 12),
        Op.FETCH: OpInfo((2, 2), _reads(Type.I32, Type.I32), _attr_of(Fetching, "how to fetch"), 2),
        Op.TEXTURE_WIDTH: _leaf(_is(Type.I32), _name),
        Op.TEXTURE_HEIGHT: _leaf(_is(Type.I32), _name),
        Op.ADD: _plain(2, _ARITHMETIC),
        Op.SUB: _plain(2, _ARITHMETIC),
        Op.MUL: _plain(2, _ARITHMETIC),
        Op.DIV: _plain(2, _ARITHMETIC, flops=4),
        Op.MOD: _plain(2, _ARITHMETIC, flops=7),
        Op.NEG: _plain(1, _ARITHMETIC),
        Op.ABS: _plain(1, _ARITHMETIC),
        Op.MIN: _plain(2, _ARITHMETIC),
        Op.MAX: _plain(2, _ARITHMETIC),
        Op.FLOOR: _plain(1, _FLOAT),
        Op.CEIL: _plain(1, _FLOAT),
        Op.TRUNC: _plain(1, _FLOAT),
        Op.ROUND: _plain(1, _FLOAT),
        Op.SQRT: _plain(1, _FLOAT, flops=4),
        Op.EQ: _plain(2, _compares(SCALARS)),
        Op.NE: _plain(2, _compares(SCALARS)),
        Op.LT: _plain(2, _compares(_ORDERED)),
        Op.LE: _plain(2, _compares(_ORDERED)),
        Op.AND: _plain(2, _same(_BOOL)),
        Op.OR: _plain(2, _same(_BOOL)),
        Op.NOT: _plain(1, _same(_BOOL)),
        Op.BIT_AND: _plain(2, _BITS),
        Op.BIT_OR: _plain(2, _BITS),
        Op.BIT_XOR: _plain(2, _BITS),
        Op.BIT_NOT: _plain(1, _BITS),
        Op.SHL: _plain(2, _shifts),
        Op.SHR: _plain(2, _shifts),
        Op.SELECT: _plain(3, _selects),
        Op.TO_F32: _plain(1, _takes(Type.F32, _I32 | _U32 | _BOOL)),
        Op.TO_I32: _plain(1, _takes(Type.I32, _F32 | _U32 | _BOOL)),
        Op.TO_U32: _plain(1, _takes(Type.U32, _F32 | _I32 | _BOOL)),
        Op.BITCAST_F32: _plain(1, _takes(Type.F32, _U32), flops=0),
        Op.BITCAST_U32: _plain(1, _takes(Type.U32, _F32), flops=0),
        Op.VEC: OpInfo((2, 4), _builds_vector, _no_attr, 0),
        Op.SPLAT: _plain(1, _spreads, flops=0),
        Op.COMPONENT: OpInfo((1, 1), _takes(Type.F32, _VECTORS), _component, 0),
        Op.CALL: OpInfo((0, 64), _anything, _function, 0),
        Op.LOOP: OpInfo((2, 65), _counts, _attr_of(LoopScope, "a loop"), 0),
        Op.LOOP_RESULT: OpInfo((1, 1), _anything, _attr_of(int, "the number of a carried value"), 0),
    }
)
"""Every operation."""
