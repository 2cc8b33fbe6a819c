"""Source code of an expression's kernel: prelude, pictures, functions, and the loop over the pixels.

On a CPU device each work-item runs through many runs of eight pixels, so that a launch has few work-items and compilers
see plain loops over explicit vectors. On a GPU each work-item computes one run of one or four pixels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import cast

from unshape_expr.emit import Line, emit, emit_function
from unshape_expr.functions import Function
from unshape_expr.kernel import Kernel
from unshape_opencl.layout import HEAD, Layout
from unshape_opencl.tables import TabledFunction, Tables
from unshape_opencl.target import OpenClTarget

ENTRY = "us_main"
SEGMENT_PX = 4096
"""Pixels of a row that one unit of work covers on a CPU device."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How pixels are shared out.

    Parameters
    ----------
    lanes : int
        Neighbouring pixels that one value holds: 1, 4 or 8.
    is_looped : bool
        Whether a work-item runs through many pixels.
    is_aligned : bool
        Whether every run of pixels begins at a multiple of 16 bytes.
    is_small : bool
        Whether no picture has 2**31 elements.
    is_fast : bool
        Whether multiplications and additions may be contracted.
    is_by_value : bool
        Whether parameters are passed by value.
    has_tables : bool
        Whether bits are looked up in local memory where that saves instructions; see ``tables.py``.
    """

    lanes: int
    is_looped: bool
    is_aligned: bool = False
    is_small: bool = True
    is_fast: bool = False
    is_by_value: bool = True
    has_tables: bool = False


@dataclass(frozen=True, slots=True)
class Source:
    """A program's text.

    Parameters
    ----------
    text : str
        OpenCL C.
    origins : tuple of (int, str)
        From which line on the text comes from which part of the expression.
    """

    text: str
    origins: tuple[tuple[int, str], ...] = ()

    def origin(self, line: int) -> str:
        """Return which part of the expression a line comes from; empty for the frame around it."""
        found = ""
        for first, text in self.origins:
            if first > line:
                break
            found = text
        return found


@cache
def library(name: str) -> str:
    """Return a file of the folder ``cl``."""
    return files("unshape_opencl").joinpath("cl", name).read_text(encoding="utf-8")


def make_source(kernel: Kernel, layout: Layout, shape: Shape) -> Source:
    """Return the program that computes an expression.

    Parameters
    ----------
    kernel : Kernel
        The expression.
    layout : Layout
        Of its parameters.
    shape : Shape
        How pixels are shared out.
    """
    words = [_word(number) for number in range(layout.size)]
    tables = Tables()
    functions: Sequence[TabledFunction | Function] = kernel.functions
    if shape.has_tables:
        functions = [tables.rewritten(function) for function in kernel.functions]
    target = OpenClTarget(
        slots=words[layout.slot_start :],
        uniforms={name: words[position] for name, _, position in layout.uniforms},
        inputs={port: words[position : position + type_.components] for port, type_, position in layout.scalars},
        pictures={port: number for number, port in enumerate(layout.pictures)},
        lookups=tables.lookups,
    )
    emitted = emit(replace(kernel, functions=()), target)
    called = _Calls(functions if tables.words else ())
    writer = _Writer()
    for text in _head(kernel, layout, shape, tables):
        writer.frame(text)
    for function in functions:
        writer.emitted(called.with_table(emit_function(cast("Function", function), target)))
    writer.frame(_opening(kernel, layout, shape, tables))
    writer.emitted(called.with_table(emitted.statements))
    for number, (type_, parts) in enumerate(zip(kernel.output_types, emitted.outputs, strict=True)):
        texel = f"us_make{type_.components}({', '.join(parts)})" if type_.is_vector else parts[0]
        writer.frame(f"us_output{type_.components}(us_out{number}, us_pixel, {texel}, us_count);")
    writer.frame("}\n}\n}" if shape.is_looped else "}")
    return writer.source()


def _head(kernel: Kernel, layout: Layout, shape: Shape, tables: Tables) -> list[str]:
    lines = [f"#define US_LANES {shape.lanes}"]
    switches = {
        "US_LOOPED": shape.is_looped,
        "US_FAST": shape.is_fast,
        "US_SMALL": shape.is_small,
        "US_ALIGNED": shape.is_aligned,
    }
    lines += [f"#define {name} 1" for name, is_on in switches.items() if is_on]
    lines += [library("prelude.cl"), library("pictures.cl")]
    channels = {type_.components for type_ in kernel.output_types}
    channels |= {use.type.components for use in kernel.inputs if use.is_pixel or use.is_sampled}
    for count in sorted(channels):
        lines += [f"#define US_CH {count}", library("texels.cl"), "#undef US_CH"]
    if shape.is_by_value:
        lines.append(f"typedef struct {{ uint w[{layout.size}]; }} us_parameters;\n#define US_W(k) us_p.w[k]")
    else:
        lines.append("#define US_W(k) us_p[k]")
    if tables.words:
        entries = ", ".join(f"0x{entry:08x}u" for entry in tables.words)
        lines.append(f"__constant uint us_entries[{len(tables.words)}] = {{{entries}}};")
    return lines


def _opening(kernel: Kernel, layout: Layout, shape: Shape, tables: Tables) -> str:
    parameters = ["const us_parameters us_p" if shape.is_by_value else "__global const uint *restrict us_p"]
    parameters += [f"__global float *restrict us_out{k}" for k in range(len(kernel.outputs))]
    parameters += [f"__global const float *restrict us_in{k}" for k in range(len(layout.pictures))]
    lines = [f"__kernel void {ENTRY}({', '.join(parameters)}) {{"]
    if tables.words:
        count = len(tables.words)
        lines += [
            f"__local uint us_table[{count}];",
            f"for (uint k = get_local_id(0); k < {count}; k += get_local_size(0)) us_table[k] = us_entries[k];",
            "barrier(CLK_LOCAL_MEM_FENCE);",
        ]
    lines += [f"const int us_{name} = as_int({_word(k)});" for k, name in enumerate(HEAD)]
    for number in range(len(layout.pictures)):
        start = layout.picture_word(number)
        words = ", ".join(f"as_int({_word(start + k)})" for k in range(6))
        lines.append(f"const us_picture us_info{number} = {{{words}}};")
    lines += _LOOP if shape.is_looped else _ITEM
    lines += [
        "const int us_left = us_begin + us_column, us_row = us_top + us_line;",
        "const I32 us_x = US_I(us_left) + US_RAMP;",
        "const I32 us_y = US_I(us_row);",
        "const us_offset us_pixel = (us_offset)us_line * us_across + us_column;",
    ]
    return "\n".join(lines)


_LOOP = (
    "const int us_first = (int)get_global_id(0) * us_share;",
    "const int us_last = min(us_first + us_share, us_units);",
    "for (int us_unit = us_first; us_unit < us_last; ++us_unit) {",
    "const int us_line = us_unit / us_segments;",
    f"const int us_from = (us_unit - us_line * us_segments) * {SEGMENT_PX};",
    f"const int us_to = min(us_from + {SEGMENT_PX}, us_across);",
    "for (int us_column = us_from; us_column < us_to; us_column += US_LANES) {",
    "const int us_count = us_to - us_column;",
)
"""Each work-item computes `share` units; a unit is a segment of a row."""

_ITEM = (
    "const uint us_item = (uint)get_global_id(0);",
    "const int us_line = (int)(us_item / (uint)us_segments);",
    "const int us_column = (int)(us_item - (uint)us_line * (uint)us_segments) * US_LANES;",
    "if (us_line >= us_down) return;",
    "const int us_count = us_across - us_column;",
)
"""Each work-item computes one run of pixels; a row has `segments` of them. There are fewer than 2**32."""


def _word(number: int) -> str:
    return f"US_W({number})"


class _Calls:
    """Gives the table to the functions that are called.

    Parameters
    ----------
    functions : sequence of Function
        Those that take it. Where they are defined a space stands before the bracket.
    """

    def __init__(self, functions: Sequence[TabledFunction | Function]) -> None:
        names = "|".join(re.escape(f"us_{function.qualified_name}") for function in functions)
        self._pattern = re.compile(rf"\b(?:{names})\(") if names else None

    def with_table(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Return lines whose calls hand the table on."""
        pattern = self._pattern
        if pattern is None:
            return lines
        return [Line(pattern.sub(lambda found: f"{found[0]}us_table, ", line.text), line.origin) for line in lines]


class _Writer:
    """Joins lines and remembers where they come from."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._origins: list[tuple[int, str]] = []

    def frame(self, text: str) -> None:
        """Add lines that belong to no part of the expression."""
        self._add(text, "")

    def emitted(self, lines: Sequence[Line]) -> None:
        """Add emitted lines."""
        for line in lines:
            self._add(line.text, line.origin)

    def source(self) -> Source:
        """Return what was written."""
        return Source("\n".join(self._lines) + "\n", tuple(self._origins))

    def _add(self, text: str, origin: str) -> None:
        if not self._origins or self._origins[-1][1] != origin:
            self._origins.append((len(self._lines) + 1, origin))
        self._lines += text.split("\n")
