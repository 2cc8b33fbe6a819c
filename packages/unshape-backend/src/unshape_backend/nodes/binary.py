"""Arithmetic of two values: scalars, vectors component by component, pictures pixel by pixel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
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
from unshape_expr.powers import power

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class BinaryMath(ABC):
    """What the nodes of two operands have in common.

    Parameters
    ----------
    value_type : ValueType
        Type of both operands and of the result: ``F32``, ``I32``, a vector, or a picture (both of one number of
        channels).
    """

    type_name: ClassVar[str] = "math::Binary"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    defaults: ClassVar[tuple[float, float]] = (0.0, 0.0)
    allowed: ClassVar[tuple[ValueType, ...]] = NUMBERS

    value_type: ValueType = F32

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, self.allowed)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The operands."""
        return _operands(self.value_type, self.defaults)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The result."""
        return value_output(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the result."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return the operation on the operands."""
        return (self.combine(inputs["a"], inputs["b"]),)

    @abstractmethod
    def combine(self, a: Expr, b: Expr) -> Expr:
        """Return the operation."""


@cache
def _operands(value_type: ValueType, defaults: tuple[float, float]) -> tuple[Port, ...]:
    return (
        value_port("a", value_type, defaults[0], "The first operand."),
        value_port("b", value_type, defaults[1], "The second operand."),
    )


@dataclass(frozen=True, slots=True)
class Add(BinaryMath):
    """``a + b``; integers wrap."""

    type_name: ClassVar[str] = "math::Add"

    def combine(self, a: Expr, b: Expr) -> Expr:
        """Return the sum."""
        return a + b


@dataclass(frozen=True, slots=True)
class Subtract(BinaryMath):
    """``a - b``; integers wrap."""

    type_name: ClassVar[str] = "math::Subtract"

    def combine(self, a: Expr, b: Expr) -> Expr:
        """Return the difference."""
        return a - b


@dataclass(frozen=True, slots=True)
class Multiply(BinaryMath):
    """``a * b``, component by component; integers wrap."""

    type_name: ClassVar[str] = "math::Multiply"
    defaults: ClassVar[tuple[float, float]] = (1.0, 1.0)

    def combine(self, a: Expr, b: Expr) -> Expr:
        """Return the product."""
        return a * b


@dataclass(frozen=True, slots=True)
class Divide(BinaryMath):
    """``a / b`` as IEEE has it; of integers the floor, and 0 for a division by 0."""

    type_name: ClassVar[str] = "math::Divide"
    defaults: ClassVar[tuple[float, float]] = (1.0, 1.0)

    def combine(self, a: Expr, b: Expr) -> Expr:
        """Return the quotient."""
        return build.div(a, b) if a.type.is_float else build.floordiv(a, b)


@dataclass(frozen=True, slots=True)
class Modulo(BinaryMath):
    """The remainder ``a - b * floor(a / b)``, with the sign of ``b``."""

    type_name: ClassVar[str] = "math::Modulo"
    defaults: ClassVar[tuple[float, float]] = (1.0, 1.0)

    def combine(self, a: Expr, b: Expr) -> Expr:
        """Return the remainder."""
        return build.mod(a, b)


@dataclass(frozen=True, slots=True)
class Power(BinaryMath):
    """``a`` to the power of ``b``."""

    type_name: ClassVar[str] = "math::Power"
    defaults: ClassVar[tuple[float, float]] = (1.0, 1.0)
    allowed: ClassVar[tuple[ValueType, ...]] = FLOATS

    def combine(self, a: Expr, b: Expr) -> Expr:
        """Return the power."""
        return power(a, b)


@dataclass(frozen=True, slots=True)
class Minimum(BinaryMath):
    """The smaller of the two; NaN if one of them is."""

    type_name: ClassVar[str] = "math::Minimum"

    def combine(self, a: Expr, b: Expr) -> Expr:
        """Return the minimum."""
        return build.min(a, b)


@dataclass(frozen=True, slots=True)
class Maximum(BinaryMath):
    """The larger of the two; NaN if one of them is."""

    type_name: ClassVar[str] = "math::Maximum"

    def combine(self, a: Expr, b: Expr) -> Expr:
        """Return the maximum."""
        return build.max(a, b)


if TYPE_CHECKING:
    _nodes: tuple[type[Node], ...] = (Add, Subtract, Multiply, Divide, Modulo, Power, Minimum, Maximum)
    _bodies: tuple[type[SupportsBody], ...] = (Add, Subtract, Multiply, Divide, Modulo, Power, Minimum, Maximum)
