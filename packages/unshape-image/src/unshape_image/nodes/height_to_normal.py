"""Normals of a height map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_choice, check_number
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.build import components, fetch, literal, normalize, pixel_x, pixel_y, to_f32, vec3, width
from unshape_expr.ir import Border, Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


class NormalConvention(StrEnum):
    """Which way green points in a normal map."""

    OPENGL = "opengl"  # up in the picture
    DIRECTX = "directx"  # down in the picture


@dataclass(frozen=True, slots=True)
class HeightToNormal:
    """Compute the normals of a height map.

    The slope along x is ``(h[x + 1] - h[x - 1]) * k`` with ``k = (strength*0.005)*width``, along y likewise with the
    same k (pixels are square). The normal is ``normalize((-slope_x, slope_y, 1))``, stored as ``n*0.5 + 0.5``: a flat
    map gives (0.5, 0.5, 1). Slopes do not depend on the resolution.

    Parameters
    ----------
    strength : float, in [-10000, 10000] percent of the picture's width
        How high a height of 1 stands. The height is the picture's first channel.
    border : {"clamp", "repeat", "mirror", "zero"}
        What lies outside the picture; "repeat" for maps that tile. With "clamp" slopes at the edge are halved.
    convention : {"opengl", "directx"}
        Whether green is large where the surface looks up in the picture, or down.

    Examples
    --------
    >>> normals = HeightToNormal(strength=12.0, border="repeat")
    """

    type_name: ClassVar[str] = "image::HeightToNormal"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Height map; the first channel counts."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("normals", TEXTURE, doc="Normal map of three channels in [0, 1]."),)

    strength: float = 1.0
    border: Border = Border.CLAMP
    convention: NormalConvention = NormalConvention.OPENGL

    def __post_init__(self) -> None:
        check_number(self.type_name, "strength", self.strength, low=-1e4, high=1e4)
        check_choice(self, self.type_name, "border", Border)
        check_choice(self, self.type_name, "convention", NormalConvention)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the encoded normal."""
        type_ = inputs.texture_type("image")
        x, y = pixel_x(), pixel_y()

        def height(column: Expr, row: Expr) -> Expr:
            return components(fetch("image", column, row, type=type_, border=self.border))[0]

        scale = literal(self.strength * 0.005) * to_f32(width())
        down = literal(1.0 if self.convention is NormalConvention.OPENGL else -1.0)
        slope_x = (height(x + 1, y) - height(x - 1, y)) * scale
        slope_y = (height(x, y + 1) - height(x, y - 1)) * scale
        return (normalize(vec3(-slope_x, slope_y * down, 1.0)) * 0.5 + 0.5,)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (HeightToNormal, HeightToNormal)
