"""Refusing cycles while a graph is built, at a cost that stays linear for graphs as people build them.

Every node has a rank, and as long as each wire leads from a lower rank to a higher one, a further wire of that kind
closes no cycle: nothing is searched. A wire against the ranks costs a search of the smaller side and makes the ranks
stale; they are made anew, as the lengths of the longest ways to each node, once the searches have cost as much as that
does.
"""

from __future__ import annotations

from collections.abc import Iterable

from unshape_core.topology import Neighbours, dependency_order, is_reachable


class CycleGuard:
    """Knows whether a wire would close a cycle.

    Parameters
    ----------
    successors, predecessors : callable
        The nodes that a node's wires lead to and come from, those left out that a cycle may pass through.
    """

    __slots__ = ("_is_stale", "_next_rank", "_predecessors", "_rank", "_steps", "_successors", "steps_total")

    def __init__(self, *, successors: Neighbours, predecessors: Neighbours) -> None:
        self._successors = successors
        self._predecessors = predecessors
        self._rank: dict[int, int] = {}
        self._next_rank = 0
        self._is_stale = False
        self._steps = 0
        self.steps_total = 0

    def add(self, node: int) -> None:
        """Take in a node that has no wires yet."""
        self._rank[node] = self._next_rank
        self._next_rank += 1

    def remove(self, node: int) -> None:
        """Forget a node that has no wires any more."""
        del self._rank[node]

    def closes_cycle(self, from_node: int, to_node: int) -> bool:
        """Return whether a wire between the two would close a cycle; if not, it must be added next."""
        if not self._is_stale and self._rank[from_node] < self._rank[to_node]:
            return False
        is_cycle, steps = is_reachable(to_node, from_node, self._successors, self._predecessors)
        self.steps_total += steps
        if is_cycle:
            return True
        self._is_stale = True
        self._steps += steps
        return False

    def refresh(self, nodes: Iterable[int], *, wire_count: int) -> None:
        """Make the ranks anew if searching has cost more than that."""
        if self._is_stale and self._steps > len(self._rank) + wire_count:
            rank: dict[int, int] = {}
            for node in dependency_order(nodes, self._predecessors):
                rank[node] = 1 + max((rank[before] for before in self._predecessors(node)), default=-1)
            self.steps_total += len(rank) + wire_count
            self._rank = rank
            self._next_rank = 1 + max(rank.values(), default=-1)
            self._is_stale = False
            self._steps = 0
