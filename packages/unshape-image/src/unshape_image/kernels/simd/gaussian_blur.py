"""Gaussian blur in C."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_core.context import EvalContext
from unshape_core.value import Value
from unshape_image.gaussian_weights import gaussian_weights
from unshape_image.kernels.simd.filters import Backend, held, is_empty, padded
from unshape_image.nodes.gaussian_blur import GaussianBlur


def gaussian_blur(node: GaussianBlur, inputs: Sequence[Value], ctx: EvalContext, backend: Backend) -> Sequence[Value]:
    """Blur a window."""
    source = held(inputs, ctx, type_name=node.type_name)
    if is_empty(source, ctx):
        return node.execute(inputs, ctx)
    weights = gaussian_weights(node.sigma_px)
    reach = len(weights) - 1
    columns, rows = padded(source, ctx, reach_px=(reach, reach), border=node.border)
    return (backend.filters.symmetric(source.pixels, weights, columns=columns, rows=rows, ctx=ctx),)
