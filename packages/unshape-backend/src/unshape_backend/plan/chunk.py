"""Chunks: as many connected nodes as one kernel takes."""

from __future__ import annotations

from collections.abc import Mapping, Set

from unshape_backend.plan.fusible import MAX_PICTURE_INSTRUCTIONS, MAX_SCALAR_NODES, FusionRules, Kind, Work
from unshape_backend.plan.wiring import ValueId


class Chunk:
    """Nodes taken one after the other, in dependency order, with a running count of what limits apply to.

    Parameters
    ----------
    works : mapping of int to Work
        What there is to compute.
    readers : mapping of ValueId to set of int
        The nodes that read each value.
    requested : set of ValueId
        Values that are stored whoever reads them.
    rules : FusionRules
        What the devices allow.
    """

    __slots__ = ("_arrays", "_instructions", "_open", "_readers", "_requested", "_rules", "_works", "node_ids")

    def __init__(
        self,
        works: Mapping[int, Work],
        readers: Mapping[ValueId, Set[int]],
        requested: Set[ValueId],
        rules: FusionRules,
    ) -> None:
        self._works, self._readers, self._requested, self._rules = works, readers, requested, rules
        self.node_ids: list[int] = []
        self._arrays: set[ValueId] = set()
        self._open: dict[ValueId, int] = {}
        self._instructions = 0

    def can_take(self, node_id: int) -> bool:
        """Return whether one more node fits; the first one always does."""
        if not self.node_ids:
            return True
        if node_id in self._rules.breaks:
            return False
        work = self._works[node_id]
        if work.kind is Kind.SCALARS:
            return len(self.node_ids) < MAX_SCALAR_NODES
        if self._instructions + work.instructions > MAX_PICTURE_INSTRUCTIONS:
            return False
        if self._rules.max_arrays is None:
            return True
        read = len(self._arrays) + sum(v not in self._arrays and v not in self._open for v in work.arrays)
        stored = sum(
            value in self._requested or readers > (value in work.reads) for value, readers in self._open.items()
        )
        return read + stored + len(work.array_outputs) <= self._rules.max_arrays

    def take(self, node_id: int) -> None:
        """Add a node."""
        work = self._works[node_id]
        self.node_ids.append(node_id)
        self._instructions += work.instructions
        for value in work.reads:
            if value in self._open:
                self._open[value] -= 1
                if self._open[value] == 0 and value not in self._requested:
                    del self._open[value]
            elif value in work.arrays:
                self._arrays.add(value)
        for value in work.array_outputs:
            if value in self._requested or self._readers.get(value):
                self._open[value] = len(self._readers.get(value, ()))

    def outputs(self) -> tuple[ValueId, ...]:
        """Return the values that somebody outside needs."""
        inside = set(self.node_ids)
        return tuple(
            value
            for node_id in self.node_ids
            for value in self._works[node_id].outputs
            if value in self._requested or not inside.issuperset(self._readers.get(value, ()))
        )
