"""A checkerboard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.context import ContextField, EvalContext
from unshape_core.parameter_checks import check_integer
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.build import eq, floor, select, to_i32, u, v, vector
from unshape_expr.ir import Expr
from unshape_image.parameters import check_color, check_colors_alike

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody

MAX_CELLS = 65536


@dataclass(frozen=True, slots=True)
class Checker:
    """Draw a checkerboard.

    Parameters
    ----------
    columns : int, in [1, 65536]
        Cells across.
    rows : int, in [1, 65536]
        Cells down.
    first : tuple of 1 to 4 float
        The colour of the upper left cell.
    second : tuple of as many float
        The colour of its neighbours.

    Examples
    --------
    >>> board = Checker(columns=8, rows=8, first=(0.9, 0.8, 0.6), second=(0.3, 0.15, 0.1))
    """

    type_name: ClassVar[str] = "image::Checker"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset({ContextField.RESOLUTION})
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = (
        Port("image", TEXTURE, doc="Picture of as many channels as the colours have."),
    )

    columns: int = 8
    rows: int = 8
    first: tuple[float, ...] = (1.0, 1.0, 1.0)
    second: tuple[float, ...] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_integer(self.type_name, "columns", self.columns, low=1, high=MAX_CELLS)
        check_integer(self.type_name, "rows", self.rows, low=1, high=MAX_CELLS)
        for name in ("first", "second"):
            object.__setattr__(self, name, check_color(self.type_name, name, getattr(self, name)))
        check_colors_alike(self.type_name, {"first": self.first, "second": self.second})

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of a picture of the evaluation's resolution."""
        return infer_body(self, input_specs, ctx)

    def body(self, _inputs: BodyInputs) -> Sequence[Expr]:
        """Return one of the two colours."""
        column = to_i32(floor(u() * float(self.columns)))
        row = to_i32(floor(v() * float(self.rows)))
        return (select(eq((column + row) & 1, 0), vector(*self.first), vector(*self.second)),)


if TYPE_CHECKING:
    _proof: tuple[type[Node], type[SupportsBody]] = (Checker, Checker)
