"""Gaussian blur."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_choice, check_number
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_core.workload import OpClass
from unshape_expr.ir import Border
from unshape_image.axis_filters import SymmetricFilter
from unshape_image.gaussian_weights import gaussian_radius, gaussian_weights
from unshape_image.picture_shape import picture_shape
from unshape_image.pictures import held_picture, neighbourhood, output_window
from unshape_image.separable import filter_separable

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows

MAX_SIGMA_PX = 1000.0


@dataclass(frozen=True, slots=True)
class GaussianBlur:
    """Blur a picture with a Gaussian.

    A horizontal pass, then a vertical one over its float32 result. In each, a pixel is ``w[0]*x[0]``, then for each
    distance d from 1 to the radius ``+ w[d]*(x[-d] + x[d])``; the weights and the radius (four standard deviations)
    are those of ``gaussian_weights``. Channels are filtered apart; where alpha varies, put ``Premultiply`` before and
    ``Unpremultiply`` after it.

    Parameters
    ----------
    sigma_px : float, in [0, 1000] pixels
        Standard deviation; 0 changes nothing.
    border : {"clamp", "repeat", "mirror", "zero"}
        What lies outside the picture.

    Examples
    --------
    >>> soft = GaussianBlur(sigma_px=3.0, border="mirror")
    """

    type_name: ClassVar[str] = "image::GaussianBlur"
    op_class: ClassVar[OpClass] = OpClass.CONVOLUTION
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Blurred picture of the same size."),)

    sigma_px: float = 2.0
    border: Border = Border.CLAMP

    def __post_init__(self) -> None:
        check_number(self.type_name, "sigma_px", self.sigma_px, low=0.0, high=MAX_SIGMA_PX)
        check_choice(self, self.type_name, "border", Border)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of the input."""
        return (picture_shape(input_specs[0], type_name=self.type_name, port="image").spec,)

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return the window grown by the radius."""
        shape = picture_shape(input_specs[0], type_name=self.type_name, port="image")
        radius = gaussian_radius(self.sigma_px)
        return (neighbourhood(window, shape, reach_px=(radius, radius), border=self.border),)

    def flops_per_element(self, _input_specs: Sequence[ValueSpec], _output_specs: Sequence[ValueSpec]) -> float:
        """Return the operations of both passes."""
        return 6.0 * gaussian_radius(self.sigma_px) + 2.0

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Blur in NumPy."""
        source = held_picture(inputs, ctx, type_name=self.type_name)
        axis_filter = SymmetricFilter(gaussian_weights(self.sigma_px))
        window = output_window(source.shape, ctx)
        return (filter_separable(source, axis_filter, output=window, border=self.border, ctx=ctx),)


if TYPE_CHECKING:
    _proof: type[Node] = GaussianBlur
    _proof_of_execution: type[SupportsExecute] = GaussianBlur
    _proof_of_windows: type[SupportsInputWindows] = GaussianBlur
