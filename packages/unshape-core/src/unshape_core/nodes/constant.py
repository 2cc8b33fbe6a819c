"""A value that is part of the graph."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_core.argument_checks import shown
from unshape_core.coercion import coerce_value, is_graph_value
from unshape_core.content_key import value_key
from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.port import Port, frozen_copy
from unshape_core.spec import ValueSpec, spec_of
from unshape_core.value import Value, Vec2, Vec3, Vec4
from unshape_core.value_type import BOOL, F32, I32, TEXTURE, VEC2, VEC3, VEC4, ArrayType, CustomType, ValueType
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """Give out a value.

    Two constants are equal if their values are the same bits of the same type: ``Constant(0.0)`` is not
    ``Constant(-0.0)``, nor ``Constant(1)`` or ``Constant(True)``.

    Parameters
    ----------
    value : Value
        The value; an array is copied, so that changing it later changes no graph.
    value_type : ValueType or None
        Its type; None takes that of the value (``F32`` for a float, ``I32`` for an int, TEXTURE for a picture).
    """

    type_name: ClassVar[str] = "core::Constant"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = ()

    value: Value
    value_type: ValueType | None = None

    def __post_init__(self) -> None:
        value_type = natural_type(self.value) if self.value_type is None else self.value_type
        value = coerce_value(self.value, value_type, where="core::Constant: value")
        object.__setattr__(self, "value_type", value_type)
        object.__setattr__(self, "value", frozen_copy(value))

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The value."""
        assert self.value_type is not None  # set when the node was made
        return (Port("value", self.value_type, doc="The value."),)

    @property
    def content_key(self) -> Hashable:
        """Equal for equal values of one type."""
        return str(self.value_type), value_key(self.value)

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return type and shape of the value."""
        assert self.value_type is not None  # set when the node was made
        return (spec_of(self.value, self.value_type),)

    def execute(self, _inputs: Sequence[Value], _ctx: EvalContext) -> tuple[Value, ...]:
        """Return the value."""
        return (self.value,)

    def __eq__(self, other: object) -> bool:
        return self.content_key == other.content_key if isinstance(other, Constant) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.content_key)


def natural_type(value: object) -> ValueType:
    """Return the type that a value has if none is named."""
    match value:
        case bool() | np.bool_():
            return BOOL
        case int() | np.integer():
            return I32
        case float() | np.floating():
            return F32
        case Vec2():
            return VEC2
        case Vec3():
            return VEC3
        case Vec4():
            return VEC4
        case np.ndarray() if value.dtype.name == "float32" and value.ndim in {2, 3}:
            return TEXTURE
        case np.ndarray():
            return ArrayType(value.dtype.name, tuple(f"axis{k}" for k in range(value.ndim)))
        case _ if is_graph_value(value):
            return CustomType(type(value))
        case _:
            got = shown(value)
            msg = f"core::Constant: value: expected a scalar, a vector or an array, got {got}; name its value_type"
            raise InvalidArgumentError(msg, type_name=Constant.type_name)


if TYPE_CHECKING:
    _proof: type[Node] = Constant
