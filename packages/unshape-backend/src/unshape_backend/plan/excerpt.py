"""Cutting a result to the window that was asked for, where more had to be computed for others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import ValueType
from unshape_core.window import Window
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Copy the part of a picture that ``ctx.region.output`` names. Planners make it; graphs have no use for it.

    Parameters
    ----------
    value_type : ValueType
        The picture's type.
    """

    type_name: ClassVar[str] = "backend::Excerpt"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    value_type: ValueType

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The picture."""
        return (Port("value", self.value_type, doc="The picture."),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The part."""
        return (Port("value", self.value_type, doc="The part of it."),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        """Return the input's spec."""
        return (input_specs[0],)

    def input_windows(
        self, window: Window, _input_specs: Sequence[ValueSpec], _ctx: EvalContext, /
    ) -> tuple[Window | None, ...]:
        """Return the same window."""
        return (window,)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext, /) -> tuple[Value, ...]:
        """Return a copy of the part."""
        picture, region = inputs[0], ctx.region
        assert isinstance(picture, np.ndarray)
        assert region is not None
        held = region.inputs[0]
        assert held is not None
        rows, columns = region.output.slices_in(held)
        return (picture[rows, columns].copy(),)


if TYPE_CHECKING:
    _proof: type[Node] = Excerpt
