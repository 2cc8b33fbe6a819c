"""The channels of a picture as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build as e
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_image.channels import alpha_of, color_of

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class SplitChannels:
    """Give out red, green, blue and alpha as pictures of one channel.

    Red, green and blue of a gray picture are equal; the alpha of a picture without alpha is 1.

    Examples
    --------
    >>> parts = SplitChannels()
    """

    type_name: ClassVar[str] = "image::SplitChannels"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = tuple(
        Port(name, TEXTURE, doc=f"The {name} channel.") for name in ("red", "green", "blue", "alpha")
    )

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the specs of four pictures of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the components."""
        pixel = inputs["image"]
        parts = e.components(color_of(pixel))
        alpha = alpha_of(pixel)
        return (*(parts * 3)[:3], e.literal(1.0) if alpha is None else alpha)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (SplitChannels, SplitChannels)
