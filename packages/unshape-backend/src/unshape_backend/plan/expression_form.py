"""Whether two expressions have one form: the same operations on the same operands, whatever the literals are.

Asked at every move of a slider, so it compares the two side by side and makes no digest of either.
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.ir import Expr, LoopScope, LoopState
from unshape_expr.ops import Op
from unshape_expr.traverse import children, postorder


def has_same_form(first: Sequence[Expr], second: Sequence[Expr]) -> bool:
    """Return whether two lists of expressions differ in the values of literals only, sharing included."""
    if len(first) != len(second):
        return False
    one, other = postorder(first), postorder(second)
    if len(one) != len(other):
        return False
    partner: dict[Expr, Expr] = {}
    scopes: dict[LoopScope, LoopScope] = {}
    for a, b in zip(one, other, strict=True):
        if a.op is not b.op or a.type is not b.type or not _has_same_attr(a, b, scopes):
            return False
        # Children come first, so their partners are known.
        below, beside = children(a), children(b)
        if len(below) != len(beside) or any(partner[x] is not y for x, y in zip(below, beside, strict=True)):
            return False
        partner[a] = b
    return all(partner[a] is b for a, b in zip(first, second, strict=True))


def _has_same_attr(a: Expr, b: Expr, scopes: dict[LoopScope, LoopScope]) -> bool:
    if a.op is Op.CONST:
        return type(a.attr) is type(b.attr)
    match a.attr, b.attr:
        case LoopScope() as x, LoopScope() as y:
            return _is_same_scope(x, y, scopes)
        case LoopState() as x, LoopState() as y:
            return x.index == y.index and _is_same_scope(x.scope, y.scope, scopes)
        case x, y:
            return bool(x == y)


def _is_same_scope(x: LoopScope, y: LoopScope, scopes: dict[LoopScope, LoopScope]) -> bool:
    return x.max_count == y.max_count and scopes.setdefault(x, y) is y
