"""Compiled shaders, found by structure: the same expression compiles once for each device while it is in use."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unshape_backend.errors import BackendError, CompilationError
from unshape_expr.emit import Line
from unshape_expr.kernel import Kernel
from unshape_gpu import native
from unshape_gpu.arithmetic import Arithmetic
from unshape_gpu.errors import first_sentence, is_device_loss, translated
from unshape_gpu.grid import GROUP_SIZE
from unshape_gpu.shader import Shader, write_shader

if TYPE_CHECKING:
    from unshape_gpu.device import GpuContext

_log = logging.getLogger("unshape_gpu")
_LINE = re.compile(r"wgsl:(\d+):(\d+)")


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A compiled shader.

    Parameters
    ----------
    pipeline : wgpu compute pipeline
        The code.
    layout : wgpu bind-group layout
        Of a parameter block, arrays that are read and arrays that are written.
    params_bytes : int
        Length of the parameter block.
    label : str
        What it computes, for messages and traces.
    nbytes : int
        Bytes that the driver is estimated to keep for it.
    """

    pipeline: native.Pipeline
    layout: native.BindGroupLayout
    params_bytes: int
    label: str
    nbytes: int


def compile_program(
    context: GpuContext, lines: Sequence[Line], *, reads: int, writes: int, params_words: int, label: str
) -> Program:
    """Return a compiled shader.

    Parameters
    ----------
    context : GpuContext
        The device.
    lines : sequence of Line
        The text, each line with the instruction that it comes from.
    reads, writes : int
        Arrays that are read (bindings from 1) and written (the bindings behind them).
    params_words : int
        Length of the parameter block, binding 0.
    label : str
        What it computes.

    Raises
    ------
    CompilationError
        With our node and expression, not with a line number alone.
    """
    params_bytes = -(-params_words // 4) * 16
    backend = "gpu"
    started = time.perf_counter_ns()
    with context.lock:
        try:
            layout = context.cached(
                ("layout", reads, writes, params_bytes),
                lambda: native.storage_layout(context.device, reads=reads, writes=writes, params_bytes=params_bytes),
            )
            text = "\n".join(line.text for line in lines)
            pipeline = native.compile_pipeline(context.device, text=text, layout=layout, label=label)
        except Exception as error:
            if is_device_loss(error) or isinstance(error, BackendError):
                raise translated(error, backend=backend, doing=f"compile {label}") from error
            raise CompilationError(_explained(error, lines, label), backend=backend) from error
        context.compilations += 1
    _log.debug("compiled %s in %.1f ms", label, (time.perf_counter_ns() - started) / 1e6)
    nbytes = len(text) * context.bytes_per_character
    return Program(pipeline=pipeline, layout=layout, params_bytes=params_bytes, label=label, nbytes=nbytes)


def _explained(error: Exception, lines: Sequence[Line], label: str) -> str:
    """Return what a compiler says, with the instruction that its line comes from."""
    found = _LINE.search(str(error))
    where = ""
    if found is not None and 0 < int(found[1]) <= len(lines):
        line = lines[int(found[1]) - 1]
        where = f"; at {line.origin or line.text.strip()!r}"
    return f"kernel '{label}' on 'gpu' does not compile: {first_sentence(error)}{where}"


@dataclass(frozen=True, slots=True, eq=False)
class ExpressionProgram:
    """A compiled expression."""

    shader: Shader
    program: Program

    @property
    def nbytes(self) -> int:
        """Bytes that the driver is estimated to keep for it."""
        return self.program.nbytes


def expression_program(
    context: GpuContext,
    kernel: Kernel,
    aligned: frozenset[str],
    arithmetic: Arithmetic,
    *,
    label: str,
    group_size: int = GROUP_SIZE,
) -> ExpressionProgram:
    """Return the compiled form of an expression, from the device's cache if it is there.

    Parameters
    ----------
    context : GpuContext
        The device.
    kernel : Kernel
        The expression.
    aligned : frozenset of str
        Picture inputs of which exactly the output window is at hand.
    arithmetic : Arithmetic
        How float32 operations are written.
    label : str
        The node, for messages.
    group_size : int
        Work items of a workgroup.
    """

    def make() -> ExpressionProgram:
        shader = write_shader(kernel, aligned, arithmetic, group_size=group_size)
        program = compile_program(
            context,
            shader.lines,
            reads=shader.reads,
            writes=shader.writes,
            params_words=shader.layout.words,
            label=label,
        )
        return ExpressionProgram(shader, program)

    return context.program(("expression", kernel.key, aligned, arithmetic, group_size), make)
