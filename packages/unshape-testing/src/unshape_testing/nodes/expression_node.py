"""A node that is made of expressions that somebody else built."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE, ScalarType
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_testing.random_expressions import Leaves

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True, eq=False)
class ExpressionNode:
    """Compute given expressions for each pixel.

    Two of them are equal only if they are one object; the name stands for the expressions in keys and messages.

    Parameters
    ----------
    name : str
        Different for different expressions.
    expressions : tuple of Expr
        One for each output, f32 or a vector.
    leaves : Leaves
        What they may read; becomes the input ports, pictures first.
    """

    type_name: ClassVar[str] = "testing::Expression"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset(ContextField) - {ContextField.INPUTS}

    name: str
    expressions: tuple[Expr, ...]
    leaves: Leaves

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Pictures, then numbers and vectors."""
        return (
            *(Port(name, TEXTURE) for name in self.leaves.pictures),
            *(Port(name, _SCALARS[type_]) for name, type_ in self.leaves.scalars.items()),
        )

    @property
    def outputs(self) -> tuple[Port, ...]:
        """One picture for each expression."""
        return tuple(Port(f"out{index}", TEXTURE) for index in range(len(self.expressions)))

    @property
    def content_key(self) -> Hashable:
        """The name."""
        return self.name

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return pictures of as many channels as the expressions have components."""
        return infer_body(self, input_specs, ctx)

    def body(self, _inputs: BodyInputs) -> Sequence[Expr]:
        """Return the expressions."""
        return self.expressions


_SCALARS = {
    Type.F32: ScalarType.F32,
    Type.I32: ScalarType.I32,
    Type.BOOL: ScalarType.BOOL,
    Type.VEC2: ScalarType.VEC2,
    Type.VEC3: ScalarType.VEC3,
    Type.VEC4: ScalarType.VEC4,
}

if TYPE_CHECKING:
    _proof: type[Node] = ExpressionNode
    _body: type[SupportsBody] = ExpressionNode
