"""Nodes that say where a value has to be.

On the host they hand their input on. A planner takes them as orders: the value is moved there, in a visible step, and
is never moved for convenience before it got there. What comes after them is placed as always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_backend.identity import REFERENCE, parse_backend_id
from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE, ValueType
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class Transfer:
    """Move a value into the memory of a backend.

    Parameters
    ----------
    backend : str
        The backend, for example ``"gpu"`` or ``"cpu"``.
    value_type : ValueType
        What is moved.
    """

    type_name: ClassVar[str] = "backend::Transfer"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    backend: str = REFERENCE
    value_type: ValueType = TEXTURE

    def __post_init__(self) -> None:
        parse_backend_id(self.backend)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The value to move."""
        return _inputs(self.value_type)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The same value."""
        return _outputs(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the input's spec."""
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the input."""
        return (inputs[0],)


@dataclass(frozen=True, slots=True)
class TransferToGpu:
    """Move a value into the memory of the best GPU.

    Parameters
    ----------
    value_type : ValueType
        What is moved.
    """

    type_name: ClassVar[str] = "backend::TransferToGpu"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = TEXTURE

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The value to move."""
        return _inputs(self.value_type)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The same value."""
        return _outputs(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the input's spec."""
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the input."""
        return (inputs[0],)


@dataclass(frozen=True, slots=True)
class TransferToCpu:
    """Move a value into the host's memory.

    Parameters
    ----------
    value_type : ValueType
        What is moved.
    """

    type_name: ClassVar[str] = "backend::TransferToCpu"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = TEXTURE

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The value to move."""
        return _inputs(self.value_type)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The same value."""
        return _outputs(self.value_type)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the input's spec."""
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the input."""
        return (inputs[0],)


TransferNode = Transfer | TransferToGpu | TransferToCpu


def _inputs(value_type: ValueType) -> tuple[Port, ...]:
    return (Port("value", value_type, doc="The value to move."),)


def _outputs(value_type: ValueType) -> tuple[Port, ...]:
    return (Port("value", value_type, doc="The same value."),)


if TYPE_CHECKING:
    _transfer: type[Node] = Transfer
    _to_gpu: type[Node] = TransferToGpu
    _to_cpu: type[Node] = TransferToCpu
