"""Scalar operations as WGSL texts."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_gpu.arithmetic import Shielding

_INFIX = {
    Op.BIT_AND: "&",
    Op.BIT_OR: "|",
    Op.BIT_XOR: "^",
    Op.AND: "&&",
    Op.OR: "||",
    Op.EQ: "==",
    Op.NE: "!=",
    Op.LT: "<",
    Op.LE: "<=",
}
_COMPARISONS = frozenset({Op.EQ, Op.LT, Op.LE})
_WRAPPING = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}
_FLOAT_CALLS = {
    Op.ADD: "k_add",
    Op.SUB: "k_sub",
    Op.MUL: "k_mul",
    Op.DIV: "k_div",
    Op.MOD: "k_mod",
    Op.NEG: "k_neg",
    Op.ABS: "k_abs",
    Op.MIN: "k_min",
    Op.MAX: "k_max",
    Op.FLOOR: "k_floor",
    Op.CEIL: "k_ceil",
    Op.TRUNC: "k_trunc",
    Op.ROUND: "k_round",
    Op.SQRT: "k_sqrt",
}
_INTEGER_CALLS = {
    (Op.DIV, Type.I32): "k_div_i32",
    (Op.DIV, Type.U32): "k_div_u32",
    (Op.MOD, Type.I32): "k_mod_i32",
    (Op.MOD, Type.U32): "k_mod_u32",
    (Op.NEG, Type.I32): "k_neg_i32",
    (Op.ABS, Type.I32): "k_abs_i32",
    (Op.MIN, Type.I32): "min",
    (Op.MIN, Type.U32): "min",
    (Op.MAX, Type.I32): "max",
    (Op.MAX, Type.U32): "max",
}


def operation_text(op: Op, type_: Type, operand: Type, args: Sequence[str], shielding: Shielding) -> str:
    """Return a scalar operation.

    Parameters
    ----------
    op : Op
        The operation; neither a read nor a structure.
    type_, operand : Type
        Scalar types of the result and of the first argument.
    args : sequence of str
        Texts that are names or may be used several times.
    shielding : Shielding
        What compilers must not see through.
    """
    is_exact = shielding is not Shielding.NONE
    if op is Op.NE and operand is Type.F32:
        return f"k_ne({args[0]}, {args[1]})"
    if op in _COMPARISONS and operand is Type.F32 and is_exact:
        return f"({args[0]} {_INFIX[op]} k_apart({args[1]}))"
    if op in _INFIX:
        return f"({args[0]} {_INFIX[op]} {args[1]})"
    if op in _WRAPPING and type_ is not Type.F32:
        return f"({args[0]} {_WRAPPING[op]} {args[1]})"
    call = _FLOAT_CALLS.get(op) if type_ is Type.F32 else _INTEGER_CALLS.get((op, type_))
    if call is not None:
        return f"{call}({', '.join(args)})"
    match op, type_:
        case Op.NEG, Type.U32:
            return f"(0u - {args[0]})"
        case Op.ABS, Type.U32:
            return args[0]
        case Op.NOT, _:
            # Of a comparison of float32 the opposite comparison is no negation: NaN.
            return f"((select(0u, 1u, {args[0]}) | params[0].x) == 0u)" if is_exact else f"(!{args[0]})"
        case Op.BIT_NOT, _:
            return f"(~{args[0]})"
        case Op.SHL, _:
            return f"({args[0]} << ({_as_u32(args[1])} & 31u))"
        case Op.SHR, _:
            return f"({args[0]} >> ({_as_u32(args[1])} & 31u))"
        case Op.SELECT, _:
            return f"select({args[2]}, {args[1]}, {args[0]})"
        case ((Op.TO_F32 | Op.TO_I32 | Op.TO_U32), _):
            return _conversion(type_, operand, args[0])
        case ((Op.BITCAST_F32 | Op.BITCAST_U32), _):
            return f"bitcast<{type_.value}>({args[0]})"
        case _:
            msg = f"operation {op} of {operand.value} is no scalar operation"
            raise AssertionError(msg)


def _as_u32(text: str) -> str:
    return f"u32({text})"


def _conversion(type_: Type, operand: Type, value: str) -> str:
    match type_, operand:
        case Type.F32, Type.BOOL:
            return f"select(0.0f, 1.0f, {value})"
        case Type.I32, Type.F32:
            return f"k_to_i32({value})"
        case Type.U32, Type.F32:
            return f"k_to_u32({value})"
        case ((Type.I32 | Type.U32), (Type.I32 | Type.U32)):
            return f"bitcast<{type_.value}>({value})"
        case _:
            return f"{type_.value}({value})"
