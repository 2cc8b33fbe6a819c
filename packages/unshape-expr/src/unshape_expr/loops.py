"""Bounded loops that carry values from one iteration to the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
    start = [s if isinstance(s, Expr) else lift(s, Type.F32, where="loop: init") for s in init]
    opened = open_loop(lift(count, Type.I32, where="loop: count"), start, max_count=max_count)
    answer = body(opened.index, *opened.states)
    whole = opened.close([answer] if isinstance(answer, Expr | int | float) else list(answer))
    return tuple(loop_result(whole, k) for k in range(len(start)))


@dataclass(frozen=True, slots=True)
class OpenLoop:
    """A loop whose body is being built.

    Parameters
    ----------
    count : Expr
        Number of iterations.
    start : sequence of Expr
        Carried values before the first iteration.
    index : Expr
        The index inside the body.
    states : tuple of Expr
        The carried values inside the body.
    scope : LoopScope
        Identity of the loop.
    """

    count: Expr
    start: Sequence[Expr]
    index: Expr
    states: tuple[Expr, ...]
    scope: LoopScope

    def close(self, results: Sequence[ExprLike]) -> Expr:
        """Return the loop, given the carried values at the end of an iteration."""
        if len(results) != len(self.start):
            msg = f"loop: expected the body to return {len(self.start)} carried values, got {len(results)}"
            raise ExpressionTypeError(msg)
        self.scope.results = tuple(
            lift(r, s.type, where=f"loop: carried value {k}")
            for k, (r, s) in enumerate(zip(results, self.start, strict=True))
        )
        return Expr(Op.LOOP, self.start[0].type, (self.count, *self.start), self.scope)


def open_loop(count: Expr, start: Sequence[Expr], *, max_count: int) -> OpenLoop:
    """Begin a loop; see :func:`loop`."""
    if isinstance(max_count, bool) or not 0 <= max_count <= MAX_LOOP_COUNT:
        msg = f"loop: expected max_count in [0, {MAX_LOOP_COUNT}], got {max_count!r}"
        raise ExpressionTypeError(msg)
    if not start:
        msg = "loop: expected at least one carried value, got none"
        raise ExpressionTypeError(msg)
    times = lift(count, Type.I32, where="loop: count")
    require_uniform(times, where="loop: count")
    scope = LoopScope(max_count)
    index = Expr(Op.LOOP_INDEX, Type.I32, (), scope)
    states = tuple(Expr(Op.LOOP_STATE, s.type, (), LoopState(scope, k)) for k, s in enumerate(start))
    return OpenLoop(times, start, index, states, scope)


def loop_result(whole: Expr, index: int) -> Expr:
    """Return one carried value after a loop."""
    return Expr(Op.LOOP_RESULT, whole.args[1 + index].type, (whole,), index)
