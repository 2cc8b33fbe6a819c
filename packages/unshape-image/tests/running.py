"""Running one node by its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_core.context import EvalContext
from unshape_core.protocols import Node, SupportsExecute
from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_core.window import Window
from unshape_expr.context_uniforms import context_uniforms
from unshape_expr.interpret import Interpreter
from unshape_expr.interpret.run import InputValue
from unshape_expr.picture_input import PictureInput
from unshape_testing.tasks import Job, make_job

Array = npt.NDArray[Any]
CTX = EvalContext(resolution=(16, 12))


def run(node: Node, *inputs: Value, ctx: EvalContext = CTX, window: Window | None = None) -> tuple[Array, ...]:
    """Return the outputs of a node for whole inputs, or a window of them."""
    job = make_job(node, inputs, ctx, window=window)
    if isinstance(node, SupportsExecute):
        return tuple(np.asarray(value) for value in node.execute(job.inputs, job.ctx))
    return _run_body(job)


def run_one(node: Node, *inputs: Value, ctx: EvalContext = CTX, window: Window | None = None) -> Array:
    """Return the first output."""
    return run(node, *inputs, ctx=ctx, window=window)[0]


def _run_body(job: Job) -> tuple[Array, ...]:
    task = job.task
    assert task.kernel is not None
    inputs: dict[str, InputValue] = {}
    for name, value, window, spec in zip(
        task.input_names, job.inputs, task.region.inputs, task.input_specs, strict=True
    ):
        if isinstance(value, np.ndarray):
            assert window is not None
            assert spec.picture_px is not None
            inputs[name] = PictureInput(value, window, *spec.picture_px)
        else:
            assert isinstance(value, bool | int | float | Vec2 | Vec3 | Vec4)
            inputs[name] = value
    size = task.output_specs[0].picture_px
    assert size is not None
    return Interpreter().run(
        task.kernel,
        task.slot_values(task.nodes),
        inputs,
        window=task.region.output,
        width_px=size[0],
        height_px=size[1],
        uniforms=context_uniforms(job.ctx),
    )


def f32(values: object) -> Array:
    """Return float32."""
    return np.asarray(values, np.float32)


def specs_window(whole: Array, window: Window) -> Array:
    """Return the part of a whole output that a window covers."""
    rows, columns = window.slices_in(Window.whole(width_px=whole.shape[1], height_px=whole.shape[0]))
    return whole[rows, columns]
