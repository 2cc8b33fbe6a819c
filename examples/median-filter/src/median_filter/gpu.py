"""The kernel for GPUs: called with the node, the inputs on the device, the context, and a call that runs shaders."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from median_filter.node import Median
from unshape_backend import KernelSpec
from unshape_core import EvalContext


def median(_node: Median, inputs: Sequence[Any], ctx: EvalContext, call: Any) -> tuple[Any, ...]:
    assert ctx.region is not None  # a backend always says what is computed from what
    output, held = ctx.region.output, ctx.region.inputs[0]
    assert held is not None  # the input is a picture
    channels = inputs[0].shape[2]
    result = call.empty((output.height_px, output.width_px, channels))
    words = (
        output.width_px,
        channels,
        held.width_px,
        held.height_px,
        output.x_px - held.x_px,
        output.y_px - held.y_px,
    )
    source = files("median_filter").joinpath("median.wgsl").read_text(encoding="utf-8")
    call.run(source, reads=inputs, writes=[result], words=words, items=result.size)
    return (result,)


KERNELS = (KernelSpec(node_type=Median.type_name, backend="gpu", function=median),)
