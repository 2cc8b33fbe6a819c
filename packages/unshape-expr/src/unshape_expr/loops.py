"""Bounded loops that carry values from one iteration to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unshape_expr.errors import ExpressionTypeError
from unshape_expr.ir import Expr, LoopScope, LoopState
from unshape_expr.literal import ExprLike, lift
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_expr.uniformity import require_uniform

MAX_LOOP_COUNT = 65536
"""Largest bound of one loop."""


def loop(
    count: ExprLike,
    init: Sequence[ExprLike],
    body: Callable[..., ExprLike | Sequence[ExprLike]],
    *,
    max_count: int,
) -> tuple[Expr, ...]:
    """Return the carried values after ``count`` iterations.

    Parameters
    ----------
    count : i32
        Number of iterations, equal for all pixels; cut to ``[0, max_count]``.
    init : sequence of Expr or number
        Carried values before the first iteration, at least one. Numbers are f32.
    body : callable
        ``body(index, *states)`` returns the states after the iteration, one or a sequence, of the types of ``init``;
        ``index`` is an i32 that counts from 0.
    max_count : int
        In [0, 65536]; part of the structure.

    Examples
    --------
    >>> from unshape_expr.build import loop
    >>> (total,) = loop(4, [0.0], lambda index, state: state + 0.5, max_count=8)
    """
    if isinstance(max_count, bool) or not 0 <= max_count <= MAX_LOOP_COUNT:
        msg = f"loop: expected max_count in [0, {MAX_LOOP_COUNT}], got {max_count!r}"
        raise ExpressionTypeError(msg)
    if not init:
        msg = "loop: expected at least one carried value, got none"
        raise ExpressionTypeError(msg)
    times = lift(count, Type.I32, where="loop: count")
    require_uniform(times, where="loop: count")
    start = [s if isinstance(s, Expr) else lift(s, Type.F32, where="loop: init") for s in init]
    scope = LoopScope(max_count)
    index = Expr(Op.LOOP_INDEX, Type.I32, (), scope)
    states = [Expr(Op.LOOP_STATE, s.type, (), LoopState(scope, k)) for k, s in enumerate(start)]
    answer = body(index, *states)
    results = [answer] if isinstance(answer, Expr | int | float) else list(answer)
    if len(results) != len(start):
        msg = f"loop: expected the body to return {len(start)} carried values, got {len(results)}"
        raise ExpressionTypeError(msg)
    scope.results = tuple(
        lift(r, s.type, where=f"loop: carried value {k}") for k, (r, s) in enumerate(zip(results, start, strict=True))
    )
    whole = Expr(Op.LOOP, start[0].type, (times, *start), scope)
    return tuple(Expr(Op.LOOP_RESULT, s.type, (whole,), k) for k, s in enumerate(start))
