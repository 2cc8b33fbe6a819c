"""Runs of scalar nodes: numbers in, numbers out, on the host, with as little around it as can be.

A cluster of scalar nodes is one compiled function over its inputs; literals are bound when the nodes are settled. What
the evaluator hands in are values of the ports' types already, so nothing is checked here again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.fork_safety import renew_in_children
from unshape_core.protocols import Node
from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_expr.context_uniforms import context_uniforms
from unshape_expr.interpret.scalar_kernel import ScalarKernel, compile_scalar_kernel
from unshape_expr.kernel import Kernel
from unshape_expr.ops import Op
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_core.program import BoundStep, StepRunner, SupportsBind, SupportsBindFunction

_KERNELS_KEPT = 512
_VECTORS: dict[Type, Callable[..., Vec2 | Vec3 | Vec4]] = {Type.VEC2: Vec2, Type.VEC3: Vec3, Type.VEC4: Vec4}

_Leaf: TypeAlias = tuple[int, str | None]
"""Where a number comes from: the input, and for a vector the component."""


class ScalarKernels:
    """Compiled scalar kernels by structure. Safe to use from several threads."""

    def __init__(self) -> None:
        self._kernels: OrderedDict[bytes, ScalarKernel] = OrderedDict()
        self._lock = threading.Lock()
        renew_in_children(self)

    def renew_after_fork(self) -> None:
        """Replace the lock, which a thread that is not here may have held."""
        self._lock = threading.Lock()

    def get(self, kernel: Kernel) -> ScalarKernel:
        """Return a kernel compiled, anew only if none of its structure is known."""
        with self._lock:
            found = self._kernels.get(kernel.key)
            if found is not None:
                self._kernels.move_to_end(kernel.key)
                return found
        compiled = compile_scalar_kernel(kernel)
        with self._lock:
            self._kernels[kernel.key] = compiled
            if len(self._kernels) > _KERNELS_KEPT:
                self._kernels.popitem(last=False)
        return compiled


class ScalarRunner:
    """Runs a task that computes scalars from scalars.

    Parameters
    ----------
    task : Task
        The task; its kernel computes all nodes of the cluster.
    kernels : ScalarKernels
        Compiled ones.
    """

    def __init__(self, task: Task, kernels: ScalarKernels) -> None:
        assert task.kernel is not None  # scalars are computed by expressions
        self._task = task
        self._compiled = kernels.get(task.kernel)
        positions = {name: index for index, name in enumerate(task.input_names)}
        types = {use.port: use.type for use in task.kernel.inputs}
        self._leaves: list[_Leaf] | None = []
        for op, name, component in self._compiled.code.leaves:
            if op is not Op.SCALAR_INPUT:
                self._leaves = None
                break
            self._leaves.append((positions[name], "xyzw"[component] if types[name] in _VECTORS else None))

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the outputs."""
        return self.bind(nodes)(inputs, ctx)

    def bind(self, nodes: tuple[Node, ...], /) -> BoundStep:
        """Return a function of inputs and context, with the literals of these nodes."""
        slots = self._task.slot_values(nodes)
        run, finish = self._compiled.code.run, self._finish()
        leaves = self._leaves
        if leaves is None:
            return self._general(slots)
        order = [index for index, _ in leaves]
        if any(component is not None for _, component in leaves):

            def with_vectors(inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
                given = [inputs[i] if part is None else getattr(inputs[i], part) for i, part in leaves]
                return finish(run(slots, given, None))

            return with_vectors
        if order == list(range(len(self._task.input_names))):

            def in_order(inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
                return finish(run(slots, inputs, None))

            return in_order

        def reordered(inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
            return finish(run(slots, [inputs[i] for i in order], None))

        return reordered

    def bind_function(self, nodes: tuple[Node, ...], /) -> Callable[..., Value] | None:
        """Return a function of the inputs, if there is one output that is a number and every input is one."""
        leaves = self._leaves
        numbers = range(len(self._task.input_names))
        if leaves != [(index, None) for index in numbers] or len(self._compiled.outputs) != 1:
            return None
        if self._compiled.outputs[0][0] in _VECTORS:
            return None
        run, slots = self._compiled.code.run, self._task.slot_values(nodes)
        return lambda *inputs: run(slots, inputs, None)[0]

    def _general(self, slots: tuple[bool | int | float, ...]) -> BoundStep:
        """Return the slower way, for kernels that read time, frame, seed or sizes."""
        compiled, names = self._compiled, self._task.input_names

        def run(inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
            given: dict[str, Any] = dict(zip(names, inputs, strict=True))
            return compiled(slots, given, context_uniforms(ctx))

        return run

    def _finish(self) -> Callable[[tuple[Any, ...]], tuple[Value, ...]]:
        """Return what makes the outputs of the lanes that the code computes."""
        outputs = self._compiled.outputs
        if all(type_ not in _VECTORS for type_, _ in outputs):
            lanes = [lane for _, (lane, *_) in outputs]
            if lanes == list(range(len(lanes))):
                return _as_they_are
            return lambda values: tuple([values[lane] for lane in lanes])
        return lambda values: tuple(
            [
                _VECTORS[type_](*[values[lane] for lane in lanes]) if type_ in _VECTORS else values[lanes[0]]
                for type_, lanes in outputs
            ]
        )


def _as_they_are(values: tuple[Any, ...]) -> tuple[Value, ...]:
    return values


if TYPE_CHECKING:
    _run: type[StepRunner] = ScalarRunner
    _bind: type[SupportsBind] = ScalarRunner
    _bind_function: type[SupportsBindFunction] = ScalarRunner
