"""The position of every pixel as a picture."""

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
from unshape_expr.build import u, v, vector
from unshape_expr.ir import Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class UvGradient:
    """Give every pixel the position of its centre: u in the first channel, v in the second, 0 in the third.

    u rises from 0 at the left edge to 1 at the right one, v from 0 at the upper edge to 1 at the lower one.

    Examples
    --------
    >>> positions = UvGradient()
    """

    type_name: ClassVar[str] = "image::UvGradient"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset({ContextField.RESOLUTION})
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of three channels."),)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the evaluation's resolution."""
        return infer_body(self, input_specs, ctx)

    def body(self, _inputs: BodyInputs) -> Sequence[Expr]:
        """Return the position."""
        return (vector(u(), v(), 0.0),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (UvGradient, UvGradient)
