"""Sequence: the order in which units run, so that one backend's follow each other as far as they can."""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Sequence


def in_sequence(predecessors: Sequence[Sequence[int]], owners: Sequence[Hashable]) -> list[int]:
    """Return all indices, each after its predecessors, with few changes of owner between neighbours.

    What belongs to nobody (owner None) runs as soon as it can; otherwise the present owner goes on while it has
    something to do, and then the owner of the first of those that wait takes over.

    Parameters
    ----------
    predecessors : sequence of sequence of int
        For each index what has to come before.
    owners : sequence of hashable
        For each index who runs it.

    Examples
    --------
    >>> in_sequence([[], [], [0], [1]], ["a", "b", "a", "b"])
    [0, 2, 1, 3]
    """
    waiting = [len(set(before)) for before in predecessors]
    successors: list[list[int]] = [[] for _ in predecessors]
    for index, before in enumerate(predecessors):
        for each in set(before):
            successors[each].append(index)
    ready: dict[Hashable, list[int]] = {}
    for index, count in enumerate(waiting):
        if count == 0:
            heapq.heappush(ready.setdefault(owners[index], []), index)
    order: list[int] = []
    current: Hashable = None
    while True:
        if ready.get(None):
            owner: Hashable = None
        elif ready.get(current):
            owner = current
        else:
            owner = current = min((k for k, queue in ready.items() if queue), key=lambda k: ready[k][0], default=None)
            if owner is None:
                return order
        index = heapq.heappop(ready[owner])
        order.append(index)
        for successor in successors[index]:
            waiting[successor] -= 1
            if waiting[successor] == 0:
                heapq.heappush(ready.setdefault(owners[successor], []), successor)
