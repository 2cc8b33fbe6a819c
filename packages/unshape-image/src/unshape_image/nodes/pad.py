"""Padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.parameter_checks import check_choice, check_integer
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.window import LARGEST_SIDE_PX, Window
from unshape_core.workload import OpClass
from unshape_expr.ir import Border
from unshape_image.held_picture import PaddedRows
from unshape_image.picture_shape import PictureShape, picture_shape
from unshape_image.pictures import held_picture, neighbourhood, output_window

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows

_BAND_FLOATS = 1 << 20
"""What is copied between two questions whether to stop."""


@dataclass(frozen=True, slots=True)
class Pad:
    """Put a border around a picture.

    Parameters
    ----------
    left_px, right_px, top_px, bottom_px : int, in [0, 16777216] pixels
        How much to add on that side.
    border : {"clamp", "repeat", "mirror", "zero"}
        What to add: the edge pixel, the picture again, the picture mirrored, or 0 in every channel.

    Examples
    --------
    >>> framed = Pad(left_px=8, right_px=8, top_px=8, bottom_px=8, border="repeat")
    """

    type_name: ClassVar[str] = "image::Pad"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="The larger picture."),)

    left_px: int = 0
    right_px: int = 0
    top_px: int = 0
    bottom_px: int = 0
    border: Border = Border.ZERO

    def __post_init__(self) -> None:
        for name in ("left_px", "right_px", "top_px", "bottom_px"):
            check_integer(self.type_name, name, getattr(self, name), low=0, high=LARGEST_SIDE_PX)
        check_choice(self, self.type_name, "border", Border)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of the larger picture.

        Raises
        ------
        InvalidArgumentError
            If the picture is empty and the border needs a pixel.
        """
        shape = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        result = self._padded(shape)
        if shape.is_empty and not result.is_empty and self.border is not Border.ZERO:
            msg = (
                f"{self.type_name}: input 'image': expected at least one pixel to continue by {self.border.value!r}, "
                f"got a picture of {shape.width_px} x {shape.height_px}; use border 'zero'"
            )
            raise InvalidArgumentError(msg, type_name=self.type_name)
        return (result.spec,)

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return the pixels that stand in the window."""
        shape = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        return (neighbourhood(self._moved(window), shape, reach_px=(0, 0), border=self.border),)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Copy picture and border."""
        source = held_picture(inputs, ctx, type_name=self.type_name)
        self.infer((source.shape.spec,), ctx)
        window = output_window(self._padded(source.shape), ctx)
        result = np.empty((window.height_px, window.width_px, source.shape.channels), np.float32)
        if result.size:
            rows = PaddedRows.around(source, self._moved(window), reach_px=(0, 0), border=self.border)
            flat = result.reshape(window.height_px, -1)
            band = max(1, _BAND_FLOATS // rows.row_floats)
            for first in range(0, window.height_px, band):
                ctx.raise_if_cancelled()
                stop = min(first + band, window.height_px)
                rows.load(first, stop, flat[first:stop])
        return (result,)

    def _padded(self, shape: PictureShape) -> PictureShape:
        return PictureShape(
            width_px=shape.width_px + self.left_px + self.right_px,
            height_px=shape.height_px + self.top_px + self.bottom_px,
            channels=shape.channels,
        )

    def _moved(self, window: Window) -> Window:
        return Window(window.x_px - self.left_px, window.y_px - self.top_px, window.width_px, window.height_px)


if TYPE_CHECKING:
    _proof: type[Node] = Pad
    _proof_of_execution: type[SupportsExecute] = Pad
    _proof_of_windows: type[SupportsInputWindows] = Pad
