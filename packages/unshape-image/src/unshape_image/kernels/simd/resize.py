"""Resizing in C."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_core.context import EvalContext
from unshape_core.value import Value
from unshape_image.kernels.simd.filters import Backend, held
from unshape_image.nodes.resize import Resize


def resize(node: Resize, inputs: Sequence[Value], ctx: EvalContext, backend: Backend) -> Sequence[Value]:
    """Resize to a window of the result."""
    source = held(inputs, ctx, type_name=node.type_name)
    if source.shape.is_empty or ctx.region is None or ctx.region.output.is_empty:
        return node.execute(inputs, ctx)
    output = ctx.region.output
    columns, rows = node.tables(source.shape, ctx)
    across, down = columns.part(output.x_px, output.right_px), rows.part(output.y_px, output.bottom_px)
    result = backend.filters.taps(
        source.pixels,
        columns=across.indices - source.window.x_px,
        column_weights=across.weights,
        rows=down.indices - source.window.y_px,
        row_weights=down.weights,
        ctx=ctx,
    )
    return (result,)
