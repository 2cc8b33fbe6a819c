"""Box blur in C."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_core.context import EvalContext
from unshape_core.value import Value
from unshape_image.kernels.simd.filters import Backend, held, is_empty, padded
from unshape_image.nodes.box_blur import BoxBlur


def box_blur(node: BoxBlur, inputs: Sequence[Value], ctx: EvalContext, backend: Backend) -> Sequence[Value]:
    """Blur a window."""
    source, radius = held(inputs, ctx, type_name=node.type_name), node.radius_px
    if is_empty(source, ctx):
        return node.execute(inputs, ctx)
    columns, rows = padded(source, ctx, reach_px=(radius, radius), border=node.border)
    return (backend.filters.box(source.pixels, radius, columns=columns, rows=rows, ctx=ctx),)
