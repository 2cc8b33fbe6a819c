"""Kernels as WGSL: the target of ``unshape_expr.emit``, and how pictures are read.

Every operation is written so that it gives what ``semantics.md`` of unshape-expr states, whatever a compiler does with
it: see :mod:`~unshape_gpu.arithmetic`.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unshape_expr.functions import Function
from unshape_expr.ir import Fetching, Sampling
from unshape_expr.kernel import Instruction, Kernel
from unshape_expr.ops import Op
from unshape_expr.types import Type, float_type
from unshape_gpu.arithmetic import Arithmetic, Shielding
from unshape_gpu.operations import operation_text
from unshape_gpu.parameters import OUTPUT_WORD, ParameterLayout, typed_word, word
from unshape_gpu.sampling import PictureReader
from unshape_gpu.shielding import shielded_values

if TYPE_CHECKING:
    from unshape_expr.emit import Target

FUNCTION_PREFIX = "f_"
_VALUE_NAME = re.compile(r"v(\d+)(_\d)?")

TYPES = {
    Type.F32: "f32",
    Type.U32: "u32",
    Type.I32: "i32",
    Type.BOOL: "bool",
    Type.VEC2: "vec2<f32>",
    Type.VEC3: "vec3<f32>",
    Type.VEC4: "vec4<f32>",
}


@dataclass(frozen=True, slots=True)
class _Shields:
    """Which values are opaque: of the kernel itself, and of each function by its name."""

    kernel: frozenset[int]
    functions: dict[str, frozenset[int]]


class WgslTarget:
    """Writes WGSL.

    Parameters
    ----------
    kernel : Kernel
        What is written.
    layout : ParameterLayout
        Where its parameters are.
    arithmetic : Arithmetic
        How float32 operations are written.

    Attributes
    ----------
    readers : dict of str to PictureReader
        Functions that read pictures at positions, by name; filled while the kernel is emitted.
    """

    def __init__(self, kernel: Kernel, layout: ParameterLayout, arithmetic: Arithmetic) -> None:
        self.readers: dict[str, PictureReader] = {}
        self._layout = layout
        self._channels = {use.port: use.type.components for use in kernel.inputs}
        self._arithmetic = arithmetic
        shielding = arithmetic.shielding
        functions = {FUNCTION_PREFIX + f.qualified_name: _function_shields(f, shielding) for f in kernel.functions}
        self._shields = _Shields(shielded_values(kernel.body, kernel.value_types, shielding), functions)
        self._opaque = self._shields.kernel

    def declare(self, type: Type, name: str, value: str) -> str:  # noqa: A002 - the protocol's word
        """Return a ``let``; the value is made opaque where merging it with its users would change bits."""
        found = _VALUE_NAME.fullmatch(name)
        if found is not None and type is Type.F32 and int(found[1]) in self._opaque:
            value = f"k_ex({value})"
        return f"let {name} = {value};"

    def variable(self, type: Type, name: str, value: str) -> str:  # noqa: A002 - the protocol's word
        """Return a ``var``."""
        return f"var {name}: {TYPES[type]} = {value};"

    def assign(self, name: str, value: str) -> str:
        """Return an assignment."""
        return f"{name} = {value};"

    def literal(self, value: bool | int | float, type: Type) -> str:  # noqa: A002, FBT001 - the protocol's signature
        """Return a literal; NaN and infinities, for which WGSL has none, are made of their bits at run time."""
        match type:
            case Type.BOOL:
                return "true" if value else "false"
            case Type.U32:
                return f"{int(value)}u"
            case Type.I32:
                return f"bitcast<i32>({int(value) & 0xFFFFFFFF:#x}u)" if value < 0 else f"{int(value)}i"
            case _:
                return self._float(float(value))

    def _float(self, value: float) -> str:
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        is_plain = math.isfinite(value) and (abs(value) >= 2.0**-126)
        if not is_plain or self._arithmetic.shielding is Shielding.ALL:
            return f"bitcast<f32>({bits:#010x}u | {word(0)})"
        return f"({value!r}f)" if value < 0 else f"{value!r}f"

    def slot(self, number: int, type: Type) -> str:  # noqa: A002 - the protocol's word
        """Return a word of the parameter block."""
        return typed_word(self._layout.slots[number], type)

    def operation(self, op: Op, type: Type, operand: Type, args: Sequence[str]) -> str:  # noqa: A002
        """Return a scalar operation."""
        return operation_text(op, type, operand, args, self._arithmetic.shielding)

    def read(self, step: Instruction, args: Sequence[str]) -> str:
        """Return a value from outside."""
        match step.op, step.attr:
            case Op.PIXEL_X, _:
                return "x"
            case Op.PIXEL_Y, _:
                return "y"
            case Op.WIDTH, _:
                return typed_word(OUTPUT_WORD + 2, Type.I32)
            case Op.HEIGHT, _:
                return typed_word(OUTPUT_WORD + 3, Type.I32)
            case Op.UNIFORM, str(name):
                return self._block_value(self._layout.uniforms[name], step.type)
            case Op.SCALAR_INPUT, str(name):
                return self._block_value(self._layout.scalars[name], step.type)
            case Op.INPUT, str(port):
                return f"pixel_{self._number(port)}"
            case Op.TEXTURE_WIDTH, str(port):
                return typed_word(self._layout.picture_word(port) + 4, Type.I32)
            case Op.TEXTURE_HEIGHT, str(port):
                return typed_word(self._layout.picture_word(port) + 5, Type.I32)
            case ((Op.SAMPLE | Op.FETCH), (Sampling() | Fetching()) as how):
                reader = PictureReader(
                    number=self._number(how.port),
                    word=self._layout.picture_word(how.port),
                    channels=self._channels[how.port],
                    how=how,
                )
                self.readers[reader.name] = reader
                return f"{reader.name}({', '.join(args)})"
            case _:
                msg = f"operation {step.op} reads nothing from outside"
                raise AssertionError(msg)

    def _number(self, port: str) -> int:
        return [use.port for use in self._layout.pictures].index(port)

    def _block_value(self, first: int, type_: Type) -> str:
        parts = [typed_word(first + k, type_.scalar) for k in range(type_.components)]
        return self.vector(type_, parts) if type_.is_vector else parts[0]

    def component(self, type: Type, value: str, index: int) -> str:  # noqa: A002, ARG002 - the protocol's signature
        """Return one component of a vector."""
        return f"{value}.{'xyzw'[index]}"

    def vector(self, type: Type, parts: Sequence[str]) -> str:  # noqa: A002 - the protocol's word
        """Return a vector."""
        return f"{TYPES[type]}({', '.join(parts)})"

    def begin_loop(self, index: str, count: str, max_count: int) -> str:
        """Return the head of a ``for``."""
        return f"for (var {index} = 0i; {index} < min({count}, {max_count}i); {index} = {index} + 1i) {{"

    def begin_function(self, name: str, parameters: Sequence[tuple[Type, str]], returns: Type) -> str:
        """Return the head of a ``fn``; what follows until it returns is written with its own shields."""
        self._opaque = self._shields.functions[name]
        listed = ", ".join(f"{text}: {TYPES[type_]}" for type_, text in parameters)
        return f"fn {name}({listed}) -> {TYPES[returns]} {{"

    def return_value(self, value: str) -> str:
        """Return a ``return``; what follows is another function or the kernel itself."""
        self._opaque = self._shields.kernel
        return f"return {value};"

    def end(self) -> str:
        """Return a closing brace."""
        return "}"


def _function_shields(function: Function, shielding: Shielding) -> frozenset[int]:
    return shielded_values(function.kernel.body, function.kernel.value_types, shielding)


def element_type(channels: int) -> str:
    """Return the WGSL type of a texel."""
    return TYPES[float_type(channels)]


if TYPE_CHECKING:
    _proof: type[Target] = WgslTarget
