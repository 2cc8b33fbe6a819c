"""OpenCL C as a target of the emitter: how each operation of the language is written.

The text is the same for every device. What a value is (one pixel, or several neighbours side by side) is decided by the
prelude that it is compiled with; see ``cl/prelude.cl``.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from unshape_expr.ir import Border, Fetching, Filter, Sampling
from unshape_expr.kernel import Instruction
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_opencl.tables import Lookup

if TYPE_CHECKING:
    from unshape_expr.emit import Target

TYPE_NAMES: Mapping[Type, str] = {
    Type.F32: "F32",
    Type.I32: "I32",
    Type.U32: "U32",
    Type.BOOL: "BOOL",
    Type.VEC2: "us_vec2",
    Type.VEC3: "us_vec3",
    Type.VEC4: "us_vec4",
}
BORDERS: Mapping[Border, str] = {
    Border.CLAMP: "US_CLAMP",
    Border.REPEAT: "US_REPEAT",
    Border.MIRROR: "US_MIRROR",
    Border.ZERO: "US_ZERO",
}
FILTERS: Mapping[Filter, str] = {Filter.NEAREST: "us_nearest", Filter.BILINEAR: "us_bilinear"}

_ANY: Mapping[Op, str] = {
    Op.EQ: "({0} == {1})",
    Op.NE: "({0} != {1})",
    Op.LT: "({0} < {1})",
    Op.LE: "({0} <= {1})",
    Op.SELECT: "US_SELECT({0}, {1}, {2})",
    Op.AND: "({0} & {1})",
    Op.OR: "({0} | {1})",
    Op.NOT: "US_NOT({0})",
    Op.BIT_AND: "({0} & {1})",
    Op.BIT_OR: "({0} | {1})",
    Op.BIT_XOR: "({0} ^ {1})",
    Op.BIT_NOT: "(~{0})",
    Op.BITCAST_F32: "US_AS_F32({0})",
    Op.BITCAST_U32: "US_AS_U32({0})",
}
_FLOAT: Mapping[Op, str] = {
    Op.ADD: "({0} + {1})",
    Op.SUB: "({0} - {1})",
    Op.MUL: "({0} * {1})",
    Op.DIV: "({0} / {1})",
    Op.MOD: "us_mod_f({0}, {1})",
    Op.NEG: "(-{0})",
    Op.ABS: "fabs({0})",
    Op.MIN: "us_min_f({0}, {1})",
    Op.MAX: "us_max_f({0}, {1})",
    Op.FLOOR: "floor({0})",
    Op.CEIL: "ceil({0})",
    Op.TRUNC: "trunc({0})",
    Op.ROUND: "rint({0})",
    Op.SQRT: "sqrt({0})",
}
_SIGNED: Mapping[Op, str] = {
    Op.ADD: "us_add_i({0}, {1})",
    Op.SUB: "us_sub_i({0}, {1})",
    Op.MUL: "us_mul_i({0}, {1})",
    Op.DIV: "us_div_i({0}, {1})",
    Op.MOD: "us_mod_i({0}, {1})",
    Op.NEG: "us_neg_i({0})",
    Op.ABS: "us_abs_i({0})",
    Op.MIN: "min({0}, {1})",
    Op.MAX: "max({0}, {1})",
    Op.SHL: "US_AS_I32(US_AS_U32({0}) << ({1} & US_U(31u)))",
    Op.SHR: "({0} >> US_AS_I32({1} & US_U(31u)))",
}
_UNSIGNED: Mapping[Op, str] = {
    Op.ADD: "({0} + {1})",
    Op.SUB: "({0} - {1})",
    Op.MUL: "({0} * {1})",
    Op.DIV: "us_div_u({0}, {1})",
    Op.MOD: "us_mod_u({0}, {1})",
    Op.NEG: "(US_U(0u) - {0})",
    Op.ABS: "({0})",
    Op.MIN: "min({0}, {1})",
    Op.MAX: "max({0}, {1})",
    Op.SHL: "({0} << ({1} & US_U(31u)))",
    Op.SHR: "({0} >> ({1} & US_U(31u)))",
}
_BY_TYPE: Mapping[Type, Mapping[Op, str]] = {Type.F32: _FLOAT, Type.I32: _SIGNED, Type.U32: _UNSIGNED}
_CONVERSIONS: Mapping[tuple[Op, Type], str] = {
    (Op.TO_F32, Type.F32): "{0}",
    (Op.TO_F32, Type.I32): "US_TO_F32({0})",
    (Op.TO_F32, Type.U32): "US_TO_F32({0})",
    (Op.TO_F32, Type.BOOL): "US_SELECT({0}, US_F(1.0f), US_F(0.0f))",
    (Op.TO_I32, Type.F32): "us_to_i({0})",
    (Op.TO_I32, Type.I32): "{0}",
    (Op.TO_I32, Type.U32): "US_AS_I32({0})",
    (Op.TO_I32, Type.BOOL): "US_SELECT({0}, US_I(1), US_I(0))",
    (Op.TO_U32, Type.F32): "us_to_u({0})",
    (Op.TO_U32, Type.I32): "US_AS_U32({0})",
    (Op.TO_U32, Type.U32): "{0}",
    (Op.TO_U32, Type.BOOL): "US_SELECT({0}, US_U(1u), US_U(0u))",
}


def template(op: Op, operand: Type) -> str:
    """Return how an operation is written, with ``{0}`` for its first argument.

    Parameters
    ----------
    op : Op
        Arithmetic, comparison, logic, bits, selection or conversion.
    operand : Type
        Scalar type of its first argument.
    """
    found = _CONVERSIONS.get((op, operand)) or _ANY.get(op)
    return found if found is not None else _BY_TYPE[operand][op]


class OpenClTarget:
    """How OpenCL C writes things.

    Parameters
    ----------
    slots : sequence of str
        For each literal slot the text of its word among the kernel's parameters.
    inputs : mapping of str to sequence of str
        For each input that is a number or vector the texts of its words.
    uniforms : mapping of str to str
        For each uniform the text of its word.
    pictures : mapping of str to int
        For each picture input the number by which its array and description are called.
    lookups : mapping of str to Lookup
        For each value that is looked up where it stands in the array ``us_table``, which functions are then given.
    """

    def __init__(
        self,
        *,
        slots: Sequence[str],
        inputs: Mapping[str, Sequence[str]],
        uniforms: Mapping[str, str],
        pictures: Mapping[str, int],
        lookups: Mapping[str, Lookup] | None = None,
    ) -> None:
        self._slots = slots
        self._inputs = inputs
        self._uniforms = uniforms
        self._pictures = pictures
        self._lookups = lookups or {}

    def declare(self, type: Type, name: str, value: str) -> str:  # noqa: A002 - the field's word
        """Return the statement that names a value."""
        return f"const {TYPE_NAMES[type]} {name} = {value};"

    def variable(self, type: Type, name: str, value: str) -> str:  # noqa: A002 - the field's word
        """Return the statement that makes a variable."""
        return f"{TYPE_NAMES[type]} {name} = {value};"

    def assign(self, name: str, value: str) -> str:
        """Return the statement that gives a variable a value."""
        return f"{name} = {value};"

    def literal(self, value: bool | int | float, type: Type) -> str:  # noqa: A002, FBT001 - any literal
        """Return a fixed literal: a float by its bits, since infinities and NaN have no other notation everywhere."""
        match type:
            case Type.BOOL:
                return f"US_B({int(value)}u)"
            case Type.I32:
                # The smallest i32 has no literal of its own in C.
                return f"US_I({int(value)})" if value != -(2**31) else "US_I(-2147483647 - 1)"
            case Type.U32:
                return f"US_U({int(value)}u)"
            case _:
                (bits,) = struct.unpack("<I", struct.pack("<f", value))
                return f"US_F(as_float(0x{bits:08x}u))"

    def slot(self, number: int, type: Type) -> str:  # noqa: A002 - the field's word
        """Return the value of a literal slot."""
        return word(self._slots[number], type)

    def operation(self, op: Op, type: Type, operand: Type, args: Sequence[str]) -> str:  # noqa: A002, ARG002
        """Return a scalar operation."""
        return template(op, operand).format(*args)

    def read(self, step: Instruction, args: Sequence[str]) -> str:
        """Return a value from outside."""
        match step.op, step.attr:
            case Op.PIXEL_X, _:
                return "us_x"
            case Op.PIXEL_Y, _:
                return "us_y"
            case Op.WIDTH, _:
                return "US_I(us_width)"
            case Op.HEIGHT, _:
                return "US_I(us_height)"
            case Op.UNIFORM, str(name) if name in self._lookups:
                place = self._lookups[name]
                index = f"({args[0]} >> US_U({place.shift}u)) & US_U({place.mask}u)"
                found = f"US_LOOK_UP(us_table + {place.first}, ({index}))"
                return f"US_AS_F32({found})" if step.type is Type.F32 else found
            case Op.UNIFORM, str(name):
                return word(self._uniforms[name], step.type)
            case Op.SCALAR_INPUT, str(port):
                words = [word(text, step.type.scalar) for text in self._inputs[port]]
                return self.vector(step.type, words) if step.type.is_vector else words[0]
            case Op.TEXTURE_WIDTH, str(port):
                return f"US_I({_info(self._pictures[port])}.whole_width)"
            case Op.TEXTURE_HEIGHT, str(port):
                return f"US_I({_info(self._pictures[port])}.whole_height)"
            case Op.INPUT, str(port):
                number = self._pictures[port]
                return f"us_input{step.type.components}({_array(number)}, {_info(number)}, us_left, us_row, us_count)"
            case Op.SAMPLE, Sampling(port, filter_, border):
                name = f"{FILTERS[filter_]}{step.type.components}"
            case Op.FETCH, Fetching(port, border):
                name = f"us_fetch{step.type.components}"
            case _:
                msg = f"'opencl' cannot read {step.op.value}"
                raise AssertionError(msg)
        number = self._pictures[port]
        return f"{name}({', '.join((_array(number), _info(number), BORDERS[border], *args))})"

    def component(self, type: Type, value: str, index: int) -> str:  # noqa: A002, ARG002 - the field's word
        """Return one component of a vector."""
        return f"{value}.c{index}"

    def vector(self, type: Type, parts: Sequence[str]) -> str:  # noqa: A002 - the field's word
        """Return a vector of its components."""
        return f"us_make{type.components}({', '.join(parts)})"

    def begin_loop(self, index: str, count: str, max_count: int) -> str:
        """Return the head of a loop; the count is one for all pixels."""
        i = f"{index}_i"
        limit = f"clamp((int)US_FIRST({count}), 0, {max_count})"
        return f"for (int {i} = 0, {i}_n = {limit}; {i} < {i}_n; ++{i}) {{ const I32 {index} = US_I({i});"

    def begin_function(self, name: str, parameters: Sequence[tuple[Type, str]], returns: Type) -> str:
        """Return the head of a function."""
        texts = [f"const {TYPE_NAMES[type_]} {text}" for type_, text in parameters]
        kind = "static"
        if self._lookups:
            kind = "US_INLINE"  # PoCL hands local memory of a kernel to no other function
            texts.insert(0, "__local const uint *restrict us_table")
        return f"{kind} {TYPE_NAMES[returns]} {name} ({', '.join(texts) or 'void'}) {{"

    def return_value(self, value: str) -> str:
        """Return the statement that ends a function."""
        return f"return {value};"

    def end(self) -> str:
        """Return the end of a loop or function."""
        return "}"


def word(text: str, type_: Type) -> str:
    """Return a parameter's word, a ``uint``, as a value of a scalar type."""
    match type_:
        case Type.BOOL:
            return f"US_B({text})"
        case Type.I32:
            return f"US_I(as_int({text}))"
        case Type.U32:
            return f"US_U({text})"
        case _:
            return f"US_F(as_float({text}))"


def _array(number: int) -> str:
    return f"us_in{number}"


def _info(number: int) -> str:
    return f"us_info{number}"


if TYPE_CHECKING:
    _proof: type[Target] = OpenClTarget
