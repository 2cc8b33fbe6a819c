"""Reading a picture at computed positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_choice
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.build import sample
from unshape_expr.ir import Border, Expr, Filter
from unshape_expr.types import Type
from unshape_image.formula import check_formula, formula, formula_fields, formula_ports
from unshape_image.parameters import check_names, check_text

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody

_IMAGE = Port("image", TEXTURE, doc="Picture of 1 to 4 channels that is read.")


@dataclass(frozen=True, slots=True)
class RemapUv:
    """Take every pixel from where a formula says.

    ``(u, v)`` is the centre of the pixel, from (0, 0) at the picture's upper left corner to (1, 1) at the lower right
    one; the formula gives the position to read at in the same coordinates. The result is as large as the picture, or as
    the further pictures that the formula reads.

    Parameters
    ----------
    expression : str
        The formula, a vec2, for example ``"vec2(u + 0.05*sin(v*25.1), v)"``; the language is that of
        docs/reference/expressions.md.
    filter : {"bilinear", "nearest"}
        How to read between pixel centres.
    border : {"clamp", "repeat", "mirror", "zero"}
        What lies outside the picture.
    pictures : tuple of str
        Names of further picture inputs that the formula may use, for example a displacement:
        ``"uv + 0.1*(warp.xy - 0.5)"``.
    numbers : tuple of str
        Names of further inputs that are numbers, equal for all pixels.

    Examples
    --------
    >>> waves = RemapUv(expression="vec2(u + 0.05*sin(v*25.1), v)", border="mirror")
    """

    type_name: ClassVar[str] = "image::RemapUv"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE, doc="The picture, read at the computed positions."),)

    expression: str
    filter: Filter = Filter.BILINEAR
    border: Border = Border.CLAMP
    pictures: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text(self.type_name, "expression", self.expression)
        check_names(self, self.type_name, "pictures")
        check_names(self, self.type_name, "numbers")
        check_choice(self, self.type_name, "filter", Filter)
        check_choice(self, self.type_name, "border", Border)
        names = (_IMAGE.name, *self.pictures)
        check_formula(self.type_name, self.expression, pictures=names, numbers=self.numbers)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The picture, then further pictures, then numbers."""
        return (_IMAGE, *formula_ports(self.pictures, self.numbers))

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """What the formula reads."""
        return formula_fields(self, self.expression) - {ContextField.RESOLUTION}

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the inputs' size."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return the picture, sampled at the formula's position."""
        position = formula(
            self.expression,
            inputs,
            pictures=self.pictures,
            numbers=self.numbers,
            textures=(_IMAGE.name,),
            expected=Type.VEC2,
        )
        type_ = inputs.texture_type(_IMAGE.name)
        return (sample(_IMAGE.name, position, type=type_, filter=self.filter, border=self.border),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (RemapUv, RemapUv)
