"""Random expressions are valid, repeatable, and use the whole language between them."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings

from unshape_expr.check import check
from unshape_expr.function_table import default_functions
from unshape_expr.ir import Expr
from unshape_expr.lower import lower
from unshape_expr.op_table import OPS
from unshape_expr.ops import Op
from unshape_expr.structure import structure_key
from unshape_expr.types import Type
from unshape_testing.nodes import ExpressionNode
from unshape_testing.own_cases import EXPRESSION_COUNT, LEAVES, expression_case
from unshape_testing.random_expressions import (
    STRUCTURAL,
    functions_in,
    operations_in,
    plain_operations,
    random_expression,
    signatures,
)
from unshape_testing.strategies import expressions


def all_expressions() -> list[Expr]:
    nodes = [expression_case(seed).node for seed in range(EXPRESSION_COUNT)]
    return [expr for node in nodes if isinstance(node, ExpressionNode) for expr in node.expressions]


def test_the_cases_use_every_operation_and_every_function() -> None:
    cases = all_expressions()
    assert operations_in(cases) == set(Op)
    assert functions_in(cases) == set(default_functions().functions())


def test_a_seed_gives_the_same_expression() -> None:
    one, other = (random_expression(Random(5), LEAVES, size=30, result=Type.VEC2) for _ in range(2))
    assert structure_key((one,)) == structure_key((other,))
    assert structure_key((one,)) != structure_key((random_expression(Random(6), LEAVES, size=30, result=Type.VEC2),))


def test_what_was_asked_for_is_used() -> None:
    functions = default_functions().functions()
    for seed, (op, function) in enumerate(zip(plain_operations(), functions, strict=False)):
        expr = random_expression(Random(seed), LEAVES, size=3, result=Type.F32, operations=(op,), functions=(function,))
        assert op in operations_in((expr,))
        assert function in functions_in((expr,))


def test_signatures_are_those_that_the_table_allows() -> None:
    assert (Type.BOOL, (Type.F32, Type.F32)) in signatures(Op.LT)
    assert (Type.F32, (Type.F32, Type.I32)) not in signatures(Op.ADD)
    assert all(signatures(op) for op in plain_operations())
    assert not STRUCTURAL & set(plain_operations())
    assert {op for op in OPS if op not in plain_operations()} >= STRUCTURAL


@given(expressions(leaves=LEAVES))
@settings(max_examples=40, deadline=None)
def test_every_expression_is_valid_and_can_be_lowered(expr: Expr) -> None:
    check(expr)
    assert lower((expr,)).kernel.output_types == (expr.type,)
