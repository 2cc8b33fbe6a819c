"""The target knows every operation of the language."""

from __future__ import annotations

import pytest

from unshape_expr.op_table import OPS
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_opencl.target import OpenClTarget, template

READ_OR_STRUCTURE = {
    *(Op.CONST, Op.UNIFORM, Op.INPUT, Op.SCALAR_INPUT, Op.PIXEL_X, Op.PIXEL_Y, Op.WIDTH, Op.HEIGHT, Op.ARGUMENT),
    *(Op.SAMPLE, Op.FETCH, Op.TEXTURE_WIDTH, Op.TEXTURE_HEIGHT, Op.VEC, Op.SPLAT, Op.COMPONENT, Op.CALL),
    *(Op.LOOP, Op.LOOP_RESULT, Op.LOOP_INDEX, Op.LOOP_STATE),
}
SCALARS = (Type.F32, Type.I32, Type.U32, Type.BOOL)
RESULTS = {Op.TO_F32: Type.F32, Op.TO_I32: Type.I32, Op.TO_U32: Type.U32}
RESULTS |= {Op.BITCAST_F32: Type.F32, Op.BITCAST_U32: Type.U32}
RESULTS |= dict.fromkeys((Op.EQ, Op.NE, Op.LT, Op.LE), Type.BOOL)


def _is_typed(op: Op, operand: Type) -> bool:
    least, _ = OPS[op].arity
    args = [operand] * least
    if op is Op.SELECT:
        args[0] = Type.BOOL
    if op in {Op.SHL, Op.SHR}:
        args[1] = Type.U32
    return OPS[op].types(RESULTS.get(op, operand), args) is None


CASES = [(op, t) for op in Op if op not in READ_OR_STRUCTURE for t in SCALARS if _is_typed(op, t)]


def test_the_cases_hold_every_operation() -> None:
    assert set(Op) - READ_OR_STRUCTURE == {op for op, _ in CASES}


@pytest.mark.parametrize(("op", "operand"), CASES, ids=str)
def test_every_operation_is_written_with_all_its_arguments(op: Op, operand: Type) -> None:
    text = template(op, operand)
    least, _ = OPS[op].arity
    assert all(f"{{{k}}}" in text for k in range(least))


@pytest.mark.parametrize(
    ("value", "type_", "expected"),
    [
        (1.5, Type.F32, "US_F(as_float(0x3fc00000u))"),
        (float("inf"), Type.F32, "US_F(as_float(0x7f800000u))"),
        (-0.0, Type.F32, "US_F(as_float(0x80000000u))"),
        (-(2**31), Type.I32, "US_I(-2147483647 - 1)"),
        (2**32 - 1, Type.U32, "US_U(4294967295u)"),
        (True, Type.BOOL, "US_B(1u)"),
    ],
)
def test_literals_are_written_by_their_bits(value: float, type_: Type, expected: str) -> None:
    target = OpenClTarget(slots=(), inputs={}, uniforms={}, pictures={})
    assert expected == target.literal(value, type_)
