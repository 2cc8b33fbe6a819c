"""Cropping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.parameter_checks import check_integer
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.window import LARGEST_SIDE_PX, Window
from unshape_core.workload import OpClass
from unshape_image.picture_shape import PictureShape, picture_shape
from unshape_image.pictures import held_picture, output_window

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows


@dataclass(frozen=True, slots=True)
class Crop:
    """Cut a rectangle out of a picture.

    Parameters
    ----------
    x_px : int, in [0, 16777216] pixels
        Its first column; 0 is the picture's left one.
    y_px : int, in [0, 16777216] pixels
        Its first row; 0 is the picture's upper one.
    width_px : int, in [0, 16777216] pixels
        Its width; it must lie within the picture.
    height_px : int, in [0, 16777216] pixels
        Its height; it must lie within the picture.

    Examples
    --------
    >>> detail = Crop(x_px=16, y_px=8, width_px=256, height_px=128)
    """

    type_name: ClassVar[str] = "image::Crop"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="The rectangle."),)

    x_px: int
    y_px: int
    width_px: int
    height_px: int

    def __post_init__(self) -> None:
        for name in ("x_px", "y_px", "width_px", "height_px"):
            check_integer(self.type_name, name, getattr(self, name), low=0, high=LARGEST_SIDE_PX)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of the rectangle.

        Raises
        ------
        InvalidArgumentError
            If the rectangle leaves the picture.
        """
        shape = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        if self.x_px + self.width_px > shape.width_px or self.y_px + self.height_px > shape.height_px:
            msg = (
                f"{self.type_name}: expected a rectangle within the picture of {shape.width_px} x {shape.height_px}, "
                f"got columns {self.x_px} to {self.x_px + self.width_px} and rows {self.y_px} to "
                f"{self.y_px + self.height_px}; put image::Pad before it to go beyond the edge"
            )
            raise InvalidArgumentError(msg, type_name=self.type_name)
        return (PictureShape(width_px=self.width_px, height_px=self.height_px, channels=shape.channels).spec,)

    def input_windows(
        self, window: Window, _input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return the window, moved."""
        return (self._moved(window),)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Copy the rectangle."""
        source = held_picture(inputs, ctx, type_name=self.type_name)
        self.infer((source.shape.spec,), ctx)
        result = PictureShape(width_px=self.width_px, height_px=self.height_px, channels=source.shape.channels)
        rows, columns = self._moved(output_window(result, ctx)).slices_in(source.window)
        return (source.pixels[rows, columns].copy(order="C"),)

    def _moved(self, window: Window) -> Window:
        return Window(window.x_px + self.x_px, window.y_px + self.y_px, window.width_px, window.height_px)


if TYPE_CHECKING:
    _proof: type[Node] = Crop
    _proof_of_execution: type[SupportsExecute] = Crop
    _proof_of_windows: type[SupportsInputWindows] = Crop
