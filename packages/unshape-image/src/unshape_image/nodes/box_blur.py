"""Box blur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_choice, check_integer
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_core.workload import OpClass
from unshape_expr.ir import Border
from unshape_image.axis_filters import BoxFilter
from unshape_image.picture_shape import picture_shape
from unshape_image.pictures import held_picture, neighbourhood, output_window
from unshape_image.separable import filter_separable

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows

MAX_RADIUS_PX = 4096


@dataclass(frozen=True, slots=True)
class BoxBlur:
    """Replace each pixel by the mean of the square around it.

    A horizontal pass, then a vertical one over its float32 result; the order of additions is a tree that is the same
    in every window, see ``axis_filters.BoxFilter``. Channels are filtered apart.

    Parameters
    ----------
    radius_px : int, in [0, 4096] pixels
        The square has a side of ``2*radius_px + 1``; 0 changes nothing.
    border : {"clamp", "repeat", "mirror", "zero"}
        What lies outside the picture.

    Examples
    --------
    >>> soft = BoxBlur(radius_px=4, border="mirror")
    """

    type_name: ClassVar[str] = "image::BoxBlur"
    op_class: ClassVar[OpClass] = OpClass.CONVOLUTION
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Blurred picture of the same size."),)

    radius_px: int = 2
    border: Border = Border.CLAMP

    def __post_init__(self) -> None:
        check_integer(self.type_name, "radius_px", self.radius_px, low=0, high=MAX_RADIUS_PX)
        check_choice(self, self.type_name, "border", Border)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of the input."""
        return (picture_shape(input_specs[0], type_name=self.type_name, port="image").spec,)

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return the window grown by the radius."""
        shape = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        return (neighbourhood(window, shape, reach_px=(self.radius_px, self.radius_px), border=self.border),)

    def flops_per_element(self, _input_specs: Sequence[ValueSpec], _output_specs: Sequence[ValueSpec]) -> float:
        """Return the operations of both passes, which grow with the logarithm of the radius."""
        return 4.0 * (2 * self.radius_px + 1).bit_length()

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Blur in NumPy."""
        source = held_picture(inputs, ctx, type_name=self.type_name)
        window = output_window(source.shape, ctx)
        return (filter_separable(source, BoxFilter(self.radius_px), output=window, border=self.border, ctx=ctx),)


if TYPE_CHECKING:
    _proof: type[Node] = BoxBlur
    _proof_of_execution: type[SupportsExecute] = BoxBlur
    _proof_of_windows: type[SupportsInputWindows] = BoxBlur
