"""A node of numbers only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Vec2
from unshape_core.value_type import F32, I32, VEC2
from unshape_core.workload import OpClass
from unshape_expr import build
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class ScalarMix:
    """Compute with a number, a whole number and a vector.

    Parameters
    ----------
    scale : float
        Multiplies the number.
    """

    type_name: ClassVar[str] = "testing::ScalarMix"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (
        Port("x", F32),
        Port("count", I32, default=3),
        Port("v", VEC2, default=Vec2(1.0, 2.0)),
    )
    outputs: ClassVar[tuple[Port, ...]] = (Port("x", F32), Port("count", I32), Port("v", VEC2))

    scale: float = 1.5

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the three types."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return a number, a whole number and a vector."""
        x, count, v = inputs["x"], inputs["count"], inputs["v"]
        scaled = x * build.literal(self.scale) + build.to_f32(count)
        return scaled, count // build.literal(-2, count.type), v * scaled


if TYPE_CHECKING:
    _proof: type[Node] = ScalarMix
    _body: type[SupportsBody] = ScalarMix
