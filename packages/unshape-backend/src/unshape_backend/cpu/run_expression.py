"""Running nodes by their expression, with the NumPy interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from unshape_backend.cpu.out_of_memory import as_backend_error, make_room_check
from unshape_backend.input_checks import as_kernel_input, make_input_checks
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_expr.context_uniforms import context_uniforms
from unshape_expr.interpret import Interpreter
from unshape_expr.interpret.scalar_kernel import compile_scalar_kernel
from unshape_expr.kernel import Kernel

_End: TypeAlias = tuple[int, str, Window | None, ValueSpec]
"""An input that the kernel reads: its position, its name, what is at hand of it, its spec."""


def compile_expression(task: Task, kernel: Kernel, interpreter: Interpreter) -> CompiledTask:
    """Return what runs the expression of a task.

    Parameters
    ----------
    task : Task
        The task; its region says which pixels are computed from which.
    kernel : Kernel
        Its expression.
    interpreter : Interpreter
        Keeps what it prepares by the structure of the expression.
    """
    check, check_room = make_input_checks(task), make_room_check(task)
    used = {use.port for use in kernel.inputs}
    ends = [
        (index, name, window, spec)
        for index, (name, window, spec) in enumerate(
            zip(task.input_names, task.region.inputs, task.input_specs, strict=True)
        )
        if name in used
    ]
    size_px = next((spec.picture_px for spec in task.output_specs if spec.picture_px is not None), None)
    if size_px is None:
        return _compile_scalars(task, kernel, ends)
    width_px, height_px = size_px

    def run(nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        check(inputs)
        check_room()
        given = {name: as_kernel_input(inputs[index], window, spec) for index, name, window, spec in ends}
        try:
            return interpreter.run(
                kernel,
                task.slot_values(nodes),
                given,
                window=task.region.output,
                width_px=width_px,
                height_px=height_px,
                uniforms=context_uniforms(ctx) if kernel.uniforms else None,
                cancellation=ctx.cancellation,
            )
        except MemoryError as error:
            raise as_backend_error(error, task) from error

    return run


def _compile_scalars(task: Task, kernel: Kernel, ends: list[_End]) -> CompiledTask:
    compiled, check = compile_scalar_kernel(kernel), make_input_checks(task)

    def run(nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        check(inputs)
        given = {name: as_kernel_input(inputs[index], window, spec) for index, name, window, spec in ends}
        return compiled(task.slot_values(nodes), given, context_uniforms(ctx) if kernel.uniforms else {})

    return run
