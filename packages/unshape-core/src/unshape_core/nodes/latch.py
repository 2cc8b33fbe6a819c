"""The unit delay, by which a graph remembers.

Every cycle of a graph must pass through the ``signal`` input of a latch: within one tick that wire leads nowhere, so
each tick by itself is a graph without cycles. :class:`~unshape_core.recurrence.Recurrence` carries the state from tick
to tick. Evaluated on its own, without a recurrence, a graph with latches is at tick 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from unshape_core.argument_checks import check_count, check_port_facts
from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import ValueType
from unshape_core.workload import OpClass

if TYPE_CHECKING:
    from unshape_core.protocols import Node


@dataclass(frozen=True, slots=True)
class Latch:
    """Give out at each tick what came in at the tick before.

    At tick 0 the output is ``init``. A latch of rate ``n`` takes in its signal at the ticks 0, n, 2n ... and holds its
    output in between.

    Parameters
    ----------
    value_type : ValueType
        Type of all three ports.
    rate : int, at least 1
        Number of ticks between two changes of the output.
    """

    type_name: ClassVar[str] = "core::Latch"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    INIT: ClassVar[int] = 0
    SIGNAL: ClassVar[int] = 1

    value_type: ValueType
    rate: int = 1

    def __post_init__(self) -> None:
        check_port_facts(self.type_name, self.value_type)
        check_count("core::Latch: rate", self.rate, at_least=1)

    @property
    def inputs(self) -> tuple[Port, ...]:
        """Where it starts, and what it remembers."""
        return (
            Port("init", self.value_type, doc="The output at tick 0."),
            Port("signal", self.value_type, doc="What the output becomes at the next tick."),
        )

    @property
    def outputs(self) -> tuple[Port, ...]:
        """What was remembered."""
        return (Port("out", self.value_type, doc="The signal of the tick before."),)

    def takes_in_at(self, tick: int) -> bool:
        """Return whether the signal of that tick is remembered."""
        return tick % self.rate == 0

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return the spec of ``init``."""
        return (input_specs[self.INIT],)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext) -> tuple[Value, ...]:
        """Return ``init``: the output at tick 0."""
        return (inputs[self.INIT],)


if TYPE_CHECKING:
    _proof: type[Node] = Latch
