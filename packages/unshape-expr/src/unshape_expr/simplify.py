"""Simplification that keeps every bit and never looks at the value of a literal slot.

Equal operations on equal arguments are computed once, components of a vector that was just put together are taken from
its parts, and operations that undo each other vanish. Two literals are equal only if they are one object, so that
changing a parameter never changes the structure.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from unshape_expr.fold import folded
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.rewrite import rebuilt, rewrite

_INVOLUTIONS = frozenset({Op.NEG, Op.NOT, Op.BIT_NOT})
_IDEMPOTENT = frozenset({Op.ABS, Op.FLOOR, Op.CEIL, Op.TRUNC, Op.ROUND})
_SAME_IS_SELF = frozenset({Op.AND, Op.OR, Op.BIT_AND, Op.BIT_OR, Op.MIN, Op.MAX})
_INVERSES = {Op.BITCAST_F32: Op.BITCAST_U32, Op.BITCAST_U32: Op.BITCAST_F32}


def simplify(outputs: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return expressions with the same results, bit for bit, and no more operations.

    Parameters
    ----------
    outputs : sequence of Expr
        Simplified together: what they have in common is shared afterwards.
    """
    known = _Known()

    def rule(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        return known.representative(_shortened(rebuilt(expr, args)))

    return rewrite(outputs, rule)


def simplify_definition(definition: Expr) -> Expr:
    """Return the simplified definition of a function, whose literals are fixed and so folded and merged as well."""
    known = _Known(are_literals_fixed=True)

    def rule(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        return known.representative(folded(_shortened(rebuilt(expr, args))))

    return rewrite((definition,), rule)[0]


def merge_common(outputs: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the outputs with equal operations on equal arguments made one object, and nothing else changed."""
    known = _Known()
    return rewrite(outputs, lambda expr, args: known.representative(rebuilt(expr, args)))


class _Known:
    """The first of each kind of operation."""

    def __init__(self, *, are_literals_fixed: bool = False) -> None:
        self._first: dict[Hashable, Expr] = {}
        self._are_literals_fixed = are_literals_fixed

    def representative(self, expr: Expr) -> Expr:
        if expr.op is Op.CONST:
            if not self._are_literals_fixed:
                return expr
            # 0.0 and -0.0 are equal in Python, NaN is not: their text tells them apart.
            return self._first.setdefault((expr.op, expr.type, repr(expr.attr)), expr)
        return self._first.setdefault((expr.op, expr.type, expr.args, expr.attr), expr)


def _shortened(expr: Expr) -> Expr:
    op, args = expr.op, expr.args
    if op is Op.COMPONENT:
        source = args[0]
        if source.op is Op.SPLAT:
            return source.args[0]
        if source.op is Op.VEC and isinstance(expr.attr, int):
            return source.args[expr.attr]
    elif op is Op.VEC:
        return _whole_vector(expr)
    elif op is Op.SELECT:
        if args[1] is args[2]:
            return args[1]
        if args[0].op is Op.NOT:
            return Expr(op, expr.type, (args[0].args[0], args[2], args[1]))
    elif op in _INVOLUTIONS and args[0].op is op:
        return args[0].args[0]
    elif op in _IDEMPOTENT and args[0].op is op:
        return args[0]
    elif op in _INVERSES and args[0].op is _INVERSES[op]:
        return args[0].args[0]
    elif op is Op.ABS and args[0].op is Op.NEG:
        return Expr(op, expr.type, args[0].args)
    elif op in _SAME_IS_SELF and args[0] is args[1]:
        return args[0]
    return expr


def _whole_vector(expr: Expr) -> Expr:
    """Return the vector whose components were taken apart and put together again in order, else the expression."""
    first = expr.args[0]
    if all(a is first for a in expr.args):
        return Expr(Op.SPLAT, expr.type, (first,))
    if first.op is Op.COMPONENT and first.args[0].type is expr.type:
        source = first.args[0]
        if all(a.op is Op.COMPONENT and a.args[0] is source and a.attr == k for k, a in enumerate(expr.args)):
            return source
    return expr
