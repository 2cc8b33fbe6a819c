"""Multiplication of colours by alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_image.channels import alpha_of, color_of, join

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Premultiply:
    """Multiply colours by alpha, so that filters do not draw in the colour of transparent pixels.

    Pictures without alpha stay as they are.

    Examples
    --------
    >>> associated = Premultiply()
    """

    type_name: ClassVar[str] = "image::Premultiply"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture with associated alpha."),)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the multiplied pixel."""
        pixel = inputs["image"]
        alpha = alpha_of(pixel)
        return (pixel if alpha is None else join(color_of(pixel) * alpha, alpha),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (Premultiply, Premultiply)
