"""A node of two outputs."""

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

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Split:
    """Take a picture apart into its whole part and its fraction, the fraction of the first channel only."""

    type_name: ClassVar[str] = "testing::Split"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("whole", TEXTURE), Port("fraction", TEXTURE))

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a picture like the input, and one of one channel."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return both parts."""
        picture = inputs["picture"]
        return build.floor(picture), build.fract(build.component(picture, 0))


if TYPE_CHECKING:
    _proof: type[Node] = Split
    _body: type[SupportsBody] = Split
