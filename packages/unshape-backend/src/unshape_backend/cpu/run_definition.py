"""Running a node by its ``execute``."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_backend.cpu.out_of_memory import as_backend_error, make_room_check
from unshape_backend.errors import UnsupportedTaskError
from unshape_backend.identity import REFERENCE
from unshape_backend.input_checks import make_input_checks
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows
from unshape_core.value import Value


def compile_definition(task: Task) -> CompiledTask:
    """Return what runs the definition of a task of one node.

    A node that is told its window finds the region in the context; any other one gets the caller's context as it is.
    """
    check, check_room = make_input_checks(task), make_room_check(task)
    region = task.region if isinstance(task.node, SupportsInputWindows) else None

    def run(nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        check(inputs)
        check_room()
        node = nodes[-1]
        if not isinstance(node, SupportsExecute):
            msg = f"node '{node.type_name}' on 'cpu': expected a node with execute() like the one that was compiled"
            raise UnsupportedTaskError(msg, backend=REFERENCE, type_name=node.type_name)
        try:
            return node.execute(inputs, ctx if region is None else ctx.with_region(region))
        except MemoryError as error:
            raise as_backend_error(error, task) from error

    return run
