"""Tasks of one node, made without a planner, for whoever measures or checks a single node on a single backend.

Nothing of a graph is used: a task, its inputs, a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unshape_backend.plan.bodies import body_of
from unshape_backend.plan.demand import POINT, picture_window, windows_read
from unshape_backend.plan.infer import LiveNode
from unshape_backend.plan.slot_values import KernelSlots, slot_sources
from unshape_backend.plan.work_estimate import estimate_work
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.spec import Region, ValueSpec, spec_of
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_expr.lower import lower
from unshape_expr.simplify import simplify


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A task with what it needs to run.

    Parameters
    ----------
    task : Task
        One node and the region to compute.
    inputs : tuple of Value
        Host values that cover ``task.region.inputs``.
    ctx : EvalContext
        The circumstances.
    """

    task: Task
    inputs: tuple[Value, ...]
    ctx: EvalContext


def make_job(node: Node, inputs: Sequence[Value], ctx: EvalContext, *, window: Window | None = None) -> Job:
    """Return the task of one node on given inputs.

    Parameters
    ----------
    node : Node
        What is run.
    inputs : sequence of Value
        Whole inputs, one for each port.
    ctx : EvalContext
        The circumstances.
    window : Window or None
        The part of the output to compute; a node that knows nothing of windows computes everything all the same.
    """
    input_specs = tuple(spec_of(value, port.value_type) for value, port in zip(inputs, node.inputs, strict=True))
    output_specs = tuple(node.infer(input_specs, ctx))
    whole = picture_window(output_specs) or POINT
    wanted = whole if window is None else window
    body = body_of(node, input_specs)
    each = LiveNode(
        id=0,
        node=node,
        inputs=node.inputs,
        sources=(None,) * len(node.inputs),
        input_specs=input_specs,
        output_specs=output_specs,
    )
    reads = windows_read(each, body, wanted, ctx)
    output = whole if reads is None else wanted
    windows = tuple(_held(spec, None if reads is None else reads[index]) for index, spec in enumerate(input_specs))
    expressions = () if body is None else simplify(body.outputs)
    kernel = None if body is None else lower(expressions).kernel
    slots = (
        _no_slots
        if body is None
        else KernelSlots(members=((node, input_specs, body),), sources=slot_sources(expressions, [body]))
    )
    region = Region(output, windows, input_specs, output_specs)
    task = Task(
        nodes=(node,),
        node_ids=(0,),
        input_specs=input_specs,
        output_specs=output_specs,
        region=region,
        kernel=kernel,
        input_names=tuple(port.name for port in node.inputs),
        precision=ctx.precision,
        workload=estimate_work(node, input_specs, output_specs, region, kernel),
        slot_values=slots,
    )
    at_hand = tuple(crop(value, window) for value, window in zip(inputs, windows, strict=True))
    return Job(task=task, inputs=at_hand, ctx=ctx.with_region(task.region))


def crop(value: Value, window: Window | None) -> Value:
    """Return the part of a whole picture that a window covers; None covers everything."""
    if window is None or not isinstance(value, np.ndarray):
        return value
    return value[window.y_px : window.bottom_px, window.x_px : window.right_px]


def _held(spec: ValueSpec, read: Window | None) -> Window | None:
    """Return what is at hand of an input: what is read, cut off at the picture's edge."""
    if spec.picture_px is None:
        return None
    whole = Window.whole(width_px=spec.picture_px[0], height_px=spec.picture_px[1])
    return whole if read is None else read.intersect(whole)


def _no_slots(_nodes: tuple[Node, ...]) -> tuple[bool | int | float, ...]:
    return ()
