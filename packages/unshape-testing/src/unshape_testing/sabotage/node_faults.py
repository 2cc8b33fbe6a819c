"""Nodes with a fault, around nodes without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.protocols import Node, SupportsExecute, SupportsInputWindows
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_core.workload import OpClass


class Neighbourhood(Node, SupportsExecute, SupportsInputWindows, Protocol):
    """A node that reads a neighbourhood of each pixel, and that computes all of a picture if it is told no region."""


@dataclass(frozen=True, slots=True)
class WindowForPicture:
    """A node that takes the edge of its window for the edge of the picture.

    Parameters
    ----------
    node : Neighbourhood
        What it computes otherwise, of one picture.
    """

    type_name: ClassVar[str] = "testing::WindowForPicture"

    node: Neighbourhood

    @property
    def op_class(self) -> OpClass:
        """That of the node."""
        return self.node.op_class

    @property
    def context_fields(self) -> frozenset[ContextField]:
        """Those of the node."""
        return self.node.context_fields

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Those of the node."""
        return self.node.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        """Those of the node."""
        return self.node.outputs

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return what the node says."""
        return self.node.infer(input_specs, ctx)

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return what the node says."""
        return self.node.input_windows(window, input_specs, ctx)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Return what the node makes of the window, as if there were nothing around it."""
        assert ctx.region is not None  # a node that offers input_windows is told its region
        held = ctx.region.inputs[0]
        assert held is not None  # its input is a picture
        rows, columns = ctx.region.output.slices_in(held)
        return self.node.execute((np.asarray(inputs[0])[rows, columns],), EvalContext())


if TYPE_CHECKING:
    _proof: type[Neighbourhood] = WindowForPicture
