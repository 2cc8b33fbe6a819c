"""Gaussian blur by recursion: an approximation whose cost does not grow with its width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_choice, check_number
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_core.workload import OpClass
from unshape_expr.ir import Border
from unshape_image.borders import border_indices
from unshape_image.held_picture import F32Array
from unshape_image.picture_shape import picture_shape
from unshape_image.pictures import held_picture, output_window
from unshape_image.recursive_gaussian import Section, filter_columns, recursive_reach, recursive_sections

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows

MIN_SIGMA_PX = 0.5
MAX_SIGMA_PX = 1000.0
_STRIP_FLOATS = 4096


@dataclass(frozen=True, slots=True)
class RecursiveGaussianBlur:
    """Blur a picture with nearly a Gaussian, at a cost that does not grow with its width.

    An approximation: the result differs from that of a Gaussian by at most 0.001 of what the picture's values span.
    ``GaussianBlur`` has no such error, runs on every backend, and is the faster one up to a ``sigma_px`` of about 20.
    A horizontal pass, then a vertical one over its float32 result, each in float64 (R. Deriche, 1993; see
    recursive_gaussian). Every pixel depends on whole rows and columns, so that a window is computed from the whole
    picture, and NaN and infinities spread along them.

    Parameters
    ----------
    sigma_px : float, in [0.5, 1000] pixels
        Standard deviation.
    border : {"clamp", "repeat", "mirror", "zero"}
        What lies outside the picture.

    Examples
    --------
    >>> glow = RecursiveGaussianBlur(sigma_px=60.0)
    """

    type_name: ClassVar[str] = "image::RecursiveGaussianBlur"
    op_class: ClassVar[OpClass] = OpClass.CONVOLUTION
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Blurred picture of the same size."),)

    sigma_px: float = 20.0
    border: Border = Border.CLAMP

    def __post_init__(self) -> None:
        check_number(self.type_name, "sigma_px", self.sigma_px, low=MIN_SIGMA_PX, high=MAX_SIGMA_PX)
        check_choice(self, self.type_name, "border", Border)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of the input."""
        return (picture_shape(input_specs[0], type_name=self.type_name, port="image").spec,)

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return the whole picture: everything depends on everything."""
        shape = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        return (Window(0, 0, 0, 0) if window.is_empty else shape.whole,)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Blur in NumPy."""
        source = held_picture(inputs, ctx, type_name=self.type_name)
        window = output_window(source.shape, ctx)
        if window.is_empty:
            return (np.empty((window.height_px, window.width_px, source.shape.channels), np.float32),)
        sections = recursive_sections(self.sigma_px)
        with np.errstate(all="ignore"):
            across = self._filtered(source.pixels.swapaxes(0, 1), sections, ctx).swapaxes(0, 1)
            columns = across[:, window.x_px : window.right_px]
            blurred = self._filtered(columns, sections, ctx)
        return (np.ascontiguousarray(blurred[window.y_px : window.bottom_px]),)

    def _filtered(self, picture: F32Array, sections: tuple[Section, ...], ctx: EvalContext) -> F32Array:
        """Return a picture filtered along its first axis."""
        length, others, channels = picture.shape
        reach = recursive_reach(self.sigma_px)
        places = border_indices(-reach, length + reach, length, self.border)
        out = np.empty(picture.shape, np.float32)
        step = max(1, _STRIP_FLOATS // channels)
        for start in range(0, others, step):
            ctx.raise_if_cancelled()
            strip = picture[:, start : start + step]
            padded = strip[places].reshape(len(places), -1).astype(np.float64)
            padded[places < 0] = 0.0
            out[:, start : start + step] = filter_columns(padded, sections, skip=reach).reshape(strip.shape)
        return out


if TYPE_CHECKING:
    _proof: type[Node] = RecursiveGaussianBlur
    _proof_of_execution: type[SupportsExecute] = RecursiveGaussianBlur
    _proof_of_windows: type[SupportsInputWindows] = RecursiveGaussianBlur
