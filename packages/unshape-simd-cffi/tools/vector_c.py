"""C over the vector vocabulary of ``csrc/vec.h``: a target of :mod:`unshape_expr.emit`, for functions."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from unshape_expr.kernel import Instruction
from unshape_expr.ops import Op
from unshape_expr.types import Type

TYPES = {Type.F32: "vf", Type.I32: "vi", Type.U32: "vu", Type.BOOL: "vi"}
_BINARY = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.BIT_AND: "&", Op.BIT_OR: "|", Op.BIT_XOR: "^"}
_COMPARISONS = {Op.EQ: "==", Op.NE: "!=", Op.LT: "<", Op.LE: "<="}
_FLOAT_FUNCTIONS = {
    Op.ABS: "vabs",
    Op.FLOOR: "vfloor",
    Op.CEIL: "vceil",
    Op.TRUNC: "vtrunc",
    Op.ROUND: "vround",
    Op.SQRT: "vsqrt",
}
_LETTERS = {Type.I32: "i", Type.U32: "u"}


class VectorC:
    """One statement for each operation, on whole vectors; a condition is a mask of int32."""

    def declare(self, type: Type, name: str, value: str) -> str:  # noqa: A002 - the protocol's word
        """Return the definition of a value."""
        return f"{type_name(type)} {name} = {value};"

    def variable(self, type: Type, name: str, value: str) -> str:  # noqa: A002 - the protocol's word
        """Return the definition of a variable."""
        return self.declare(type, name, value)

    def assign(self, name: str, value: str) -> str:
        """Return an assignment."""
        return f"{name} = {value};"

    def literal(self, value: bool | int | float, type: Type) -> str:  # noqa: A002, FBT001 - the protocol's
        """Return a vector of equal literals; floats are written exactly."""
        match type:
            case Type.F32 if math.isfinite(value):
                return f"splat({float(value).hex()}f)"
            case Type.F32:
                (bits,) = struct.unpack("<I", struct.pack("<f", value))
                return f"(vf)splatu(0x{bits:08x}u)"
            case Type.BOOL:
                return f"splati({-1 if value else 0})"
            case Type.U32:
                return f"splatu({int(value)}u)"
            case _:
                return f"splati((int32_t){int(value) & 0xFFFFFFFF}u)"

    def slot(self, number: int, type: Type) -> str:  # noqa: A002 - the protocol's word
        """Refuse: literals of functions are fixed."""
        msg = f"slot {number} of {type.value}: a function has no literal slots"
        raise AssertionError(msg)

    def operation(self, op: Op, type: Type, operand: Type, args: Sequence[str]) -> str:  # noqa: A002
        """Return an operation on vectors."""
        a, b, c = (*args, "", "")[:3]
        if op in _BINARY:
            if operand is Type.I32:
                return f"(vi)((vu){a} {_BINARY[op]} (vu){b})"
            return f"{a} {_BINARY[op]} {b}"
        if op in _COMPARISONS:
            return f"(vi)({a} {_COMPARISONS[op]} {b})"
        if op in _FLOAT_FUNCTIONS and type is Type.F32:
            return f"{_FLOAT_FUNCTIONS[op]}({a})"
        match op:
            case Op.DIV | Op.MOD:
                return _division(op, type, a, b)
            case Op.MIN | Op.MAX:
                return f"v{op.value}({a}, {b})" if type is Type.F32 else f"{op.value}{_LETTERS[type]}({a}, {b})"
            case Op.SELECT:
                return f"self({a}, {b}, {c})" if type is Type.F32 else f"({TYPES[type]})seli({a}, (vi){b}, (vi){c})"
            case Op.NEG:
                return f"(vi)(-(vu){a})" if type is Type.I32 else f"-{a}"
            case Op.ABS:
                return f"absi({a})" if type is Type.I32 else a
            case Op.AND:
                return f"{a} & {b}"
            case Op.OR:
                return f"{a} | {b}"
            case Op.NOT | Op.BIT_NOT:
                return f"~{a}"
            case Op.SHL:
                return f"({TYPES[type]})((vu){a} << ({b} & splatu(31)))"
            case Op.SHR:
                return f"{a} >> ({TYPES[type]})({b} & splatu(31))"
            case _:
                return _conversion(op, operand, a)

    def read(self, step: Instruction, args: Sequence[str]) -> str:
        """Refuse: functions read nothing from outside."""
        msg = f"{step.op.value} of {len(args)} arguments: a function reads nothing from outside"
        raise AssertionError(msg)

    def component(self, type: Type, value: str, index: int) -> str:  # noqa: A002 - the protocol's word
        """Return one component of what a function returned."""
        assert type.is_vector
        return f"{value}.c{index}"

    def vector(self, type: Type, parts: Sequence[str]) -> str:  # noqa: A002 - the protocol's word
        """Return a vector of its components."""
        return f"({type_name(type)}){{{', '.join(parts)}}}"

    def begin_loop(self, index: str, count: str, max_count: int) -> str:
        """Return the head of a loop; the count is equal in all lanes."""
        at = f"{index}_at"
        return (
            f"for (int32_t {at} = 0, {index}_end = {count}[0]; {at} < {index}_end && {at} < {max_count}; "
            f"{at}++) {{ const vi {index} = splati({at});"
        )

    def begin_function(self, name: str, parameters: Sequence[tuple[Type, str]], returns: Type) -> str:
        """Return the head of a function."""
        listed = ", ".join(f"{type_name(type_)} {parameter}" for type_, parameter in parameters)
        return f"AI {type_name(returns)} {name}({listed}) {{"

    def return_value(self, value: str) -> str:
        """Return the end of a function."""
        return f"return {value};"

    def end(self) -> str:
        """Return a closing brace."""
        return "}"


def type_name(type_: Type) -> str:
    """Return the C type of a value."""
    return f"{type_.value}_v" if type_.is_vector else TYPES[type_]


def _division(op: Op, type_: Type, a: str, b: str) -> str:
    if type_ is not Type.F32:
        return f"{op.value}{_LETTERS[type_]}({a}, {b})"
    return f"{a} / {b}" if op is Op.DIV else f"{a} - {b} * vfloor({a} / {b})"


def _conversion(op: Op, operand: Type, a: str) -> str:
    is_number = operand in {Type.I32, Type.U32}
    match op:
        case Op.TO_F32:
            return f"to_f_{_LETTERS[operand]}({a})" if is_number else f"(vf)({a} & (vi)splat(1.0f))"
        case Op.TO_I32 | Op.BITCAST_U32 | Op.TO_U32 | Op.BITCAST_F32:
            kind = {Op.TO_I32: "vi", Op.TO_U32: "vu", Op.BITCAST_U32: "vu", Op.BITCAST_F32: "vf"}[op]
            if operand is Type.F32 and op in {Op.TO_I32, Op.TO_U32}:
                return f"to_{kind[1]}_f({a})"
            return f"({kind})(-{a})" if operand is Type.BOOL else f"({kind}){a}"
        case _:
            msg = f"operation {op.value}: no C for it"
            raise AssertionError(msg)
