"""A pointwise node."""

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
from unshape_expr.build import literal
from unshape_expr.ir import Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Gain:
    """Multiply a picture and add to it.

    Parameters
    ----------
    gain, offset : float
        ``picture * gain + offset``, each operation rounded.
    """

    type_name: ClassVar[str] = "testing::Gain"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    gain: float = 2.0
    offset: float = 0.0

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a picture like the input."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the product and the sum."""
        return (inputs["picture"] * literal(self.gain) + literal(self.offset),)


if TYPE_CHECKING:
    _proof: type[Node] = Gain
    _body: type[SupportsBody] = Gain
