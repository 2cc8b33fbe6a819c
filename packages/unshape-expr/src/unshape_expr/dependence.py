"""Along which axes of the picture each value of an expression varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unshape_expr.errors import ExpressionError
from unshape_expr.ir import Expr, LoopScope, LoopState
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op

_LEAVES = {Op.PIXEL_X: Varies.X, Op.PIXEL_Y: Varies.Y, Op.INPUT: Varies.BOTH}


def dependence(
    order: Sequence[Expr], arguments: Mapping[str, Varies] | None = None
) -> tuple[dict[Expr, Varies], dict[LoopScope, tuple[Varies, ...]]]:
    """Return how each expression varies, and how the carried values of each loop do.

    Parameters
    ----------
    order : sequence of Expr
        Every expression after those that it needs.
    arguments : mapping of str to Varies
        For the definition of a function, how its arguments vary.

    Raises
    ------
    ExpressionError
        If the count of a loop or a uniform parameter may differ between pixels.
    """
    states: dict[LoopScope, tuple[Varies, ...]] = {}
    loops = [(e, e.attr) for e in order if e.op is Op.LOOP and isinstance(e.attr, LoopScope)]
    for _, scope in loops:
        states[scope] = (Varies.NONE,) * len(scope.results)
    while True:
        varies = _pass(order, arguments or {}, states)
        is_stable = True
        for expr, scope in loops:
            # A carried value varies as its start or its successor does; the sets only grow, so this ends.
            found = tuple(
                varies[start] | varies[result] for start, result in zip(expr.args[1:], scope.results, strict=True)
            )
            is_stable = is_stable and found == states[scope]
            states[scope] = found
        if is_stable:
            break
    _check_uniform(order, varies)
    return varies, states


def _pass(
    order: Sequence[Expr], arguments: Mapping[str, Varies], states: Mapping[LoopScope, tuple[Varies, ...]]
) -> dict[Expr, Varies]:
    varies: dict[Expr, Varies] = {}
    for expr in order:
        found = _LEAVES.get(expr.op, Varies.NONE)
        if expr.op is Op.ARGUMENT:
            found = arguments.get(str(expr.attr), Varies.BOTH)
        elif isinstance(expr.attr, LoopState):
            found = states.get(expr.attr.scope, (Varies.NONE,) * (expr.attr.index + 1))[expr.attr.index]
        elif expr.op is Op.LOOP_RESULT and isinstance(expr.attr, int):
            scope = expr.args[0].attr
            if isinstance(scope, LoopScope):
                found = states[scope][expr.attr]
        elif expr.op is not Op.LOOP:
            for argument in expr.args:
                other = varies[argument]
                if other is not found and other is not Varies.NONE:
                    # Two different axes are both; Flag's own "|" takes several times as long.
                    found = other if found is Varies.NONE else Varies.BOTH
        varies[expr] = found
    return varies


def _check_uniform(order: Sequence[Expr], varies: Mapping[Expr, Varies]) -> None:
    from unshape_expr.functions import Function

    for expr in order:
        if expr.op is Op.LOOP and varies[expr.args[0]] is not Varies.NONE:
            msg = "loop: expected a count that is equal for all pixels, got one that varies; use a uniform or a literal"
            raise ExpressionError(msg)
        if isinstance(expr.attr, Function):
            for parameter, argument in zip(expr.attr.parameters, expr.args, strict=True):
                if parameter.is_uniform and varies[argument] is not Varies.NONE:
                    msg = (
                        f"{expr.attr.name}: {parameter.name}: expected a value that is equal for all pixels, got one "
                        f"that varies; use a uniform or a literal"
                    )
                    raise ExpressionError(msg)
