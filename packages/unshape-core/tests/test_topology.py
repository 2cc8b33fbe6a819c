"""Topology: order, reachability, cycles, and that the cost is linear."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_core.topology import dependency_order, find_cycle, find_path, is_reachable, reachable

graphs = st.integers(1, 12).flatmap(
    lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30).map(lambda e: (n, e))
)


def _neighbours(n: int, edges: Iterable[tuple[int, int]]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    forward: dict[int, list[int]] = {i: [] for i in range(n)}
    backward: dict[int, list[int]] = {i: [] for i in range(n)}
    for a, b in edges:
        forward[a].append(b)
        backward[b].append(a)
    return forward, backward


def _closure(n: int, edges: Iterable[tuple[int, int]]) -> list[list[bool]]:
    """Reachability by the Floyd-Warshall algorithm: cubic, and plainly right."""
    reach = [[i == j for j in range(n)] for i in range(n)]
    for a, b in edges:
        reach[a][b] = True
    for k in range(n):
        for i in range(n):
            for j in range(n):
                reach[i][j] = reach[i][j] or (reach[i][k] and reach[k][j])
    return reach


@given(graphs)
def test_reachability_is_that_of_the_transitive_closure(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = graph
    forward, backward = _neighbours(n, edges)
    reach = _closure(n, edges)
    for a in range(n):
        assert {b for b in range(n) if reach[a][b]} == reachable([a], forward.__getitem__)
        for b in range(n):
            assert reach[a][b] == is_reachable(a, b, forward.__getitem__, backward.__getitem__)[0]
            path = find_path(a, b, forward.__getitem__)
            assert (path is not None) == reach[a][b]
            if path is not None:
                assert (a, b) == (path[0], path[-1])
                assert all(after in forward[before] for before, after in pairwise(path))


@given(graphs)
def test_cycle_found_is_a_cycle_and_is_found_where_there_is_one(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = graph
    forward, _ = _neighbours(n, edges)
    reach = _closure(n, edges)
    has_cycle = any(reach[b][a] for a, b in edges)
    cycle = find_cycle(range(n), forward.__getitem__)
    assert has_cycle == (cycle is not None)
    if cycle is not None:
        assert cycle[0] == cycle[-1]
        assert all(after in forward[before] for before, after in pairwise(cycle))


@given(graphs)
def test_dependency_order_puts_each_after_what_it_needs(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = graph
    edges = [(a, b) for a, b in edges if a < b]
    _, backward = _neighbours(n, edges)
    reach = _closure(n, edges)
    order = dependency_order([n - 1], backward.__getitem__)
    assert sorted(i for i in range(n) if reach[i][n - 1]) == sorted(order)
    for a, b in edges:
        if b in order:
            assert order.index(a) < order.index(b)


@pytest.mark.parametrize("n", [1_000, 100_000])
def test_order_of_a_chain_asks_once_for_each_node(n: int) -> None:
    asked = 0

    def predecessors(node: int) -> list[int]:
        nonlocal asked
        asked += 1
        return [node - 1] if node else []

    assert list(range(n)) == dependency_order([n - 1], predecessors)
    assert n == asked
