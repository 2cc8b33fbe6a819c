"""Gaussian blur on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.gaussian_weights import gaussian_weights
from unshape_image.kernels.gpu.axis import filter_separable
from unshape_image.kernels.gpu.device import Device, Held
from unshape_image.nodes.gaussian_blur import GaussianBlur


def gaussian_blur(
    node: GaussianBlur, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device
) -> tuple[GraphValue]:
    """Blur a window."""
    held = Held(ctx)
    if held.output.is_empty:
        return (device.empty((held.output.height_px, held.output.width_px, held.channels)),)
    weights = gaussian_weights(node.sigma_px)
    result = filter_separable(
        device,
        inputs[0],
        held,
        shader="symmetric",
        radius=len(weights) - 1,
        border=node.border,
        tables=(device.table(weights),),
    )
    return (result,)
