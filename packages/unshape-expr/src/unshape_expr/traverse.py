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
        stack: list[tuple[Expr, bool]] = [(root, False)]
        while stack:
            expr, is_expanded = stack.pop()
            if is_expanded:
                order.append(expr)
                continue
            if expr in done:
                continue
            done.add(expr)
            stack.append((expr, True))
            stack.extend([(child, False) for child in reversed(children(expr)) if child not in done])
    return order
