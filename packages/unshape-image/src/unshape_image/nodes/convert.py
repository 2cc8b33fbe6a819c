"""Conversion between colour spaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_choice
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_image import color_functions as f
from unshape_image import hue_functions as h
from unshape_image.channels import map_color, require_channels

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


class ColorSpace(StrEnum):
    """What the numbers of a colour mean."""

    SRGB = "srgb"  # red, green, blue, encoded as in picture files
    LINEAR = "linear"  # red, green, blue, proportional to light
    HSV = "hsv"  # hue, saturation, value of srgb, in [0, 1]
    HSL = "hsl"  # hue, saturation, lightness of srgb, in [0, 1]
    LAB = "lab"  # CIE L*a*b* for D65; L in [0, 100]
    OKLAB = "oklab"  # OkLab; L in [0, 1]


_PARENT = {
    ColorSpace.HSV: ColorSpace.SRGB,
    ColorSpace.HSL: ColorSpace.SRGB,
    ColorSpace.SRGB: ColorSpace.LINEAR,
    ColorSpace.LAB: ColorSpace.LINEAR,
    ColorSpace.OKLAB: ColorSpace.LINEAR,
}
"""The space from which each one is computed; all lead to linear light."""

_DECODE: dict[ColorSpace, Callable[[Expr], Expr]] = {
    ColorSpace.HSV: h.hsv_to_rgb,
    ColorSpace.HSL: h.hsl_to_rgb,
    ColorSpace.SRGB: f.srgb_to_linear,
    ColorSpace.LAB: f.lab_to_linear,
    ColorSpace.OKLAB: f.oklab_to_linear,
}
_ENCODE: dict[ColorSpace, Callable[[Expr], Expr]] = {
    ColorSpace.HSV: h.rgb_to_hsv,
    ColorSpace.HSL: h.rgb_to_hsl,
    ColorSpace.SRGB: f.linear_to_srgb,
    ColorSpace.LAB: f.linear_to_lab,
    ColorSpace.OKLAB: f.linear_to_oklab,
}
_OF_ANY_CHANNEL = {ColorSpace.SRGB, ColorSpace.LINEAR}


@dataclass(frozen=True, slots=True)
class Convert:
    """Express colours in another colour space.

    Red, green and blue have the primaries and the white of sRGB; alpha stays. Nothing is cut off. The steps between two
    spaces are the functions ``srgb_to_linear``, ``rgb_to_hsv``, ``linear_to_oklab`` ... of the expression language.

    Parameters
    ----------
    source : {"srgb", "linear", "hsv", "hsl", "lab", "oklab"}
        What the picture's numbers mean.
    target : {"srgb", "linear", "hsv", "hsl", "lab", "oklab"}
        What the result's numbers mean. Gray pictures (1 or 2 channels) convert between "srgb" and "linear" only.

    Examples
    --------
    >>> light = Convert(source="srgb", target="linear")
    """

    type_name: ClassVar[str] = "image::Convert"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of the same size and channels."),)

    source: ColorSpace = ColorSpace.SRGB
    target: ColorSpace = ColorSpace.LINEAR

    def __post_init__(self) -> None:
        check_choice(self, self.type_name, "source", ColorSpace)
        check_choice(self, self.type_name, "target", ColorSpace)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the converted pixel."""
        pixel = inputs["image"]
        if not {self.source, self.target} <= _OF_ANY_CHANNEL:
            require_channels(pixel, (3, 4), type_name=self.type_name, port="image")
        return (map_color(self._convert, pixel),)

    def _convert(self, colour: Expr) -> Expr:
        up, down = _way_to_linear(self.source), _way_to_linear(self.target)
        while up and down and up[-1] is down[-1]:
            del up[-1], down[-1]
        for space in up:
            colour = _DECODE[space](colour)
        for space in reversed(down):
            colour = _ENCODE[space](colour)
        return colour


def _way_to_linear(space: ColorSpace) -> list[ColorSpace]:
    way = []
    while space in _PARENT:
        way.append(space)
        space = _PARENT[space]
    return way


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (Convert, Convert)
