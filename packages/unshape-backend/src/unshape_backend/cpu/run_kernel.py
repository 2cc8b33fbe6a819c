"""Running a node by a kernel that was registered for the family ``"cpu"``."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_backend.cpu.out_of_memory import as_backend_error, make_room_check
from unshape_backend.input_checks import make_input_checks
from unshape_backend.kernel import KernelSpec
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value


def compile_kernel(task: Task, kernel: KernelSpec) -> CompiledTask:
    """Return what runs a task of one node by a kernel; the region is in the context."""
    check, check_room = make_input_checks(task), make_room_check(task)
    function, region = kernel.function, task.region

    def run(nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        check(inputs)
        check_room()
        try:
            return tuple(function(nodes[-1], inputs, ctx.with_region(region)))
        except MemoryError as error:
            raise as_backend_error(error, task) from error

    return run
