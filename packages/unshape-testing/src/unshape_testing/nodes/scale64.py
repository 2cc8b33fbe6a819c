"""A node of float64 arrays of three axes that are no picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import ArrayType
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute

VOLUME64 = ArrayType("float64", ("depth", "row", "column"))


@dataclass(frozen=True, slots=True)
class Scale64:
    """Multiply every element.

    Parameters
    ----------
    factor : float
        By what.
    """

    type_name: ClassVar[str] = "testing::Scale64"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("volume", VOLUME64),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("volume", VOLUME64),)

    factor: float = 0.1

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return an array like the input."""
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext) -> tuple[Value, ...]:
        """Return the products."""
        return (np.asarray(inputs[0]) * self.factor,)


if TYPE_CHECKING:
    _proof: type[Node] = Scale64
    _execute: type[SupportsExecute] = Scale64
