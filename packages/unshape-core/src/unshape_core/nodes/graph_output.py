"""A named result of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.argument_checks import check_port_facts
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
class GraphOutput:
    """Pass a value on under a name by which callers ask for it.

    Parameters
    ----------
    name : str
        Unique among the graph's outputs.
    value_type : ValueType
        What is passed on.
    """

    type_name: ClassVar[str] = "core::GraphOutput"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    name: str
    value_type: ValueType

    def __post_init__(self) -> None:
        check_port_facts(self.type_name, self.value_type, name=self.name)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The value to pass on."""
        return (Port("value", self.value_type, doc="The value to pass on."),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """The same value."""
        return (Port("value", self.value_type, doc="The same value."),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the input's spec."""
        return (input_specs[0],)

    def input_windows(
        self, window: Window, input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        """Return the same window, if the value is a picture."""
        return (None if input_specs[0].picture_px is None else window,)

    def execute(self, inputs: Sequence[Value], ctx: EvalContext) -> tuple[Value, ...]:
        """Return the input, cut to the window that was asked for."""
        return (cut_to_region(inputs[0], ctx),)


def cut_to_region(value: Value, ctx: EvalContext) -> Value:
    """Return the part of a picture at hand that ``ctx.region.output`` asks for; anything else as it is."""
    region = ctx.region
    if region is None or region.inputs[0] is None or region.inputs[0] == region.output:
        return value
    rows, columns = region.output.slices_in(region.inputs[0])
    return value[rows, columns]  # type: ignore[index]  # a value with a window is an array


if TYPE_CHECKING:
    _proof: type[Node] = GraphOutput
