"""A neighbourhood node whose meaning is NumPy code, and that knows its reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows


@dataclass(frozen=True, slots=True)
class BoxMean:
    """Give each pixel the mean of the square around it; beyond the border lies the nearest edge pixel.

    Parameters
    ----------
    radius : int
        Reach in pixels.
    """

    type_name: ClassVar[str] = "testing::BoxMean"
    op_class: ClassVar[OpClass] = OpClass.CONVOLUTION
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    radius: int = 1

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a picture like the input."""
        return (input_specs[0],)

    def input_windows(
        self, window: Window, _input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return the window grown by the radius."""
        return (window.expand(x_px=self.radius, y_px=self.radius),)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Return the mean, summed row by row from the upper left in float32."""
        assert ctx.region is not None  # a node that offers input_windows is told its region
        assert ctx.region.inputs[0] is not None  # its input is a picture
        output, held = ctx.region.output, ctx.region.inputs[0]
        width_px, height_px = ctx.region.input_specs[0].picture_px or (0, 0)
        picture = np.asarray(inputs[0])
        total = np.zeros((output.height_px, output.width_px, picture.shape[2]), np.float32)
        rows = np.arange(output.y_px, output.bottom_px)
        columns = np.arange(output.x_px, output.right_px)
        with np.errstate(all="ignore"):
            for dy in range(-self.radius, self.radius + 1):
                for dx in range(-self.radius, self.radius + 1):
                    y = np.clip(rows + dy, 0, height_px - 1) - held.y_px
                    x = np.clip(columns + dx, 0, width_px - 1) - held.x_px
                    total += picture[y[:, None], x[None, :]]
            return (total / np.float32((2 * self.radius + 1) ** 2),)


if TYPE_CHECKING:
    _proof: type[Node] = BoxMean
    _execute: type[SupportsExecute] = BoxMean
    _windows: type[SupportsInputWindows] = BoxMean
