"""Running nodes by their expression, with the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from unshape_backend.input_checks import as_kernel_input, make_input_checks
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_expr.context_uniforms import context_uniforms
from unshape_simd_cffi.errors import out_of_memory
from unshape_simd_cffi.program import Program

if TYPE_CHECKING:
    from unshape_simd_cffi.backend import SimdBackend

_End: TypeAlias = tuple[int, str, Window | None, ValueSpec]


def compile_expression(task: Task, program: Program, backend: SimdBackend) -> CompiledTask:
    """Return what runs the expression of a task.

    Parameters
    ----------
    task : Task
        The task; its outputs are pictures.
    program : Program
        Its expression made ready.
    backend : SimdBackend
        Says with which instructions, on how many threads, and where outputs lie.
    """
    check = make_input_checks(task, backend=backend.id)
    kernel = program.kernel
    used = {use.port for use in kernel.inputs}
    ends: list[_End] = [
        (index, name, window, spec)
        for index, (name, window, spec) in enumerate(
            zip(task.input_names, task.region.inputs, task.input_specs, strict=True)
        )
        if name in used
    ]
    window = task.region.output
    width_px, height_px = next(spec.picture_px for spec in task.output_specs if spec.picture_px is not None)
    shapes = [(window.height_px, window.width_px, type_.components) for type_ in kernel.output_types]
    is_fast = task.precision == "fast" and kernel.may_contract

    def run(nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        check(inputs)
        given = {name: as_kernel_input(inputs[index], held, spec) for index, name, held, spec in ends}
        try:
            outputs = [backend.buffers.empty(shape) for shape in shapes]
            if not window.is_empty:
                program.run(
                    task.slot_values(nodes),
                    given,
                    outputs,
                    window=window,
                    width_px=width_px,
                    height_px=height_px,
                    uniforms=context_uniforms(ctx) if kernel.uniforms else {},
                    isa=backend.isa,
                    is_fast=is_fast,
                    threads=backend.threads,
                    cancellation=ctx.cancellation,
                )
        except MemoryError as error:
            raise out_of_memory(error, task, backend.id) from error
        return tuple(outputs)

    return run
