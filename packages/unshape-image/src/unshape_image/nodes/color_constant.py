"""A picture of one colour."""

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
from unshape_expr.build import vector
from unshape_expr.ir import Expr
from unshape_image.parameters import check_color

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class ColorConstant:
    """Fill a picture with one colour.

    Parameters
    ----------
    color : tuple of 1 to 4 float
        One value for each channel: gray; gray and alpha; red, green and blue; or these and alpha.

    Examples
    --------
    >>> orange = ColorConstant(color=(0.9, 0.45, 0.2))
    """

    type_name: ClassVar[str] = "image::ColorConstant"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset({ContextField.RESOLUTION})
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="Picture of that many channels."),)

    color: tuple[float, ...] = (0.5, 0.5, 0.5)

    def __post_init__(self) -> None:
        object.__setattr__(self, "color", check_color(self.type_name, "color", self.color))

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the evaluation's resolution."""
        return infer_body(self, input_specs, ctx)

    def body(self, _inputs: BodyInputs) -> Sequence[Expr]:
        """Return the colour."""
        return (vector(*self.color),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (ColorConstant, ColorConstant)
