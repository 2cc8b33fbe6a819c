"""A node whose output size depends on data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE, ArrayType
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute

VALUES = ArrayType("float32", ("index",))


@dataclass(frozen=True, slots=True)
class Positive:
    """Collect the elements above zero, in their order."""

    type_name: ClassVar[str] = "testing::Positive"
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("values", VALUES),)

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a row of unknown length."""
        return (ValueSpec(VALUES),)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext) -> tuple[Value, ...]:
        """Return the elements above zero."""
        picture = np.asarray(inputs[0])
        return (picture[picture > 0],)


if TYPE_CHECKING:
    _proof: type[Node] = Positive
    _execute: type[SupportsExecute] = Positive
