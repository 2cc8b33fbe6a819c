"""Whole compute shaders for expressions: bindings, the function of one pixel, and the entry point around it.

One work item computes one pixel, or four neighbours where pictures are read at the very pixel, so that memory is read
and written in 16 bytes. Bindings: 0 is the parameter block, then the picture inputs, then the outputs.
"""

from __future__ import annotations

from dataclasses import dataclass

from unshape_expr.emit import Line, emit
from unshape_expr.kernel import InputUse, Instruction, Kernel
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_gpu.arithmetic import Arithmetic
from unshape_gpu.grid import GROUP_SIZE
from unshape_gpu.parameters import OUTPUT_WORD, WIDTH_WORD, ParameterLayout, typed_word, word
from unshape_gpu.sources import prelude
from unshape_gpu.target import FUNCTION_PREFIX, WgslTarget, element_type

_POSITIONS = frozenset({Op.PIXEL_X, Op.PIXEL_Y})


@dataclass(frozen=True, slots=True)
class Shader:
    """A shader that computes an expression.

    Parameters
    ----------
    lines : tuple of Line
        Its text, each line with the instruction it comes from.
    layout : ParameterLayout
        Its parameter block.
    pixels_per_item : int
        How many neighbours one work item computes.
    reads, writes : int
        Number of array bindings that are read, and that are written behind them.
    """

    lines: tuple[Line, ...]
    layout: ParameterLayout
    pixels_per_item: int
    reads: int
    writes: int

    @property
    def text(self) -> str:
        """The shader as one text."""
        return "\n".join(line.text for line in self.lines)


def write_shader(
    kernel: Kernel, aligned: frozenset[str], arithmetic: Arithmetic, *, group_size: int = GROUP_SIZE
) -> Shader:
    """Return the shader of a kernel.

    Parameters
    ----------
    kernel : Kernel
        The expression; its outputs are float32 or vectors.
    aligned : frozenset of str
        Picture inputs of which exactly the output window is at hand.
    arithmetic : Arithmetic
        How float32 operations are written.
    group_size : int
        Work items of a workgroup.
    """
    layout = ParameterLayout.of(kernel)
    target = WgslTarget(kernel, layout, arithmetic)
    emitted = emit(kernel, target, prefix=FUNCTION_PREFIX)
    pixels = _pixels_per_item(kernel, layout, aligned)
    channels = [type_.components for type_ in kernel.output_types]
    numbered = list(enumerate(layout.pictures))
    bindings = [
        *(_binding(1 + k, f"input_{k}", _element(use.type.components, pixels), "read") for k, use in numbered),
        *(
            _binding(1 + len(numbered) + k, f"output_{k}", _element(count, pixels), "read_write")
            for k, count in enumerate(channels)
        ),
    ]
    texels = {reader.texel_name: reader.texel_text() for reader in target.readers.values()}
    readers = [reader.text() for reader in target.readers.values()]
    fields = ", ".join(f"value_{k}: {element_type(count)}" for k, count in enumerate(channels))
    pixel_inputs = [(k, use) for k, use in numbered if use.is_pixel]
    taken = [f"pixel_{k}: {element_type(use.type.components)}" for k, use in pixel_inputs]
    arguments = ", ".join(["x: i32", "y: i32", *taken])
    values = ", ".join(
        names[0] if len(names) == 1 else f"{element_type(len(names))}({', '.join(names)})" for names in emitted.outputs
    )
    needs_position = any(_reads_position(kernel.body)) or any(use.port not in aligned for _, use in pixel_inputs)
    main = _Main(layout, pixel_inputs, channels, aligned, pixels, needs_position, group_size)
    text = [
        prelude(arithmetic, params_words=layout.words),
        *bindings,
        *texels.values(),
        *readers,
    ]
    plain = [Line(part, "") for block in text for part in block.split("\n")]
    lines = [
        *plain,
        *emitted.functions,
        Line(f"struct Pixel {{ {fields} }}", ""),
        Line(f"fn pixel({arguments}) -> Pixel {{", ""),
        *emitted.statements,
        Line(f"    return Pixel({values});", "outputs"),
        Line("}", ""),
        *(Line(part, "") for part in main.text().split("\n")),
    ]
    return Shader(tuple(lines), layout, pixels, len(numbered), len(channels))


def _binding(number: int, name: str, element: str, access: str) -> str:
    return f"@group(0) @binding({number}) var<storage, {access}> {name}: array<{element}>;"


def _element(channels: int, pixels: int) -> str:
    """Return the element type of an array: 16 bytes where whole groups of pixels are read, else a texel or a float."""
    if pixels * channels % 4 == 0:
        return "vec4<f32>"
    return "vec2<f32>" if channels == 2 else "f32"


def _pixels_per_item(kernel: Kernel, layout: ParameterLayout, aligned: frozenset[str]) -> int:
    uses = layout.pictures
    if not any(use.is_pixel for use in uses):
        return 1  # nothing is gained: neighbours in a group write neighbouring floats
    if any(use.is_sampled or (use.is_pixel and use.port not in aligned) for use in uses):
        return 1
    channels = {use.type.components for use in uses if use.is_pixel} | {t.components for t in kernel.output_types}
    return 4 if channels & {1, 3} else 2 if 2 in channels else 1


