"""Running a node by a kernel that was registered for the family ``"simd"``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from unshape_backend.input_checks import make_input_checks
from unshape_backend.kernel import KernelSpec
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_simd_cffi.errors import out_of_memory

if TYPE_CHECKING:
    from unshape_simd_cffi.backend import SimdBackend


class SimdKernel(Protocol):
    """What ``KernelSpec.function`` is for the family ``"simd"``."""

    def __call__(
        self, node: Node, inputs: Sequence[Value], ctx: EvalContext, backend: SimdBackend, /
    ) -> Sequence[Value]:
        """Return the outputs in port order.

        ``inputs`` are host arrays and numbers of the types that the node's ports name, of any layout; they must stay
        as they are. ``ctx.region`` says which part is computed and what is at hand; ``ctx.precision`` whether
        contraction is allowed. ``backend.isa``, ``backend.threads`` and ``backend.buffers`` are those to use;
        ``backend.filters`` has filters of neighbourhoods ready. Calls C
        without holding the lock of Python's interpreter, and looks at ``ctx.cancellation.flag`` every 50 ms.
        """


def compile_kernel(task: Task, kernel: KernelSpec, backend: SimdBackend) -> CompiledTask:
    """Return what runs a task of one node by a kernel; the region is in the context."""
    check = make_input_checks(task, backend=backend.id)
    function: SimdKernel = kernel.function
    region = task.region

    def run(nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        check(inputs)
        try:
            return tuple(function(nodes[-1], inputs, replace(ctx, region=region), backend))
        except MemoryError as error:
            raise out_of_memory(error, task, backend.id) from error

    return run
