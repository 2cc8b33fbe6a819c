"""A node that reads its picture at computed positions."""

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
from unshape_expr.ir import Border, Expr, Filter
from unshape_expr.math_functions import sin

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Wobble:
    """Bend a picture, also beyond its border.

    Parameters
    ----------
    amount : float
        Largest displacement in widths of the picture.
    filter : Filter
        How it is read between pixel centres.
    border : Border
        What lies outside.
    """

    type_name: ClassVar[str] = "testing::Wobble"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    amount: float = 0.3
    filter: Filter = Filter.BILINEAR
    border: Border = Border.MIRROR

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a picture like the input."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return a sample at a bent position plus the texel to the left."""
        amount = build.literal(self.amount)
        type_ = inputs.texture_type("picture")
        position = build.vec2(build.u() + amount * sin(build.v() * 9.0), build.v() - amount * build.u())
        bent = build.sample("picture", position, type=type_, filter=self.filter, border=self.border)
        left = build.fetch("picture", build.pixel_x() - 1, build.pixel_y(), type=type_, border=self.border)
        return (bent * 0.75 + left * 0.25,)


if TYPE_CHECKING:
    _proof: type[Node] = Wobble
    _body: type[SupportsBody] = Wobble
