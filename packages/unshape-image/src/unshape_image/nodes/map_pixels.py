"""A formula for every pixel."""

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
from unshape_image.formula import check_formula, formula, formula_fields, formula_ports
from unshape_image.parameters import check_names, check_text

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class MapPixels:
    """Compute every pixel by a formula.

    In the formula a picture's name stands for its pixel at the same place: a number for one channel, a vector for more.
    ``color`` is the first picture, ``r``, ``g``, ``b``, ``a`` its components; ``sample(name, uv)`` and
    ``fetch(name, x, y)`` read a picture elsewhere. The result has as many channels as the formula has components. A
    formula that reads no picture makes one at the evaluation's resolution.

    Parameters
    ----------
    expression : str
        The formula, for example ``"color*0.5 + 0.25"`` or ``"vec3(u, v, 0.5)"``; the language is that of
        docs/reference/expressions.md.
    pictures : tuple of str
        Names of the picture inputs; those that are read at the pixel must be of one size.
    numbers : tuple of str
        Names of further inputs that are numbers, equal for all pixels.

    Examples
    --------
    >>> dimmed = MapPixels(expression="color*amount", numbers=("amount",))
    """

    type_name: ClassVar[str] = "image::MapPixels"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="The computed picture."),)

    expression: str
    pictures: tuple[str, ...] = ("image",)
    numbers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text(self.type_name, "expression", self.expression)
        check_names(self, self.type_name, "pictures")
        check_names(self, self.type_name, "numbers")
        check_formula(self.type_name, self.expression, pictures=self.pictures, numbers=self.numbers)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The pictures, then the numbers."""
        return formula_ports(self.pictures, self.numbers)

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """What the formula reads, and the resolution if it reads no picture."""
        return formula_fields(self, self.expression)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the inputs' size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the formula."""
        return (formula(self.expression, inputs, pictures=self.pictures, numbers=self.numbers),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (MapPixels, MapPixels)
