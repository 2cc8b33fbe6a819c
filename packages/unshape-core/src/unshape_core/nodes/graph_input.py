"""A value that the caller gives."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.argument_checks import check_port_facts
from unshape_core.coercion import coerce_value
from unshape_core.content_key import value_key
from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import MissingInputError
from unshape_core.port import Port, frozen_copy
from unshape_core.spec import ValueSpec, spec_of
from unshape_core.value import Value
from unshape_core.value_type import ValueType
from unshape_core.versioned import unwrap
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True, eq=False)
class GraphInput:
    """Give out ``ctx.inputs[name]``, or a default.

    Parameters
    ----------
    name : str
        Unique among the graph's inputs.
    value_type : ValueType
        What the caller has to give.
    default : Value or None
        Used if the caller gives nothing; None means that the caller must. An array is copied.
    """

    type_name: ClassVar[str] = "core::GraphInput"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset({ContextField.INPUTS})
    inputs: ClassVar[tuple[Port, ...]] = ()

    name: str
    value_type: ValueType
    default: Value | None = None

    def __post_init__(self) -> None:
        check_port_facts(self.type_name, self.value_type, name=self.name)
        if self.default is not None:
            default = coerce_value(self.default, self.value_type, where=f"default of input '{self.name}'")
            object.__setattr__(self, "default", frozen_copy(default))

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The value given."""
        return (Port("value", self.value_type, doc="The value given by the caller."),)

    @property
    def content_key(self) -> Hashable:
        """Equal for equal parameters."""
        return self.name, str(self.value_type), None if self.default is None else value_key(self.default)

    def value_in(self, ctx: EvalContext) -> Value:
        """Return the value that the context gives this input, checked and brought to the port's type.

        Raises
        ------
        MissingInputError
            If there is neither a value nor a default.
        """
        given = ctx.inputs.get(self.name)
        if given is not None:
            return coerce_value(unwrap(given), self.value_type, where=f"input '{self.name}'")
        if self.default is None:
            msg = (
                f"input '{self.name}': no value given and no default; "
                f"pass a {self.value_type} in inputs={{'{self.name}': ...}} or by --input {self.name}=..."
            )
            raise MissingInputError(msg, type_name=self.type_name)
        return self.default

    def infer(self, _input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return type and shape of the value."""
        return (spec_of(self.value_in(ctx), self.value_type),)

    def execute(self, _inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Return the value."""
        return (self.value_in(ctx),)

    def __eq__(self, other: object) -> bool:
        return self.content_key == other.content_key if isinstance(other, GraphInput) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.content_key)


if TYPE_CHECKING:
    _proof: type[Node] = GraphInput
