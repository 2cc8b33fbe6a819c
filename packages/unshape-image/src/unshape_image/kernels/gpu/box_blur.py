"""Box blur on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.kernels.gpu.axis import filter_separable
from unshape_image.kernels.gpu.device import Device, Held
from unshape_image.nodes.box_blur import BoxBlur


def box_blur(node: BoxBlur, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Blur a window."""
    held = Held(ctx)
    if held.output.is_empty:
        return (device.empty((held.output.height_px, held.output.width_px, held.channels)),)
    radius = node.radius_px
    share = float(np.float32(1.0 / (2 * radius + 1)))
    result = filter_separable(device, inputs[0], held, shader="box", radius=radius, border=node.border, words=(share,))
    return (result,)
