"""Gaussian blur on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.gaussian_weights import gaussian_weights
from unshape_image.kernels.gpu.axis import Filter, filter_separable
from unshape_image.kernels.gpu.device import Device, Held, shape_of
from unshape_image.nodes.gaussian_blur import GaussianBlur


def gaussian_blur(
    node: GaussianBlur, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device
) -> tuple[GraphValue]:
    """Blur a window."""
    held = Held(ctx)
    if held.output.is_empty:
        return (device.empty(shape_of(held.output, held.channels)),)
    weights = gaussian_weights(node.sigma_px)
    how = Filter("symmetric", "symmetric", device.table(weights), radius=len(weights) - 1, border=node.border)
    return (filter_separable(device, inputs[0], held, how),)
