"""Functions of one value: scalars, vectors component by component, pictures pixel by pixel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_backend.nodes.ports import FLOATS, NUMBERS, check_type, value_output, value_port
from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, ValueType
from unshape_core.workload import OpClass
from unshape_expr import build
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class UnaryMath(ABC):
    """What the nodes of one operand have in common.

    Parameters
    ----------
    value_type : ValueType
        Type of the operand and of the result.
    """

    type_name: ClassVar[str] = "math::Unary"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    allowed: ClassVar[tuple[ValueType, ...]] = FLOATS

    value_type: ValueType = F32

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, self.allowed)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The operand."""
        return (value_port("x", self.value_type, 0.0, "The operand."),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The result."""
        return value_output(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the result."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return the function of the operand."""
        return (self.apply(inputs["x"]),)

    @abstractmethod
    def apply(self, x: Expr) -> Expr:
        """Return the function."""


@dataclass(frozen=True, slots=True)
class Negate(UnaryMath):
    """``-x``; integers wrap."""

    type_name: ClassVar[str] = "math::Negate"
    allowed: ClassVar[tuple[ValueType, ...]] = NUMBERS

    def apply(self, x: Expr) -> Expr:
        """Return the negative."""
        return -x


@dataclass(frozen=True, slots=True)
class Absolute(UnaryMath):
    """The absolute value; integers wrap."""

    type_name: ClassVar[str] = "math::Absolute"
    allowed: ClassVar[tuple[ValueType, ...]] = NUMBERS

    def apply(self, x: Expr) -> Expr:
        """Return the absolute value."""
        return abs(x)


@dataclass(frozen=True, slots=True)
class Floor(UnaryMath):
    """The largest whole number not above ``x``."""

    type_name: ClassVar[str] = "math::Floor"

    def apply(self, x: Expr) -> Expr:
        """Return the floor."""
        return build.floor(x)


@dataclass(frozen=True, slots=True)
class Ceiling(UnaryMath):
    """The smallest whole number not below ``x``."""

    type_name: ClassVar[str] = "math::Ceiling"

    def apply(self, x: Expr) -> Expr:
        """Return the ceiling."""
        return build.ceil(x)


@dataclass(frozen=True, slots=True)
class Round(UnaryMath):
    """The nearest whole number, of two equally near ones the even."""

    type_name: ClassVar[str] = "math::Round"

    def apply(self, x: Expr) -> Expr:
        """Return the rounded value."""
        return build.round(x)


@dataclass(frozen=True, slots=True)
class Truncate(UnaryMath):
    """The whole number next to ``x`` towards zero."""

    type_name: ClassVar[str] = "math::Truncate"

    def apply(self, x: Expr) -> Expr:
        """Return the whole part."""
        return build.trunc(x)


@dataclass(frozen=True, slots=True)
class Fraction(UnaryMath):
    """``x - floor(x)``, in [0, 1]."""

    type_name: ClassVar[str] = "math::Fraction"

    def apply(self, x: Expr) -> Expr:
        """Return the fraction."""
        return build.fract(x)


@dataclass(frozen=True, slots=True)
class SquareRoot(UnaryMath):
    """The square root; NaN below zero."""

    type_name: ClassVar[str] = "math::SquareRoot"

    def apply(self, x: Expr) -> Expr:
        """Return the root."""
        return build.sqrt(x)


if TYPE_CHECKING:
    _nodes: tuple[type[Node], ...] = (Negate, Absolute, Floor, Ceiling, Round, Truncate, Fraction, SquareRoot)
    _bodies: tuple[type[SupportsBody], ...] = (Negate, Absolute, Floor, Ceiling, Round, Truncate, Fraction, SquareRoot)
