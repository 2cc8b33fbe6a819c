"""Tasks made ready: inputs are checked, a kernel is recorded, outputs are handed out before they are there."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, cast

from unshape_backend.input_checks import CheckInputs, Memory, make_input_checks, shape_at_hand
from unshape_backend.protocols import CompiledTask
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_expr.context_uniforms import context_uniforms
from unshape_expr.kernel import Kernel
from unshape_gpu.arithmetic import FAST
from unshape_gpu.buffer import GpuBuffer
from unshape_gpu.grid import grid_of, group_size
from unshape_gpu.kernel import GpuKernel, KernelCall
from unshape_gpu.parameters import flat_values, head_of, packed
from unshape_gpu.program import expression_program

if TYPE_CHECKING:
    from unshape_gpu.backend import GpuComputeBackend


class ExpressionTask:
    """Runs a task by its expression.

    Parameters
    ----------
    backend : GpuComputeBackend
        Where.
    task : Task
        What.
    kernel : Kernel
        Its expression.
    """

    def __init__(self, backend: GpuComputeBackend, task: Task, kernel: Kernel) -> None:
        self._backend = backend
        self._task = task
        self._check = _input_checks(backend, task)
        self._label = task.node.type_name
        context, output = backend.context, task.region.output
        index_of = {name: index for index, name in enumerate(task.input_names)}
        aligned = frozenset(
            use.port for use in kernel.inputs if not use.is_scalar and task.region.inputs[index_of[use.port]] == output
        )
        arithmetic = FAST if task.precision == "fast" and kernel.may_contract else context.exact
        size = group_size(backend.capabilities.limits)
        ready = expression_program(context, kernel, aligned, arithmetic, label=self._label, group_size=size)
        layout = ready.shader.layout
        self._program = ready.program
        self._packer = struct.Struct(layout.format)
        self._uniforms = tuple(name for name, _ in kernel.uniforms)
        self._pictures = [index_of[use.port] for use in layout.pictures]
        self._scalars = [index_of[use.port] for use in kernel.inputs if use.is_scalar]
        pixels = output.width_px * output.height_px
        items = -(-pixels // ready.shader.pixels_per_item)
        size_px = next((spec.picture_px for spec in task.output_specs if spec.picture_px is not None), (0, 0))
        self._head = head_of(
            items=items, output=output, size_px=size_px, pictures=[self._extent(index) for index in self._pictures]
        )
        self._groups = grid_of(-(-items // size), backend.capabilities.limits)
        self._shapes = [shape_at_hand(spec, output) or (0,) for spec in task.output_specs]
        self._is_empty = all(prod(shape) == 0 for shape in self._shapes)
        self._last: tuple[tuple[Node, ...], bytes] | None = None

    def _extent(self, index: int) -> tuple[Window, tuple[int, int]]:
        size_px = self._task.input_specs[index].picture_px or (0, 0)
        window = self._task.region.inputs[index]
        return window or Window.whole(width_px=size_px[0], height_px=size_px[1]), size_px

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Record the kernel and return its outputs."""
        backend = self._backend
        backend.check_usable("run")
        self._check(inputs)
        ctx.raise_if_cancelled()
        outputs = [backend.empty(shape) for shape in self._shapes]
        if self._is_empty:
            return tuple(outputs)
        pictures = [cast("GpuBuffer", inputs[index]) for index in self._pictures]  # checked
        params = self._params(nodes, inputs, ctx)
        backend.record(
            self._program,
            pictures + outputs,
            written=outputs,
            params=params,
            groups=self._groups,
            label=self._label,
        )
        return tuple(outputs)

    def _params(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext) -> bytes:
        last = self._last
        if last is not None and last[0] is nodes:
            return last[1]
        values: list[Value] = list(self._task.slot_values(nodes))
        if self._uniforms:
            given = context_uniforms(ctx)
            values += [given[name] for name in self._uniforms]
        values += [inputs[index] for index in self._scalars]
        params = self._head + packed(self._packer, flat_values(values))  # type: ignore[arg-type]  # checked numbers
        if not self._uniforms and not self._scalars:
            self._last = (nodes, params)  # nothing but parameters goes in, and nodes never change
        return params


class KernelTask:
    """Runs a task of one node by a kernel that was registered for it.

    Parameters
    ----------
    backend : GpuComputeBackend
        Where.
    task : Task
        What.
    kernel : GpuKernel
        By what.
    """

    def __init__(self, backend: GpuComputeBackend, task: Task, kernel: GpuKernel) -> None:
        self._backend = backend
        self._task = task
        self.kernel = kernel
        self._check = _input_checks(backend, task)
        self._call = KernelCall(backend, label=task.node.type_name, precision=task.precision)
        self._last: tuple[EvalContext, EvalContext] | None = None

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Let the kernel record its work and return its outputs."""
        self._backend.check_usable("run")
        self._check(inputs)
        ctx.raise_if_cancelled()
        last = self._last
        if last is None or last[0] is not ctx:
            last = self._last = (ctx, replace(ctx, region=self._task.region))
        return self.kernel(nodes[-1], inputs, last[1], self._call)


def _input_checks(backend: GpuComputeBackend, task: Task) -> CheckInputs:
    memory = Memory(
        name=f"the memory of '{backend.id}'",
        array_type=GpuBuffer,
        is_own=lambda value: value.owner is backend,
        remedy="upload it first",
    )
    return make_input_checks(task, backend=backend.id, memory=memory)


if TYPE_CHECKING:
    _expression: type[CompiledTask] = ExpressionTask
    _kernel: type[CompiledTask] = KernelTask
