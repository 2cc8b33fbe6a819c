"""Box blur on the GPU."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import GraphValue
from unshape_image.kernels.gpu.axis import Filter, filter_separable
from unshape_image.kernels.gpu.device import Device, Held, shape_of
from unshape_image.nodes.box_blur import BoxBlur


def box_blur(node: BoxBlur, inputs: Sequence[GraphValue], ctx: EvalContext, device: Device) -> tuple[GraphValue]:
    """Blur a window."""
    held = Held(ctx)
    if held.output.is_empty:
        return (device.empty(shape_of(held.output, held.channels)),)
    share = np.array([1.0 / (2 * node.radius_px + 1)], np.float32)
    how = Filter("box", "box_levels", device.table(share), radius=node.radius_px, border=node.border)
    return (filter_separable(device, inputs[0], held, how),)
