"""Expressions as a flat table, for pickling: depth costs no recursion and sharing survives."""

from __future__ import annotations

from typing import TypeAlias

from unshape_expr.ir import Attr, Expr, LoopScope, LoopState
from unshape_expr.ops import Op
from unshape_expr.traverse import postorder
from unshape_expr.types import Type

Row: TypeAlias = "tuple[str, str, tuple[int, ...], Attr | tuple[int, ...]]"
"""Operation, type, numbers of the arguments, and attr; loops are numbered."""


def to_rows(root: Expr) -> tuple[list[Row], list[tuple[int, tuple[int, ...]]]]:
    """Return the operations of an expression in order, and for each loop its bound and the numbers of its results."""
    order = postorder((root,))
    numbers = {expr: number for number, expr in enumerate(order)}
    scopes: dict[LoopScope, int] = {}
    rows: list[Row] = []
    for expr in order:
        attr: Attr | tuple[int, ...] = expr.attr
        if isinstance(attr, LoopScope):
            attr = (scopes.setdefault(attr, len(scopes)),)
        elif isinstance(attr, LoopState):
            attr = (scopes.setdefault(attr.scope, len(scopes)), attr.index)
        rows.append((expr.op.value, expr.type.value, tuple(numbers[a] for a in expr.args), attr))
    return rows, [(s.max_count, tuple(numbers[r] for r in s.results)) for s in scopes]


def from_rows(table: tuple[list[Row], list[tuple[int, tuple[int, ...]]]]) -> Expr:
    """Return the expression of a table that :func:`to_rows` made."""
    rows, loops = table
    scopes = [LoopScope(max_count) for max_count, _ in loops]
    made: list[Expr] = []
    for op, type_, args, attr in rows:
        found = attr
        if isinstance(found, tuple):
            scope = scopes[found[0]]
            found = scope if len(found) == 1 else LoopState(scope, found[1])
        made.append(Expr(Op(op), Type(type_), tuple(made[a] for a in args), found))
    for scope, (_, results) in zip(scopes, loops, strict=True):
        scope.results = tuple(made[r] for r in results)
    return made[-1]