def _reads_position(body: tuple[Instruction, ...]) -> list[bool]:
    return [step.op in _POSITIONS or (step.loop is not None and any(_reads_position(step.loop.body))) for step in body]


@dataclass(frozen=True, slots=True)
class _Main:
    """The entry point: from the number of a work item to pixels, and from memory to memory."""

    layout: ParameterLayout
    pixel_inputs: list[tuple[int, InputUse]]
    channels: list[int]
    aligned: frozenset[str]
    pixels: int
    needs_position: bool
    group_size: int

    def text(self) -> str:
        lines = [
            f"@compute @workgroup_size({self.group_size})",
            "fn main(",
            "    @builtin(workgroup_id) group: vec3<u32>,",
            "    @builtin(num_workgroups) groups: vec3<u32>,",
            "    @builtin(local_invocation_index) lane: u32,",
            ") {",
            f"    let item = k_item(group, groups, lane, {self.group_size}u);",
            f"    if (item >= {word(1)}) {{",
            "        return;",
            "    }",
            *self._body(),
            "}",
        ]
        return "\n".join(lines)

    def _body(self) -> list[str]:
        lines = self._positions()
        for k, use in self.pixel_inputs:
            lines += self._loads(k, use)
        for pixel in range(self.pixels):
            place = (f"x{pixel}", f"y{pixel}") if self.needs_position else ("0i", "0i")
            arguments = ", ".join([*place, *(f"a{k}_{pixel}" for k, _ in self.pixel_inputs)])
            lines.append(f"    let r{pixel} = pixel({arguments});")
        for k, channels in enumerate(self.channels):
            lines += self._stores(k, channels)
        return lines

    def _positions(self) -> list[str]:
        if not self.needs_position:
            return []
        width = word(WIDTH_WORD)
        left, top = typed_word(OUTPUT_WORD, Type.I32), typed_word(OUTPUT_WORD + 1, Type.I32)
        first = "item" if self.pixels == 1 else f"(item * {self.pixels}u)"
        lines = [
            f"    let row0 = {first} / {width};",
            f"    let column0 = {first} - row0 * {width};",
        ]
        for pixel in range(1, self.pixels):  # a division is dear: the neighbour is in the same row, or begins the next
            lines += [
                f"    let ends{pixel} = column{pixel - 1} + 1u == {width};",
                f"    let row{pixel} = row{pixel - 1} + u32(ends{pixel});",
                f"    let column{pixel} = select(column{pixel - 1} + 1u, 0u, ends{pixel});",
            ]
        for pixel in range(self.pixels):
            lines += [
                f"    let x{pixel} = {left} + i32(column{pixel});",
                f"    let y{pixel} = {top} + i32(row{pixel});",
            ]
        return lines

    def _loads(self, k: int, use: InputUse) -> list[str]:
        channels = use.type.components
        if use.port in self.aligned and self.pixels * channels % 4 == 0:
            count = self.pixels * channels // 4
            first = "item" if count == 1 else f"item * {count}u"
            lines = [f"    let l{k}_{q} = input_{k}[{first}{f' + {q}u' if q else ''}];" for q in range(count)]
            for pixel in range(self.pixels):
                parts = [f"l{k}_{n // 4}.{'xyzw'[n % 4]}" for n in range(pixel * channels, (pixel + 1) * channels)]
                whole = parts[0] if channels == 1 else f"{element_type(channels)}({', '.join(parts)})"
                lines.append(f"    let a{k}_{pixel} = {whole};")
            return lines
        index = "item"
        if use.port not in self.aligned:
            left, top, held = (typed_word(self.layout.picture_word(use.port) + n, Type.I32) for n in range(3))
            index = f"u32((y0 - {top}) * {held} + (x0 - {left}))"
        lines = [f"    let i{k} = {index};"]
        if channels == 3:
            floats = ", ".join(f"input_{k}[i{k} * 3u{f' + {n}u' if n else ''}]" for n in range(3))
            return [*lines, f"    let a{k}_0 = vec3<f32>({floats});"]
        return [*lines, f"    let a{k}_0 = input_{k}[i{k}];"]

    def _stores(self, k: int, channels: int) -> list[str]:
        if self.pixels * channels % 4 == 0:
            count = self.pixels * channels // 4
            first = "item" if count == 1 else f"item * {count}u"
            flat = [
                f"r{pixel}.value_{k}{f'.{c}' if channels > 1 else ''}"
                for pixel in range(self.pixels)
                for c in "xyzw"[:channels]
            ]
            return [
                f"    output_{k}[{first}{f' + {q}u' if q else ''}] = vec4<f32>({', '.join(flat[4 * q : 4 * q + 4])});"
                for q in range(count)
            ]
        if channels == 3:
            return [f"    output_{k}[item * 3u{f' + {n}u' if n else ''}] = r0.value_{k}.{'xyz'[n]};" for n in range(3)]
        return [f"    output_{k}[item] = r0.value_{k};"]
