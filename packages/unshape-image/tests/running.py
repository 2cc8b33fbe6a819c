"""Running one node by its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_backend.cpu.backend import CpuBackend
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_testing.tasks import make_job, run_job

Array = npt.NDArray[Any]
CTX = EvalContext(resolution=(16, 12))
BACKEND = CpuBackend()


def run(node: Node, *inputs: Value, ctx: EvalContext = CTX, window: Window | None = None) -> tuple[Array, ...]:
    """Return the outputs of a node for whole inputs, or a window of them."""
    outputs = run_job(BACKEND, make_job(node, inputs, ctx, window=window))
    return tuple(np.asarray(output) for output in outputs)


def run_one(node: Node, *inputs: Value, ctx: EvalContext = CTX, window: Window | None = None) -> Array:
    """Return the first output."""
    return run(node, *inputs, ctx=ctx, window=window)[0]


def f32(values: object) -> Array:
    """Return float32."""
    return np.asarray(values, np.float32)


def part_of(whole: Array, window: Window) -> Array:
    """Return the part of a whole output that a window covers."""
    rows, columns = window.slices_in(Window.whole(width_px=whole.shape[1], height_px=whole.shape[0]))
    return whole[rows, columns]
