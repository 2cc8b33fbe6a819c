"""Convolution in C."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.value import Value
from unshape_image.kernels.simd.filters import Backend, held, is_empty, padded
from unshape_image.nodes.convolve import Convolve


def convolve(node: Convolve, inputs: Sequence[Value], ctx: EvalContext, backend: Backend) -> Sequence[Value]:
    """Weigh the neighbourhoods of a window."""
    source = held(inputs, ctx, type_name=node.type_name)
    if is_empty(source, ctx):
        return node.execute(inputs, ctx)
    columns, rows = padded(source, ctx, reach_px=node.reach_px, border=node.border)
    weights = np.array(node.weights, np.float32)
    return (backend.filters.dense(source.pixels, weights, columns=columns, rows=rows, ctx=ctx),)
