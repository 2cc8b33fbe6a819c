"""Emitted code, compiled by gcc as a toy C, against an independent evaluation."""

from __future__ import annotations

import ctypes
import math
import shutil
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unshape_expr import build as e
from unshape_expr.emit import Emitted, Target, emit
from unshape_expr.function_table import FunctionTable
from unshape_expr.functions import Function, Parameter
from unshape_expr.inline import inline
from unshape_expr.ir import Expr
from unshape_expr.kernel import Instruction, Kernel, Lowering
from unshape_expr.lower import lower
from unshape_expr.ops import Op
from unshape_expr.simplify import simplify
from unshape_expr.types import Type
from unshape_testing.pixel_evaluator import Pixel

Outputs = tuple[Expr, ...]
BitsOf = Callable[[Outputs], list[list[tuple[str, ...]]]]

TYPES = {Type.F32: "float", Type.I32: "int32_t", Type.U32: "uint32_t", Type.BOOL: "bool"} | {
    t: t.value for t in (Type.VEC2, Type.VEC3, Type.VEC4)
}
MEMBERS = {Type.F32: "f", Type.I32: "i", Type.U32: "u", Type.BOOL: "u"}
PREAMBLE = """
#include <stdint.h>
#include <stdbool.h>
#include <string.h>
#include <math.h>
typedef struct { float c[2]; } vec2;
typedef struct { float c[3]; } vec3;
typedef struct { float c[4]; } vec4;
typedef union { float f; int32_t i; uint32_t u; } word;
static inline float f_min(float a, float b) { return a != a ? a : a < b ? a : b; }
static inline float f_max(float a, float b) { return a != a ? a : a > b ? a : b; }
static inline int32_t i_div(int32_t a, int32_t b) {
    if (b == 0) return 0;
    if (b == -1) return (int32_t)(0u - (uint32_t)a);
    int32_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int32_t i_mod(int32_t a, int32_t b) {
    if (b == 0 || b == -1) return 0;
    int32_t m = a % b;
    return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}
static inline int32_t f_to_i(float a) {
    return a != a ? 0 : a >= 2147483648.0f ? INT32_MAX : a <= -2147483648.0f ? INT32_MIN : (int32_t)a;
}
static inline uint32_t f_to_u(float a) {
    return a != a || a <= 0.0f ? 0 : a >= 4294967296.0f ? UINT32_MAX : (uint32_t)a;
}
static inline float u_to_f(uint32_t a) { float r; memcpy(&r, &a, 4); return r; }
static inline uint32_t f_to_bits(float a) { uint32_t r; memcpy(&r, &a, 4); return r; }
"""
SIMPLE = {
    Op.NOT: "!({0})",
    Op.AND: "({0} && {1})",
    Op.OR: "({0} || {1})",
    Op.BIT_AND: "({0} & {1})",
    Op.BIT_OR: "({0} | {1})",
    Op.BIT_XOR: "({0} ^ {1})",
    Op.BIT_NOT: "(~{0})",
    Op.EQ: "({0} == {1})",
    Op.NE: "({0} != {1})",
    Op.LT: "({0} < {1})",
    Op.LE: "({0} <= {1})",
    Op.SELECT: "({0} ? {1} : {2})",
    Op.TO_F32: "(float)({0})",
    Op.BITCAST_F32: "u_to_f({0})",
    Op.BITCAST_U32: "f_to_bits({0})",
}
FLOAT = {
    Op.ADD: "({0} + {1})",
    Op.SUB: "({0} - {1})",
    Op.MUL: "({0} * {1})",
    Op.DIV: "({0} / {1})",
    Op.MOD: "({0} - {1} * floorf({0} / {1}))",
    Op.NEG: "(-({0}))",
    Op.ABS: "fabsf({0})",
    Op.MIN: "f_min({0}, {1})",
    Op.MAX: "f_max({0}, {1})",
    Op.FLOOR: "floorf({0})",
    Op.CEIL: "ceilf({0})",
    Op.TRUNC: "truncf({0})",
    Op.ROUND: "rintf({0})",
    Op.SQRT: "sqrtf({0})",
    Op.TO_I32: "f_to_i({0})",
    Op.TO_U32: "f_to_u({0})",
}
UNSIGNED = {
    Op.ADD: "({0} + {1})",
    Op.SUB: "({0} - {1})",
    Op.MUL: "({0} * {1})",
    Op.DIV: "({1} == 0 ? 0 : {0} / ({1} | ({1} == 0)))",
    Op.MOD: "({1} == 0 ? 0 : {0} % ({1} | ({1} == 0)))",
    Op.NEG: "(0u - {0})",
    Op.ABS: "({0})",
    Op.MIN: "({0} < {1} ? {0} : {1})",
    Op.MAX: "({0} > {1} ? {0} : {1})",
    Op.SHL: "({0} << ({1} & 31))",
    Op.SHR: "({0} >> ({1} & 31))",
    Op.TO_I32: "(int32_t)({0})",
    Op.TO_U32: "(uint32_t)({0})",
}
SIGNED = UNSIGNED | {
    Op.ADD: "(int32_t)((uint32_t){0} + (uint32_t){1})",
    Op.SUB: "(int32_t)((uint32_t){0} - (uint32_t){1})",
    Op.MUL: "(int32_t)((uint32_t){0} * (uint32_t){1})",
    Op.DIV: "i_div({0}, {1})",
    Op.MOD: "i_mod({0}, {1})",
    Op.NEG: "(int32_t)(0u - (uint32_t){0})",
    Op.ABS: "({0} < 0 ? (int32_t)(0u - (uint32_t){0}) : {0})",
    Op.SHL: "(int32_t)((uint32_t){0} << ({1} & 31))",
}
TABLES = {Type.F32: FLOAT, Type.U32: UNSIGNED, Type.I32: SIGNED, Type.BOOL: UNSIGNED}


