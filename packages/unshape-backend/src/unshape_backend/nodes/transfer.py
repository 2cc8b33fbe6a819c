"""Nodes that say where a value has to be.

On the host they hand their input on. A planner takes them as orders: the value is moved there, in a visible step, and
is never moved for convenience before it got there. What comes after them is placed as always.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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
class _Move:
    """What the nodes that say where a value has to be have in common; ``value_type`` is documented at each of them."""

    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType = field(default=TEXTURE, kw_only=True)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The value to move."""
        return (Port("value", self.value_type, doc="The value to move."),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The same value."""
        return (Port("value", self.value_type, doc="The same value."),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the input's spec."""
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return the input."""
        return (inputs[0],)


@dataclass(frozen=True, slots=True)
class Transfer(_Move):
    """Move a value into the memory of a backend.

    Parameters
    ----------
    backend : str
        The backend, for example ``"gpu"`` or ``"cpu"``.
    value_type : ValueType
        What is moved.
    """

    type_name: ClassVar[str] = "backend::Transfer"

    backend: str = REFERENCE

    def __post_init__(self) -> None:
        parse_backend_id(self.backend)


@dataclass(frozen=True, slots=True)
class TransferToGpu(_Move):
    """Move a value into the memory of the best GPU.

    Parameters
    ----------
    value_type : ValueType
        What is moved.
    """

    type_name: ClassVar[str] = "backend::TransferToGpu"


@dataclass(frozen=True, slots=True)
class TransferToCpu(_Move):
    """Move a value into the host's memory.

    Parameters
    ----------
    value_type : ValueType
        What is moved.
    """

    type_name: ClassVar[str] = "backend::TransferToCpu"


TransferNode = Transfer | TransferToGpu | TransferToCpu


if TYPE_CHECKING:
    _transfer: type[Node] = Transfer
    _to_gpu: type[Node] = TransferToGpu
    _to_cpu: type[Node] = TransferToCpu
