"""Walks over expressions, without recursion: expressions may be hundreds of thousands of operations deep."""

from __future__ import annotations

from collections.abc import Iterable

from unshape_expr.ir import Expr, LoopScope
from unshape_expr.ops import Op


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return what an operation needs: its arguments and, of a loop, the results of an iteration."""
    if expr.op is Op.LOOP and isinstance(expr.attr, LoopScope):
        return expr.args + expr.attr.results
    return expr.args


def postorder(roots: Iterable[Expr]) -> list[Expr]:
    """Return every operation once, each after all that it needs."""
    done: set[Expr] = set()
    order: list[Expr] = []
    for root in roots:
        stack: list[Expr | None] = [root]  # below a None lies an operation whose arguments have all been met
        while stack:
            expr = stack.pop()
            if expr is None:
                expr = stack.pop()
                assert expr is not None  # it was put there together with the None
                order.append(expr)
            elif expr not in done:
                done.add(expr)
                below = expr.args if expr.op is not Op.LOOP else children(expr)
                if below:
                    stack += (expr, None)
                    stack += below[::-1]
                else:
                    order.append(expr)
    return order
