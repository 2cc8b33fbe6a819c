"""A reduction: a picture goes in, a number comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value, round_to_f32
from unshape_core.value_type import F32, TEXTURE
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node, SupportsExecute


@dataclass(frozen=True, slots=True)
class Mean:
    """Take the mean of all elements, summed exactly and rounded once; 0 of none."""

    type_name: ClassVar[str] = "testing::Mean"
    op_class: ClassVar[OpClass] = OpClass.REDUCTION
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("mean", F32),)

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a number."""
        return (ValueSpec(F32),)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext) -> tuple[Value, ...]:
        """Return the mean."""
        elements = np.asarray(inputs[0], np.float64).ravel()
        return (round_to_f32(fsum(elements) / elements.size if elements.size else 0.0),)


if TYPE_CHECKING:
    _proof: type[Node] = Mean
    _execute: type[SupportsExecute] = Mean
