"""The parts of their picture inputs that neighbourhood nodes read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.notes import note_copy
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_expr.ir import Border
from unshape_image.borders import border_range
from unshape_image.held_picture import HeldPicture
from unshape_image.picture_shape import PictureShape, picture_shape


def neighbourhood(window: Window, shape: PictureShape, *, reach_px: tuple[int, int], border: Border) -> Window:
    """Return the part of a picture that a filter reads to compute a window of the same picture.

    Parameters
    ----------
    window : Window
        What is computed.
    shape : PictureShape
        The whole picture.
    reach_px : (int, int)
        How far the filter reaches to each side, horizontally and vertically.
    border : Border
        What lies outside; ``REPEAT`` may want pixels of the opposite edge.
    """
    grown = window.expand(x_px=reach_px[0], y_px=reach_px[1])
    if window.is_empty:
        return Window(window.x_px, window.y_px, 0, 0)
    left, right = border_range(grown.x_px, grown.right_px, shape.width_px, border)
    top, bottom = border_range(grown.y_px, grown.bottom_px, shape.height_px, border)
    return Window(left, top, right - left, bottom - top)


def held_picture(inputs: Sequence[Value], ctx: EvalContext, *, type_name: str) -> HeldPicture:
    """Return the first input of a running node as the part of a picture that is at hand."""
    pixels = np.asarray(inputs[0], np.float32)
    if pixels is not inputs[0]:
        note_copy(pixels.nbytes)  # of another byte order
    spec = ValueSpec(TEXTURE, pixels.shape) if ctx.region is None else ctx.region.input_specs[0]
    shape = picture_shape(spec, type_name=type_name, port="image")
    window = None if ctx.region is None else ctx.region.inputs[0]
    return HeldPicture(pixels, window or shape.whole, shape)


def output_window(shape: PictureShape, ctx: EvalContext) -> Window:
    """Return what a running node computes: its region's window, or everything."""
    return shape.whole if ctx.region is None else ctx.region.output