class C:
    """C with structures for vectors; values from outside come as ``in_NAME``."""

    def __init__(self, wrong: dict[Op, str] | None = None) -> None:
        self._wrong = wrong or {}

    def declare(self, type: Type, name: str, value: str) -> str:  # noqa: A002
        return f"const {TYPES[type]} {name} = {value};"

    def variable(self, type: Type, name: str, value: str) -> str:  # noqa: A002
        return f"{TYPES[type]} {name} = {value};"

    def assign(self, name: str, value: str) -> str:
        return f"{name} = {value};"

    def literal(self, value: bool | int | float, type: Type) -> str:  # noqa: A002
        if type is Type.F32:
            return f"u_to_f({struct.unpack('<I', struct.pack('<f', value))[0]}u)"
        return f"(({TYPES[type]})({int(value)}))" if value != -(2**31) else "INT32_MIN"

    def slot(self, number: int, type: Type) -> str:  # noqa: A002
        return f"slots[{number}].{MEMBERS[type]}"

    def operation(self, op: Op, type: Type, operand: Type, args: Sequence[str]) -> str:  # noqa: A002
        text = self._wrong.get(op) or SIMPLE.get(op) or TABLES[operand][op]
        return text.format(*args)

    def read(self, step: Instruction, args: Sequence[str]) -> str:
        return f"in_{step.attr if isinstance(step.attr, str) else step.op.value}"

    def component(self, type: Type, value: str, index: int) -> str:  # noqa: A002
        return f"{value}.c[{index}]"

    def vector(self, type: Type, parts: Sequence[str]) -> str:  # noqa: A002
        return f"({TYPES[type]}){{{{{', '.join(parts)}}}}}"

    def begin_loop(self, index: str, count: str, max_count: int) -> str:
        return f"for (int32_t {index} = 0; {index} < ({count}) && {index} < {max_count}; ++{index}) {{"

    def begin_function(self, name: str, parameters: Sequence[tuple[Type, str]], returns: Type) -> str:
        listed = ", ".join(f"{TYPES[t]} {text}" for t, text in parameters)
        return f"static {TYPES[returns]} {name}({listed or 'void'}) {{"

    def return_value(self, value: str) -> str:
        return f"return {value};"

    def end(self) -> str:
        return "}"


def given(kernel: Kernel, pixel: Pixel) -> dict[str, tuple[Type, Sequence[Any]]]:
    """Return type and components of everything that a kernel may read, by the name that the target uses."""
    position = {"pixel_x": pixel.x, "pixel_y": pixel.y, "width": pixel.width, "height": pixel.height}
    found: dict[str, tuple[Type, Sequence[Any]]] = {name: (Type.I32, [v]) for name, v in position.items()}
    for name, type_ in [*((u.port, u.type) for u in kernel.inputs), *kernel.uniforms]:
        found[name] = (type_, pixel.values[name])
    return found


