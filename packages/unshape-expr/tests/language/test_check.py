"""The validity checker finds what builders never make."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from unshape_expr import build as e
from unshape_expr.check import check
from unshape_expr.errors import ExpressionError
from unshape_expr.ir import Expr, LoopScope, LoopState
from unshape_expr.kernel import Varies
from unshape_expr.op_table import OPS
from unshape_expr.ops import Op
from unshape_expr.types import Type

K = e.input_scalar("k", Type.F32)
N = e.input_scalar("n", Type.I32)


def test_the_table_has_every_operation() -> None:
    assert set(Op) == set(OPS)


def test_what_builders_make_is_valid(random_parts: Callable[[int], list[tuple[Expr, ...]]]) -> None:
    for outputs in random_parts(30):
        check(outputs)


@pytest.mark.parametrize(
    ("expr", "words"),
    [
        (Expr(Op.ADD, Type.F32, (K,)), "add: expected 2 arguments, got 1"),
        (Expr(Op.ADD, Type.F32, (K, N)), "add: expected arguments of type f32, got i32"),
        (Expr(Op.ADD, Type.BOOL, (K, K)), "add: expected .* got bool"),
        (Expr(Op.LT, Type.F32, (K, K)), "lt: expected the type bool, got f32"),
        (Expr(Op.LT, Type.BOOL, (K, N)), "one type, got f32 and i32"),
        (Expr(Op.SELECT, Type.F32, (K, K, K)), "select: expected bool as condition"),
        (Expr(Op.SHL, Type.I32, (N, N)), "u32 as amount"),
        (Expr(Op.VEC, Type.VEC3, (K, K)), "vec: expected a vector of 2"),
        (Expr(Op.VEC, Type.VEC2, (K, N)), "f32"),
        (Expr(Op.SPLAT, Type.F32, (K,)), "splat"),
        (Expr(Op.COMPONENT, Type.F32, (e.vec2(K),), 2), "vec2 has no component 2"),
        (Expr(Op.COMPONENT, Type.F32, (e.vec2(K),), True), r"component in \[0, 3\]"),
        (Expr(Op.CONST, Type.F32, (), 0.1), "const"),
        (Expr(Op.CONST, Type.F32, (), None), "const"),
        (Expr(Op.CONST, Type.U32, (), -1), "-1"),
        (Expr(Op.UNIFORM, Type.F32, (), 5), "uniform: expected a name"),
        (Expr(Op.PIXEL_X, Type.I32, (), "x"), "no attribute"),
        (Expr(Op.INPUT, Type.I32, (), "a"), "input"),
        (Expr(Op.SAMPLE, Type.F32, (K,), "a"), "sample"),
        (Expr(Op.CALL, Type.F32, (K,), e.smoothstep), "takes 3 arguments, got 1"),
        (Expr(Op.CALL, Type.VEC2, (e.vec2(K), e.vec2(K), K), e.smoothstep), "smoothstep expects"),
        (Expr(Op.CALL, Type.F32, (K, N), e.pixel_center), "index expects i32, got f32"),
        (Expr(Op.LOOP_RESULT, Type.F32, (K,), 0), "expected a loop"),
        (Expr(Op.LOOP, Type.F32, (N, K), LoopScope(4)), "iteration to give f32, got none"),
        (Expr(Op.LOOP, Type.F32, (K, K), LoopScope(4, (K,))), "i32 as count"),
        (Expr(Op.LOOP, Type.F32, (N, K), LoopScope(70000, (K,))), "max_count"),
        (Expr(Op.LOOP_STATE, Type.F32, (), LoopState(LoopScope(4), 0)), "carries no value"),
        (Expr(Op.LOOP_INDEX, Type.I32, (), LoopScope(4)), "outside of its loop"),
        (Expr(Op.ARGUMENT, Type.F32, (), "x"), "argument"),
    ],
)
def test_wrong_operations_are_named(expr: Expr, words: str) -> None:
    with pytest.raises(ExpressionError, match=words):
        check(expr)


def test_parameters_are_allowed_inside_of_a_definition() -> None:
    check(e.argument("x", Type.F32) + 1.0, arguments={"x": Varies.BOTH})


def test_a_loop_that_needs_its_own_result_is_found() -> None:
    scope = LoopScope(4)
    whole = Expr(Op.LOOP, Type.F32, (N, K), scope)
    scope.results = (Expr(Op.LOOP_RESULT, Type.F32, (whole,), 0),)
    with pytest.raises(ExpressionError, match="its own result"):
        check(Expr(Op.LOOP_RESULT, Type.F32, (whole,), 0))


def test_loops_are_nested_to_a_bounded_depth() -> None:
    def nest(depth: int) -> Callable[..., Sequence[Expr]]:
        if depth == 0:
            return lambda i, s: [s + 1.0]
        return lambda i, s: e.loop(1, [s], nest(depth - 1), max_count=2)

    check(e.loop(1, [K], nest(7), max_count=2))
    with pytest.raises(ExpressionError, match="at most 8 loops"):
        check(e.loop(1, [K], nest(8), max_count=2))
