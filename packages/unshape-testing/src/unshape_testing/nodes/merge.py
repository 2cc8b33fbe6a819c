"""A pointwise node of two pictures and a number that comes over a wire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Merge:
    """Mix two pictures where both are numbers, and take the smaller one elsewhere."""

    type_name: ClassVar[str] = "testing::Merge"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("a", TEXTURE), Port("b", TEXTURE), Port("amount", F32, default=0.25))
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a picture like the inputs."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the mix, or the minimum."""
        a, b = inputs["a"], inputs["b"]
        return (build.select(inputs["amount"] < 0.5, build.mix(a, b, inputs["amount"]), build.min(a, b)),)


if TYPE_CHECKING:
    _proof: type[Node] = Merge
    _body: type[SupportsBody] = Merge
