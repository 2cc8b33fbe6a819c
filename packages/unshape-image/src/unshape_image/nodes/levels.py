"""Levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_number
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.build import literal, saturate
from unshape_expr.ir import Expr
from unshape_expr.math_functions import pow as power
from unshape_image.channels import map_color
from unshape_image.parameters import check_span

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Levels:
    """Stretch the range between two levels, bend it, and put it between two others.

    ``t = saturate((x - in_low)/(in_high - in_low))``, then ``out_low + (t ** (1/gamma))*(out_high - out_low)``, in
    every channel but alpha. What lies outside of the input levels is cut off.

    Parameters
    ----------
    in_low : float
        What becomes the lower output level.
    in_high : float, other than in_low
        What becomes the upper output level; if it is the smaller one, the range is turned over.
    gamma : float, in [0.01, 100]
        Above 1 lightens the middle, below 1 darkens it; 1 leaves the power out.
    out_low : float
        What ``in_low`` and all below it becomes.
    out_high : float
        What ``in_high`` and all above it becomes.

    Examples
    --------
    >>> brighter = Levels(in_low=0.05, in_high=0.8, gamma=1.2)
    """

    type_name: ClassVar[str] = "image::Levels"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="The adjusted picture."),)

    in_low: float = 0.0
    in_high: float = 1.0
    gamma: float = 1.0
    out_low: float = 0.0
    out_high: float = 1.0

    def __post_init__(self) -> None:
        for name in ("in_low", "in_high", "out_low", "out_high"):
            check_number(self.type_name, name, getattr(self, name))
        check_number(self.type_name, "gamma", self.gamma, low=0.01, high=100.0)
        check_span(self.type_name, "in_low", self.in_low, "in_high", self.in_high)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the adjusted pixel."""
        low, high = literal(self.in_low), literal(self.in_high)
        out_low, out_high = literal(self.out_low), literal(self.out_high)

        def adjust(x: Expr) -> Expr:
            t = saturate((x - low) / (high - low))
            bent = t if self.gamma == 1.0 else power(t, 1.0 / self.gamma)
            return out_low + bent * (out_high - out_low)

        return (map_color(adjust, inputs["image"]),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (Levels, Levels)
