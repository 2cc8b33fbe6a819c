"""Threshold."""

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
from unshape_expr.build import step
from unshape_expr.ir import Expr
from unshape_image.channels import map_color

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Threshold:
    """Make every channel but alpha 1 where it is at least a value, and 0 below it.

    Parameters
    ----------
    value : float
        The value; NaN pixels become 1, as comparison with NaN is never "below".

    Examples
    --------
    >>> mask = Threshold(value=0.5)
    """

    type_name: ClassVar[str] = "image::Threshold"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 1 to 4 channels."),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of 0 and 1."),)

    value: float = 0.5

    def __post_init__(self) -> None:
        check_number(self.type_name, "value", self.value)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the same size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return 0 or 1."""
        return (map_color(lambda x: step(self.value, x), inputs["image"]),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (Threshold, Threshold)
