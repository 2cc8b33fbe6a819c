"""Which loop each operation belongs in.

An operation belongs in the innermost loop whose index or carried values it needs; what needs none is computed once,
before the loop (loop-invariant code is hoisted by construction).
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.errors import ExpressionError
from unshape_expr.ir import Expr, LoopScope, LoopState
from unshape_expr.ops import Op

MAX_LOOP_DEPTH = 8
"""How deep loops may be nested."""


def assign_blocks(order: Sequence[Expr]) -> dict[LoopScope | None, list[Expr]]:
    """Return the operations of each loop's body, in order; those outside of loops under None.

    Raises
    ------
    ExpressionError
        If a carried value is used outside of its loop, or loops are nested too deep.
    """
    free = _free_scopes(order)
    loops = {e.attr: e for e in order if e.op is Op.LOOP and isinstance(e.attr, LoopScope)}
    enclosing = _enclosing(loops, free)
    blocks: dict[LoopScope | None, list[Expr]] = {None: []}
    for scope in loops:
        blocks[scope] = []
    innermost: dict[frozenset[LoopScope], LoopScope | None] = {frozenset(): None}
    for expr in order:
        scopes = free[expr]
        if scopes not in innermost:
            innermost[scopes] = _innermost(scopes, enclosing)
        blocks[innermost[scopes]].append(expr)
    return blocks


def _free_scopes(order: Sequence[Expr]) -> dict[Expr, frozenset[LoopScope]]:
    nothing: frozenset[LoopScope] = frozenset()
    free: dict[Expr, frozenset[LoopScope]] = {}
    for expr in order:
        found = nothing
        for argument in expr.args:
            needed = free[argument]
            if needed is not found:
                found = found | needed if found else needed
        if isinstance(expr.attr, LoopState):
            found = frozenset({expr.attr.scope})
        elif isinstance(expr.attr, LoopScope):
            if expr.op is Op.LOOP:
                inside = nothing.union(*(free[result] for result in expr.attr.results))
                found |= inside - {expr.attr}
            else:
                found = frozenset({expr.attr})
        free[expr] = found
    return free


def _enclosing(
    loops: dict[LoopScope, Expr], free: dict[Expr, frozenset[LoopScope]]
) -> dict[LoopScope, frozenset[LoopScope]]:
    enclosing: dict[LoopScope, frozenset[LoopScope]] = {}
    # An inner loop comes before the loop around it, so that from last to first the outer ones are known already.
    for scope, expr in reversed(loops.items()):
        around = set(free[expr])
        for outer in free[expr]:
            if outer not in enclosing:
                _refuse_escape()
            around |= enclosing[outer]
        if len(around) >= MAX_LOOP_DEPTH:
            msg = f"loop: expected at most {MAX_LOOP_DEPTH} loops inside each other, got more"
            raise ExpressionError(msg)
        enclosing[scope] = frozenset(around)
    return enclosing


def _innermost(scopes: frozenset[LoopScope], enclosing: dict[LoopScope, frozenset[LoopScope]]) -> LoopScope:
    for scope in scopes:
        if scope in enclosing and scopes <= enclosing[scope] | {scope}:
            return scope
    return _refuse_escape()


def _refuse_escape() -> LoopScope:
    msg = "loop: an index or carried value is used outside of its loop; use what loop(...) returns"
    raise ExpressionError(msg)
