"""A generator: its pixels follow from their position, the time and the seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_expr.math_functions import sin

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Ramp:
    """Draw the position in red and green, and something irregular in blue.

    Parameters
    ----------
    frequency : float
        Waves across the picture in blue.
    """

    type_name: ClassVar[str] = "testing::Ramp"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset(
        {ContextField.RESOLUTION, ContextField.TIME, ContextField.SEED}
    )
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    frequency: float = 3.0

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a picture of three channels, as large as the resolution."""
        return infer_body(self, input_specs, ctx)

    def body(self, _inputs: BodyInputs) -> Sequence[Expr]:
        """Return u, v, and the sine of a hash of the pixel and of the position."""
        mixed = (build.to_u32(build.pixel_x()) * 2654435761) ^ (build.to_u32(build.pixel_y()) + build.seed())
        noise = build.to_f32(mixed >> 8) * 2.0**-24
        wave = sin(build.u() * build.literal(self.frequency) + build.time()) * noise
        return (build.vec3(build.u(), build.v(), wave),)


if TYPE_CHECKING:
    _proof: type[Node] = Ramp
    _body: type[SupportsBody] = Ramp
