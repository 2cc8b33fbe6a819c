"""Vectors: put together, taken apart, measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_backend.nodes.ports import check_type, value_output, value_port
from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, VEC2, VEC3, VEC4, ValueType
from unshape_core.workload import OpClass
from unshape_expr import build
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr

if TYPE_CHECKING:
    from unshape_core.protocols import Node
    from unshape_expr.body import SupportsBody

_VECTORS: tuple[ValueType, ...] = (VEC2, VEC3, VEC4)
_COUNTS = {VEC2: 2, VEC3: 3, VEC4: 4}


def _letters(value_type: ValueType) -> str:
    return "xyzw"[: _COUNTS[value_type]]  # type: ignore[index]  # checked when the node was made


@dataclass(frozen=True, slots=True)
class MakeVector:
    """Put a vector together.

    Parameters
    ----------
    value_type : ValueType
        ``VEC2``, ``VEC3`` or ``VEC4``.
    """

    type_name: ClassVar[str] = "math::MakeVector"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = VEC2

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, _VECTORS)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The components."""
        return tuple(value_port(letter, F32, 0.0, f"Component {letter}.") for letter in _letters(self.value_type))

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The vector."""
        return value_output(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the vector."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return the vector."""
        return (build.vector(*[inputs[letter] for letter in _letters(self.value_type)]),)


@dataclass(frozen=True, slots=True)
class SplitVector:
    """Take a vector apart.

    Parameters
    ----------
    value_type : ValueType
        ``VEC2``, ``VEC3`` or ``VEC4``.
    """

    type_name: ClassVar[str] = "math::SplitVector"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = VEC2

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, _VECTORS)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The vector."""
        return (value_port("vector", self.value_type, 0.0, "The vector."),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The components."""
        return tuple(value_port(letter, F32, None, f"Component {letter}.") for letter in _letters(self.value_type))

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the specs of the components."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return the components."""
        return build.components(inputs["vector"])


@dataclass(frozen=True, slots=True)
class DotProduct:
    """The sum of the products of components, added in order.

    Parameters
    ----------
    value_type : ValueType
        ``VEC2``, ``VEC3`` or ``VEC4``.
    """

    type_name: ClassVar[str] = "math::DotProduct"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = VEC3

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, _VECTORS)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The vectors."""
        return (
            value_port("a", self.value_type, 0.0, "The first vector."),
            value_port("b", self.value_type, 0.0, "The second vector."),
        )

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The product."""
        return value_output(F32)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the product."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return the product."""
        return (build.dot(inputs["a"], inputs["b"]),)


@dataclass(frozen=True, slots=True)
class Length:
    """The length of a vector: the square root of its product with itself.

    Parameters
    ----------
    value_type : ValueType
        ``VEC2``, ``VEC3`` or ``VEC4``.
    """

    type_name: ClassVar[str] = "math::Length"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = VEC3

    def __post_init__(self) -> None:
        check_type(self.type_name, self.value_type, _VECTORS)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The vector."""
        return (value_port("vector", self.value_type, 0.0, "The vector."),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Its length."""
        return value_output(F32)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the spec of the length."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs, /) -> Sequence[Expr]:
        """Return the length."""
        return (build.length(inputs["vector"]),)


if TYPE_CHECKING:
    _nodes: tuple[type[Node], ...] = (MakeVector, SplitVector, DotProduct, Length)
    _bodies: tuple[type[SupportsBody], ...] = (MakeVector, SplitVector, DotProduct, Length)
