"""Shading by a directional light."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_number
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_image.channels import map_color, require_channels

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Shade:
    """Light a picture from one direction, as the normals say.

    The colour is multiplied by ``ambient + (1 - ambient)*max(dot(n, l), 0)`` with ``n`` the decoded normal,
    ``normal*2 - 1``, and ``l`` the direction towards the light; alpha stays. Light adds up in linear values: convert
    colours with ``Convert`` where that matters.

    Parameters
    ----------
    azimuth_deg : float, in [-360, 360] degrees
        Where the light comes from, clockwise from the top of the picture; maps are lit from 315, the upper left.
    elevation_deg : float, in [0, 90] degrees
        How high the light stands.
    ambient : float, in [0, 1]
        Share of the light that comes from everywhere.

    Examples
    --------
    >>> evening = Shade(azimuth_deg=250.0, elevation_deg=15.0)
    """

    type_name: ClassVar[str] = "image::Shade"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (
        Port("image", TEXTURE, doc="Colours; 1 to 4 channels."),
        Port("normals", TEXTURE, doc="Normal map (OpenGL convention) of three or four channels, of the same size."),
    )
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="The lit picture."),)

    azimuth_deg: float = 315.0
    elevation_deg: float = 45.0
    ambient: float = 0.2

    def __post_init__(self) -> None:
        check_number(self.type_name, "azimuth_deg", self.azimuth_deg, low=-360.0, high=360.0)
        check_number(self.type_name, "elevation_deg", self.elevation_deg, low=0.0, high=90.0)
        check_number(self.type_name, "ambient", self.ambient, low=0.0, high=1.0)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the lit pixel."""
        azimuth, elevation = math.radians(self.azimuth_deg), math.radians(self.elevation_deg)
        flat = math.cos(elevation)
        light = e.vec3(flat * math.sin(azimuth), flat * math.cos(azimuth), math.sin(elevation))
        stored = require_channels(inputs["normals"], (3, 4), type_name=self.type_name, port="normals")
        normal = e.vec3(*e.components(stored)[:3]) * 2.0 - 1.0
        ambient = e.literal(self.ambient)
        amount = ambient + (1.0 - ambient) * e.max(e.dot(normal, light), 0.0)
        return (map_color(lambda colour: colour * amount, inputs["image"]),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (Shade, Shade)
