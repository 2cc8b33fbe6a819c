"""Whether two expressions have one form: the same operations on the same operands, whatever the literals are.

Asked at every move of a slider, so the form is written down once, and what is new is compared with it in one pass; no
digest is made of either.
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.ir import Attr, Expr, LoopScope, LoopState
from unshape_expr.ops import Op
from unshape_expr.traverse import children, postorder


class ExpressionForm:
    """The form of a list of expressions.

    Parameters
    ----------
    outputs : sequence of Expr
        The expressions.
    order : sequence of Expr
        Their operations, each after all that it needs.
    """

    __slots__ = ("_outputs", "_rows")

    def __init__(self, outputs: Sequence[Expr], order: Sequence[Expr]) -> None:
        place = {expr: number for number, expr in enumerate(order)}
        self._rows = [(e.op, e.type, e.attr, tuple([place[child] for child in children(e)])) for e in order]
        self._outputs = tuple([place[output] for output in outputs])

    def is_of(self, outputs: Sequence[Expr], order: Sequence[Expr]) -> bool:
        """Return whether other expressions differ in the values of literals only, sharing included."""
        if len(outputs) != len(self._outputs) or len(order) != len(self._rows):
            return False
        scopes: dict[LoopScope, LoopScope] = {}
        for expr, (op, type_, attr, below) in zip(order, self._rows, strict=True):
            if expr.op is not op or expr.type is not type_:
                return False
            args = expr.args if op is not Op.LOOP else children(expr)
            if len(args) != len(below):
                return False
            for arg, place in zip(args, below, strict=True):
                if order[place] is not arg:
                    return False
            if attr is not None and not _is_same_attr(op, attr, expr.attr, scopes):
                return False
        return all(order[place] is output for place, output in zip(self._outputs, outputs, strict=True))


def has_same_form(first: Sequence[Expr], second: Sequence[Expr]) -> bool:
    """Return whether two lists of expressions differ in the values of literals only, sharing included."""
    return ExpressionForm(first, postorder(first)).is_of(second, postorder(second))


def _is_same_attr(op: Op, one: Attr, other: Attr, scopes: dict[LoopScope, LoopScope]) -> bool:
    if op is Op.CONST:
        return type(one) is type(other)
    match one, other:
        case LoopScope() as x, LoopScope() as y:
            return _is_same_scope(x, y, scopes)
        case LoopState() as x, LoopState() as y:
            return x.index == y.index and _is_same_scope(x.scope, y.scope, scopes)
        case x, y:
            return bool(x == y)


def _is_same_scope(x: LoopScope, y: LoopScope, scopes: dict[LoopScope, LoopScope]) -> bool:
    return x.max_count == y.max_count and scopes.setdefault(x, y) is y
