"""Numbering the values of a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unshape_core.errors import MissingInputError

if TYPE_CHECKING:
    from unshape_core.snapshot import GraphSnapshot
    from unshape_core.value import Value


def check_inputs(snapshot: GraphSnapshot, order: Sequence[int]) -> None:
    """Check that every input of the nodes in the order has a wire or a default.

    Raises
    ------
    MissingInputError
        If one has neither.
    """
    for node_id in order:
        for port, source in zip(snapshot.inputs(node_id), snapshot.sources(node_id), strict=True):
            if source is None and port.default is None:
                type_name = snapshot.nodes[node_id].type_name
                msg = (
                    f"node {node_id} ({type_name}): input '{port.name}' has neither a wire nor a default; "
                    f"connect a {port.value_type} to it"
                )
                raise MissingInputError(msg, node_id=node_id, type_name=type_name)


class SlotTable:
    """One slot for each output port of the nodes in an order, and one for each default that is used.

    Attributes
    ----------
    inputs, outputs : dict of int to tuple of int
        The slots of each node's ports.
    constants : dict of int to Value
        The defaults.
    """

    def __init__(self, snapshot: GraphSnapshot, order: Sequence[int]) -> None:
        self.count = 0
        self.constants: dict[int, Value] = {}
        self.inputs: dict[int, tuple[int, ...]] = {}
        self.outputs: dict[int, tuple[int, ...]] = {}
        for node_id in order:
            self.outputs[node_id] = tuple(self.add() for _ in snapshot.outputs(node_id))
        for node_id in order:
            self.inputs[node_id] = self._inputs_of(snapshot, node_id)

    def add(self) -> int:
        """Return a new slot."""
        self.count += 1
        return self.count - 1

    def _inputs_of(self, snapshot: GraphSnapshot, node_id: int) -> tuple[int, ...]:
        slots: list[int] = []
        for port, source in zip(snapshot.inputs(node_id), snapshot.sources(node_id), strict=True):
            if source is not None:
                slots.append(self.outputs[source.node_id][source.port])
            else:
                slots.append(self.add())
                assert port.default is not None  # see check_inputs
                self.constants[slots[-1]] = port.default
        return tuple(slots)
