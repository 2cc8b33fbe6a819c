"""Resizing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.parameter_checks import check_choice, check_integer
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.window import LARGEST_SIDE_PX, Window
from unshape_core.workload import OpClass
from unshape_image.picture_shape import PictureShape, picture_shape
from unshape_image.pictures import held_picture, output_window
from unshape_image.resize_table import ResizeMethod, ResizeTable, resize_table, tap_count, texel_range
from unshape_image.resizing import resize

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows


@dataclass(frozen=True, slots=True)
class Resize:
    """Bring a picture to another size.

    A horizontal pass, then a vertical one over its float32 result, by the taps of ``resize_table`` in their order.
    Beyond the edge the edge pixel counts. ``bilinear`` and ``bicubic`` interpolate and do not smooth: reduce by more
    than a half with ``area``.

    Parameters
    ----------
    width_px : int or None, in [1, 16777216] pixels
        The new width; None takes that of the evaluation's resolution.
    height_px : int or None, in [1, 16777216] pixels
        The new height; None takes that of the evaluation's resolution.
    method : {"nearest", "bilinear", "bicubic", "area"}
        How to compute pixels: the nearest one, interpolated from 2 x 2 or 4 x 4, or the mean of what they cover.

    Examples
    --------
    >>> thumbnail = Resize(width_px=128, height_px=96, method="area")
    """

    type_name: ClassVar[str] = "image::Resize"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of the new size."),)

    width_px: int | None = None
    height_px: int | None = None
    method: ResizeMethod = ResizeMethod.BILINEAR

    def __post_init__(self) -> None:
        for name, value in (("width_px", self.width_px), ("height_px", self.height_px)):
            if value is not None:
                check_integer(self.type_name, name, value, low=1, high=LARGEST_SIDE_PX)
        check_choice(self, self.type_name, "method", ResizeMethod)

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """The resolution, unless the size is given."""
        return frozenset({ContextField.RESOLUTION} if None in {self.width_px, self.height_px} else ())

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of the new size.

        Raises
        ------
        InvalidArgumentError
            If the picture is empty but its result is not.
        """
        shape = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        result = self._resized(shape, ctx)
        if shape.is_empty and not result.is_empty:
            msg = (
                f"{self.type_name}: input 'image': expected at least one pixel to resize to {result.width_px} x "
                f"{result.height_px}, got a picture of {shape.width_px} x {shape.height_px}"
            )
            raise InvalidArgumentError(msg, type_name=self.type_name)
        return (result.spec,)

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return the texels that the pixels of the window are made of."""
        shape = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        if window.is_empty or shape.is_empty:
            return (Window(0, 0, 0, 0),)
        result = self._resized(shape, ctx)
        left, right = texel_range(
            self.method,
            input_px=shape.width_px,
            output_px=result.width_px,
            start=window.x_px,
            stop=window.right_px,
        )
        top, bottom = texel_range(
            self.method,
            input_px=shape.height_px,
            output_px=result.height_px,
            start=window.y_px,
            stop=window.bottom_px,
        )
        return (Window(left, top, right - left, bottom - top),)

    def tables(self, shape: PictureShape, ctx: EvalContext) -> tuple[ResizeTable, ResizeTable]:
        """Return the tables of the horizontal and the vertical pass, for the whole of a picture that is not empty."""
        result = self._resized(shape, ctx)
        return (
            resize_table(self.method, input_px=shape.width_px, output_px=result.width_px),
            resize_table(self.method, input_px=shape.height_px, output_px=result.height_px),
        )

    def flops_per_element(self, input_specs: Sequence[ValueSpec], output_specs: Sequence[ValueSpec]) -> float:
        """Return the operations of both passes; the horizontal one computes the rows that the vertical one reads."""
        before = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        after = picture_shape(output_specs[0], type_name=self.type_name, port="image")
        if after.is_empty:
            return 0.0
        across = tap_count(self.method, input_px=before.width_px, output_px=after.width_px)
        down = tap_count(self.method, input_px=before.height_px, output_px=after.height_px)
        rows_read = min(before.height_px, down * after.height_px)
        return 2.0 * (down + across * rows_read / after.height_px)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Resize in NumPy."""
        source = held_picture(inputs, ctx, type_name=self.type_name)
        self.infer((source.shape.spec,), ctx)
        window = output_window(self._resized(source.shape, ctx), ctx)
        if source.shape.is_empty:
            return (source.pixels[:0, :0].reshape(window.height_px, window.width_px, source.shape.channels).copy(),)
        columns, rows = self.tables(source.shape, ctx)
        return (resize(source, columns, rows, output=window, ctx=ctx),)

    def _resized(self, shape: PictureShape, ctx: EvalContext) -> PictureShape:
        width = ctx.resolution[0] if self.width_px is None else self.width_px
        height = ctx.resolution[1] if self.height_px is None else self.height_px
        return PictureShape(width_px=width, height_px=height, channels=shape.channels)


if TYPE_CHECKING:
    _proof: type[Node] = Resize
    _proof_of_execution: type[SupportsExecute] = Resize
    _proof_of_windows: type[SupportsInputWindows] = Resize
