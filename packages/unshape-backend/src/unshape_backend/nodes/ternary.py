"""Clamping, mixing, comparing and choosing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, assert_never

from unshape_backend.nodes.ports import FLOATS, NUMBERS, check_type, value_output, value_port
from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import BOOL, F32, I32, ValueType
from unshape_core.workload import OpClass
from unshape_expr import build
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody


@dataclass(frozen=True, slots=True)
class Clamp:
    """``min(max(x, low), high)``; NaN if one of the three is.

    Parameters
    ----------
    value_type : ValueType
        Type of all inputs and of the result.
    """

    type_name: ClassVar[str] = "math::Clamp"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = F32

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, NUMBERS)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The value and its bounds."""
        return (
            value_port("x", self.value_type, 0.0, "The value."),
            value_port("low", self.value_type, 0.0, "The least result."),
            value_port("high", self.value_type, 1.0, "The greatest result."),
        )

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The value within the bounds."""
        return value_output(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the result."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return the clamped value."""
        return (build.min(build.max(inputs["x"], inputs["low"]), inputs["high"]),)


@dataclass(frozen=True, slots=True)
class Mix:
    """``a + t * (b - a)``: ``a`` where ``t`` is 0.

    Parameters
    ----------
    value_type : ValueType
        Type of ``a``, ``b`` and the result; ``t`` is a number.
    """

    type_name: ClassVar[str] = "math::Mix"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = F32

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, FLOATS)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Both ends, and how far to go."""
        return (
            value_port("a", self.value_type, 0.0, "The result where t is 0."),
            value_port("b", self.value_type, 1.0, "The result where t is 1, up to rounding."),
            value_port("t", F32, 0.5, "How far to go from a to b."),
        )

    @property
    def outputs(self) -> tuple[Port, ...]:
        """What lies between."""
        return value_output(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the result."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return what lies between."""
        return (inputs["a"] + inputs["t"] * (inputs["b"] - inputs["a"]),)


class Comparison(StrEnum):
    """How two numbers are compared."""

    LESS = "less"
    LESS_EQUAL = "less-equal"
    EQUAL = "equal"
    NOT_EQUAL = "not-equal"
    GREATER_EQUAL = "greater-equal"
    GREATER = "greater"


@dataclass(frozen=True, slots=True)
class Compare:
    """Compare two numbers; with NaN everything is false but ``not-equal``.

    Parameters
    ----------
    comparison : Comparison
        What is asked.
    value_type : ValueType
        ``F32`` or ``I32``.
    """

    type_name: ClassVar[str] = "math::Compare"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    comparison: Comparison = Comparison.LESS
    value_type: ValueType = F32

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, (F32, I32))
        try:
            object.__setattr__(self, "comparison", Comparison(self.comparison))
        except ValueError:
            known = ", ".join(Comparison)
            msg = f"{self.type_name}: comparison: expected one of {known}, got {self.comparison!r}"
            raise InvalidArgumentError(msg, type_name=self.type_name) from None

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The numbers."""
        return (
            value_port("a", self.value_type, 0.0, "The first number."),
            value_port("b", self.value_type, 0.0, "The second number."),
        )

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The answer."""
        return value_output(BOOL)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the answer."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return the comparison."""
        a, b = inputs["a"], inputs["b"]
        match self.comparison:
            case Comparison.LESS:
                return (build.lt(a, b),)
            case Comparison.LESS_EQUAL:
                return (build.le(a, b),)
            case Comparison.EQUAL:
                return (build.eq(a, b),)
            case Comparison.NOT_EQUAL:
                return (build.ne(a, b),)
            case Comparison.GREATER_EQUAL:
                return (build.le(b, a),)
            case Comparison.GREATER:
                return (build.lt(b, a),)
            case _:
                assert_never(self.comparison)


@dataclass(frozen=True, slots=True)
class Select:
    """One of two values; the other one has no part in the result.

    Parameters
    ----------
    value_type : ValueType
        Type of both values.
    """

    type_name: ClassVar[str] = "math::Select"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = F32

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, NUMBERS)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The condition and the values."""
        return (
            value_port("condition", BOOL, 0.0, "Which one."),
            value_port("if_true", self.value_type, 1.0, "The result if the condition holds."),
            value_port("if_false", self.value_type, 0.0, "The result if it does not."),
        )

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The value chosen."""
        return value_output(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the result."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return the choice."""
        return (build.select(inputs["condition"], inputs["if_true"], inputs["if_false"]),)


if TYPE_CHECKING:
    _nodes: tuple[type[Node], ...] = (Clamp, Mix, Compare, Select)
    _bodies: tuple[type[SupportsBody], ...] = (Clamp, Mix, Compare, Select)
