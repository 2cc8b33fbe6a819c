"""Questions about the shape of a graph: order, reachability, cycles.

All functions are iterative and visit every node and wire at most once, so that a chain of 100,000 nodes and a diamond
10,000 levels deep are ordinary inputs. They know nothing of nodes, only of numbers and who is next to whom.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

Neighbours = Callable[[int], Iterable[int]]
"""The nodes next to a node, in a fixed order; the same one may be named several times."""


def dependency_order(targets: Iterable[int], predecessors: Neighbours) -> list[int]:
    """Return the targets and everything they need, each after what it needs.

    The order is that of a depth-first walk (targets in the order given, predecessors in theirs), which keeps few values
    alive at a time. The graph must be free of cycles.

    Examples
    --------
    >>> wires_in = {0: [], 1: [0], 2: [0], 3: [1, 2], 4: []}
    >>> dependency_order([3], wires_in.__getitem__)
    [0, 1, 2, 3]
    """
    order: list[int] = []
    seen: set[int] = set()
    for target in targets:
        if target in seen:
            continue
        seen.add(target)
        stack = [(target, iter(predecessors(target)))]
        while stack:
            node, pending = stack[-1]
            for predecessor in pending:
                if predecessor not in seen:
                    seen.add(predecessor)
                    stack.append((predecessor, iter(predecessors(predecessor))))
                    break
            else:
                order.append(node)
                stack.pop()
    return order


def reachable(starts: Iterable[int], neighbours: Neighbours) -> set[int]:
    """Return the starts and all that can be reached from them."""
    seen = set(starts)
    pending = list(seen)
    while pending:
        for neighbour in neighbours(pending.pop()):
            if neighbour not in seen:
                seen.add(neighbour)
                pending.append(neighbour)
    return seen


def find_path(start: int, goal: int, neighbours: Neighbours) -> list[int] | None:
    """Return a shortest path from ``start`` to ``goal``, both included, None if there is none.

    Examples
    --------
    >>> find_path(0, 2, {0: [1], 1: [2], 2: []}.__getitem__)
    [0, 1, 2]
    """
    came_from = {start: start}
    pending = deque([start])
    while pending:
        node = pending.popleft()
        if node == goal:
            path = [node]
            while node != start:
                node = came_from[node]
                path.append(node)
            return path[::-1]
        for neighbour in neighbours(node):
            if neighbour not in came_from:
                came_from[neighbour] = node
                pending.append(neighbour)
    return None


def is_reachable(start: int, goal: int, successors: Neighbours, predecessors: Neighbours) -> tuple[bool, int]:
    """Return whether ``goal`` can be reached from ``start``, and how many wires were followed to know.

    Walks forward from the start and backward from the goal, one wire each in turn, and stops when either walk is
    exhausted. The cost is that of the smaller side: a chain is wired in constant time per wire from either end.
    """
    if start == goal:
        return True, 0
    ahead, behind = {start}, {goal}
    steps = 0
    for forward, backward in zip(_walk(ahead, successors), _walk(behind, predecessors), strict=False):
        steps += 2
        if forward in behind or backward in ahead:
            return True, steps
    return False, steps


def _walk(seen: set[int], neighbours: Neighbours) -> Iterator[int]:
    """Yield the end of every wire that leads on from ``seen``, which grows along the way."""
    pending = list(seen)
    while pending:
        for neighbour in neighbours(pending.pop()):
            if neighbour not in seen:
                seen.add(neighbour)
                pending.append(neighbour)
            yield neighbour


def find_cycle(nodes: Iterable[int], successors: Neighbours) -> list[int] | None:
    """Return the nodes of one cycle in order, the first one again at the end; None if there is no cycle.

    Examples
    --------
    >>> find_cycle([0, 1, 2], {0: [1], 1: [2], 2: [1]}.__getitem__)
    [1, 2, 1]
    """
    done: set[int] = set()
    for root in nodes:
        if root in done:
            continue
        position = {root: 0}
        path = [root]
        stack = [iter(successors(root))]
        while stack:
            for neighbour in stack[-1]:
                if neighbour in position:
                    return [*path[position[neighbour] :], neighbour]
                if neighbour not in done:
                    position[neighbour] = len(path)
                    path.append(neighbour)
                    stack.append(iter(successors(neighbour)))
                    break
            else:
                stack.pop()
                finished = path.pop()
                del position[finished]
                done.add(finished)
    return None