def program(emitted: Emitted, kernel: Kernel, name: str, pixel: Pixel) -> str:
    """Return a C function from slots and inputs to outputs, all words; the pixel tells which inputs there are."""
    lines = [emitted.function_text, f"void {name}(const word *slots, const word *in, word *out) {{"]
    target, number = C(), 0
    for input_name, (type_, values) in given(kernel, pixel).items():
        parts = [f"in[{number + k}].{MEMBERS[type_.scalar]}" for k in range(len(values))]
        number += len(parts)
        value = target.vector(type_, parts) if type_.is_vector else parts[0]
        lines.append(f"    const {TYPES[type_]} in_{input_name} = {value};")
    lines.append(emitted.statement_text)
    outputs = zip(kernel.output_types, emitted.outputs, strict=True)
    texts = [(type_.scalar, part) for type_, parts in outputs for part in parts]
    lines += [f"    out[{k}].{MEMBERS[type_]} = {text};" for k, (type_, text) in enumerate(texts)]
    return "\n".join([*lines, "}"])


def compile_c(folder: Path, source: str) -> ctypes.CDLL:
    gcc = shutil.which("gcc")
    assert gcc is not None, "gcc is required; install it with: apt-get install gcc"
    (folder / "kernel.c").write_text(source)
    flags = ["-O0", "-std=c11", "-ffp-contract=off", "-fno-math-errno", "-shared", "-fPIC", "-w"]
    done = subprocess.run(
        [gcc, *flags, "kernel.c", "-o", "kernel.so", "-lm"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[:3000]
    return ctypes.CDLL(str(folder / "kernel.so"))


def words(values: Sequence[tuple[Type, Any]]) -> bytes:
    codes = {Type.F32: "<f", Type.I32: "<i", Type.U32: "<I", Type.BOOL: "<I"}
    return b"".join(struct.pack(codes[t.scalar], v) for t, v in values)


def read_back(kernel: Kernel, raw: bytes) -> list[tuple[str, ...]]:
    """Return the outputs in the form of the fixture ``bits``."""
    found: list[tuple[str, ...]] = []
    position = 0
    for number in kernel.outputs:
        type_ = kernel.value_types[number]
        parts: list[str] = []
        for _ in range(type_.components):
            word = raw[position : position + 4]
            position += 4
            match type_.scalar:
                case Type.F32:
                    is_nan = math.isnan(struct.unpack("<f", word)[0])
                    parts.append("nan" if is_nan else word.hex())
                case Type.I32:
                    parts.append(repr(struct.unpack("<i", word)[0]))
                case Type.U32:
                    parts.append(repr(struct.unpack("<I", word)[0]))
                case _:
                    parts.append(repr(bool(struct.unpack("<I", word)[0])))
        found.append(tuple(parts))
    return found


class CompiledBits:
    """Values of expressions at the pixels by compiled C, in the form of the fixture ``bits``."""

    def __init__(self, folder: Path, pixels: Sequence[Pixel]) -> None:
        self._folder = folder
        self._pixels = pixels

    def __call__(self, lowerings: Sequence[Lowering], target: Target) -> list[list[list[tuple[str, ...]]]]:
        source = [PREAMBLE]
        for k, lowering in enumerate(lowerings):
            emitted = emit(lowering.kernel, target, prefix=f"us{k}_")
            source.append(program(emitted, lowering.kernel, f"kernel_{k}", self._pixels[0]))
        library = compile_c(self._folder, "\n".join(source))
        return [
            [self._run(getattr(library, f"kernel_{k}"), lowering, pixel) for pixel in self._pixels]
            for k, lowering in enumerate(lowerings)
        ]

    @staticmethod
    def _run(function: Callable[..., Any], lowering: Lowering, pixel: Pixel) -> list[tuple[str, ...]]:
        kernel = lowering.kernel
        out = ctypes.create_string_buffer(4 * sum(t.components for t in kernel.output_types) + 4)
        slots = words(list(zip(kernel.slots, lowering.slot_values, strict=True)))
        inputs = words([(type_, v) for type_, values in given(kernel, pixel).values() for v in values])
        function(ctypes.c_char_p(slots), ctypes.c_char_p(inputs), out)
        return read_back(kernel, out.raw)


@pytest.fixture
def compiled(tmp_path: Path, pixels: tuple[Pixel, ...]) -> CompiledBits:
    return CompiledBits(tmp_path, pixels)


def test_emitted_c_has_the_bits_of_an_independent_evaluation(
    compiled: CompiledBits, bits: BitsOf, random_parts: Callable[[int], list[Outputs]]
) -> None:
    cases = random_parts(16)
    lowerings = [lower(simplify(outputs)) for outputs in cases]
    used = {step.op for one in lowerings for step in one.kernel.body}
    assert len(used) > 40
    assert [bits(outputs) for outputs in cases] == compiled(lowerings, C())


def test_inlined_kernels_have_the_same_bits_and_no_calls(
    compiled: CompiledBits, bits: BitsOf, random_parts: Callable[[int], list[Outputs]]
) -> None:
    cases = random_parts(8)
    lowerings = [Lowering(inline((low := lower(simplify(o))).kernel), low.slot_values) for o in cases]
    assert [()] * len(cases) == [one.kernel.functions for one in lowerings]
    assert [bits(outputs) for outputs in cases] == compiled(lowerings, C())


@pytest.mark.parametrize(("op", "text"), [(Op.FLOOR, "truncf({0})"), (Op.LT, "({0} <= {1})"), (Op.SELECT, "{1}")])
def test_a_wrong_target_is_found(
    op: Op, text: str, compiled: CompiledBits, bits: BitsOf, random_parts: Callable[[int], list[Outputs]]
) -> None:
    cases = random_parts(10)
    lowerings = [lower(simplify(outputs)) for outputs in cases]
    assert [bits(outputs) for outputs in cases] != compiled(lowerings, C({op: text}))


def swap_loop() -> Outputs:
    k = e.input_scalar("k", Type.F32)
    start = [e.literal(1.0), e.literal(2.0), e.vec2(k, 3.0)]
    return e.loop(5, start, lambda i, a, b, v: (b, a, v.yx + e.to_f32(i)), max_count=9)


def nested_loops() -> Outputs:
    def outer(i: Expr, s: Expr) -> Expr:
        (t,) = e.loop(i, [s], lambda j, t: t * 1.5 + e.to_f32(j), max_count=3)
        return t + s

    return e.loop(e.input_scalar("n", Type.I32), [e.u()], outer, max_count=6)


def test_carried_values_change_at_once_and_loops_nest(compiled: CompiledBits, bits: BitsOf) -> None:
    cases = [swap_loop(), nested_loops()]
    assert [bits(outputs) for outputs in cases] == compiled([lower(outputs) for outputs in cases], C())


def test_functions_that_return_vectors_take_and_give_components(compiled: CompiledBits, bits: BitsOf) -> None:
    turn = Function("turn", (Parameter("p", Type.VEC2), Parameter("s", Type.F32)), Type.VEC2, lambda p, s: p.yx * s)
    outputs = (turn(turn(e.uv(), 2.0), 0.5), turn(e.uv(), 3.0).x)
    assert [bits(outputs)] == compiled([lower(outputs)], C())


def test_contraction_is_not_hidden_in_an_emitted_product(compiled: CompiledBits, number: Callable[[Expr], Any]) -> None:
    a, c = e.literal(1.000244140625), e.literal(1.00048828125)
    expr = a * a - c
    assert number(expr) == 0.0
    assert compiled([lower([expr])], C())[0][0][0] == ("00000000",)


def test_every_line_knows_the_instruction_it_comes_from() -> None:
    emitted = emit(lower([e.smoothstep(0.0, 1.0, e.u()) * 2.0]).kernel, C())
    assert all(
        line.origin.startswith(("kernel: %", "function '")) for line in (*emitted.statements, *emitted.functions)
    )
    assert any("mul" in line.origin and "*" in line.text for line in emitted.statements)


def test_equal_functions_are_emitted_once_and_before_their_callers(table: FunctionTable) -> None:
    saturate, smoothstep = (table.find_qualified(f"{n}_f32") for n in ("saturate", "smoothstep"))
    assert saturate is not None
    assert smoothstep is not None
    emitted = emit(lower([smoothstep(0.0, 1.0, saturate(e.u())) + smoothstep(0.0, 2.0, e.v())]).kernel, C())
    text = emitted.function_text
    assert text.count("us_saturate_f32(float") == text.count("us_smoothstep_f32(float") == 1
    assert text.index("us_saturate_f32(float") < text.index("us_smoothstep_f32(float")


def test_the_evaluation_that_is_compared_with_rounds_to_float32(number: Callable[[Expr], Any]) -> None:
    assert np.float32(0.1) * np.float32(0.7) == number(e.literal(0.1) * 0.7)
