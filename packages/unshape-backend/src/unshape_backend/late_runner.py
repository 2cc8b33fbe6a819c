"""Runs of nodes whose sizes depend on data: made ready when their inputs are there, on the reference backend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from unshape_backend.identity import REFERENCE
from unshape_backend.plan.bodies import body_of
from unshape_backend.plan.demand import POINT, picture_window
from unshape_backend.plan.infer import locate
from unshape_backend.plan.slot_values import KernelSlots, slot_sources
from unshape_backend.plan.work_estimate import estimate_work
from unshape_backend.registry import BackendRegistry
from unshape_backend.residency import Residency
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.errors import UnshapeError
from unshape_core.memory_space import HOST
from unshape_core.protocols import Node
from unshape_core.spec import Region, spec_of
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_expr.lower import lower
from unshape_expr.simplify import simplify

if TYPE_CHECKING:
    from unshape_core.program import StepRunner


class LateRunner:
    """Runs one node as a whole, whatever the sizes of its inputs turn out to be.

    Parameters
    ----------
    task : Task
        What is known of the work.
    registry : BackendRegistry
        Has the reference backend.
    residency : Residency
        Brings inputs to the host.
    """

    def __init__(self, task: Task, registry: BackendRegistry, residency: Residency) -> None:
        self._task, self._registry, self._residency = task, registry, residency

    def __call__(self, nodes: tuple[Node, ...], inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the outputs."""
        here = [self._residency.bring(value, HOST) for value in inputs]
        try:
            task = self._made(nodes[-1], here, ctx)
            return self._registry.current().backend(REFERENCE).compile(task)(task.nodes, here, ctx)
        except UnshapeError as error:
            locate(error, node_id=self._task.node_ids[-1], type_name=nodes[-1].type_name)
            raise

    def _made(self, node: Node, inputs: Sequence[Value], ctx: EvalContext) -> Task:
        """Return the task for inputs that are there."""
        types = [spec.value_type for spec in self._task.input_specs]
        input_specs = tuple(spec_of(value, value_type) for value, value_type in zip(inputs, types, strict=True))
        output_specs = tuple(node.infer(input_specs, ctx))
        windows = tuple(_whole(spec.picture_px) for spec in input_specs)
        region = Region(picture_window(output_specs) or POINT, windows, input_specs, output_specs)
        body = body_of(node, input_specs)
        task = replace(self._task, nodes=(node,), input_specs=input_specs, output_specs=output_specs, region=region)
        if body is None:
            return task
        exprs = simplify(body.outputs)
        kernel = lower(exprs).kernel
        slots = KernelSlots(members=((node, input_specs, body),), sources=slot_sources(exprs, [body]))
        work = estimate_work(node, input_specs, output_specs, region, kernel)
        return replace(task, kernel=kernel, slot_values=slots, workload=work)


def _whole(size_px: tuple[int, int] | None) -> Window | None:
    return None if size_px is None else Window.whole(width_px=size_px[0], height_px=size_px[1])


if TYPE_CHECKING:
    _proof: type[StepRunner] = LateRunner
