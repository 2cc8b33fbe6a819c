"""Rewriting of expressions: one pass from the leaves to the outputs, sharing and literal slots kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from unshape_expr.ir import Expr, LoopScope, LoopState
from unshape_expr.ops import Op
from unshape_expr.traverse import postorder

Rule: TypeAlias = Callable[[Expr, tuple[Expr, ...]], Expr]
"""``rule(expr, args)``: the operation as it was and its rewritten arguments; returns what takes its place."""


_LOOP_PARTS = frozenset({Op.LOOP, Op.LOOP_INDEX, Op.LOOP_STATE})


def rebuilt(expr: Expr, args: tuple[Expr, ...]) -> Expr:
    """Return the operation with other arguments; itself if they are the same objects."""
    # Expressions compare by identity, so equal arguments are the same objects.
    return expr if args == expr.args else Expr(expr.op, expr.type, args, expr.attr)


def rewrite(outputs: Sequence[Expr], rule: Rule, *, order: Sequence[Expr] | None = None) -> tuple[Expr, ...]:
    """Return the outputs with a rule applied to every operation, each once.

    Loops are made anew, since the results of an iteration belong to the identity of a loop; the rule is not asked about
    ``LOOP``, ``LOOP_INDEX`` and ``LOOP_STATE``.

    Parameters
    ----------
    outputs : sequence of Expr
        What is rewritten.
    rule : callable
        See :data:`Rule`.
    order : sequence of Expr, optional
        The :func:`~unshape_expr.traverse.postorder` of the outputs, if the caller has it.
    """
    made: dict[Expr, Expr] = {}
    scopes: dict[LoopScope, LoopScope] = {}
    states: dict[tuple[LoopScope, int], Expr] = {}
    for expr in postorder(outputs) if order is None else order:
        attr = expr.attr
        if expr.op in _LOOP_PARTS and isinstance(attr, LoopState | LoopScope):
            old = attr.scope if isinstance(attr, LoopState) else attr
            scope = scopes.get(old)
            if scope is None:
                scope = scopes[old] = LoopScope(old.max_count)
            if expr.op is Op.LOOP:
                scope.results = tuple(made[r] for r in old.results)
                made[expr] = Expr(expr.op, expr.type, tuple(made[a] for a in expr.args), scope)
            else:
                index = attr.index if isinstance(attr, LoopState) else -1
                if (scope, index) not in states:
                    new = scope if index < 0 else LoopState(scope, index)
                    states[scope, index] = Expr(expr.op, expr.type, (), new)
                made[expr] = states[scope, index]
        else:
            made[expr] = rule(expr, tuple([made[a] for a in expr.args]) if expr.args else ())
    return tuple(made[e] for e in outputs)
