"""The guard against cycles: right whatever the order of wires, and linear for graphs as people build them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_core.cycle_guard import CycleGuard
from unshape_core.topology import find_path


class Wiring:
    """Nodes and wires with a guard."""

    def __init__(self, nodes: int, *, refreshes: bool = True) -> None:
        self.refreshes = refreshes
        self.forward: list[list[int]] = [[] for _ in range(nodes)]
        self.backward: list[list[int]] = [[] for _ in range(nodes)]
        self.guard = CycleGuard(successors=self.forward.__getitem__, predecessors=self.backward.__getitem__)
        self.wires = 0
        for node in range(nodes):
            self.guard.add(node)

    def connect(self, a: int, b: int) -> bool:
        if self.guard.closes_cycle(a, b):
            return False
        self.forward[a].append(b)
        self.backward[b].append(a)
        self.wires += 1
        if self.refreshes:
            self.guard.refresh(range(len(self.forward)), wire_count=self.wires)
        return True


@given(st.integers(1, 10), st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=60))
def test_wire_is_refused_exactly_if_its_end_leads_back_to_its_start(nodes: int, pairs: list[tuple[int, int]]) -> None:
    wiring = Wiring(nodes)
    for first, second in pairs:
        a, b = first % nodes, second % nodes
        leads_back = find_path(b, a, wiring.forward.__getitem__) is not None
        assert leads_back != wiring.connect(a, b)


def _chain_forward(n: int) -> list[tuple[int, int]]:
    return [(i, i + 1) for i in range(n - 1)]


def _chain_backward(n: int) -> list[tuple[int, int]]:
    return _chain_forward(n)[::-1]


def _chain_against_the_numbers(n: int) -> list[tuple[int, int]]:
    return [(i + 1, i) for i in range(n - 1)]


def _chain_in_random_order(n: int) -> list[tuple[int, int]]:
    pairs = _chain_forward(n)
    random.Random(1).shuffle(pairs)
    return pairs


def _fan_out_against_the_numbers(n: int) -> list[tuple[int, int]]:
    return [(n - 1, i) for i in range(n - 1)]


def _fan_in_against_the_numbers(n: int) -> list[tuple[int, int]]:
    return [(i, 0) for i in range(1, n)]


def _ladder(n: int) -> list[tuple[int, int]]:
    """Two chains, then rungs from the one with the higher numbers to the other."""
    half = n // 2
    chains = [(i, i + 1) for i in range(half - 1)] + [(half + i, half + i + 1) for i in range(half - 1)]
    return chains + [(half + i, i) for i in range(half)]


@pytest.mark.parametrize(
    "pairs",
    [
        _chain_forward,
        _chain_backward,
        _chain_against_the_numbers,
        _chain_in_random_order,
        _fan_out_against_the_numbers,
        _fan_in_against_the_numbers,
        _ladder,
    ],
)
def test_building_follows_a_bounded_number_of_wires_for_each(pairs: Callable[[int], list[tuple[int, int]]]) -> None:
    n = 20_000
    wiring = Wiring(n)
    assert all(wiring.connect(a, b) for a, b in pairs(n))
    assert wiring.guard.steps_total <= 40 * n


def test_without_new_ranks_the_bound_is_broken() -> None:
    n = 4_000
    wiring = Wiring(n, refreshes=False)
    assert all(wiring.connect(a, b) for a, b in _ladder(n))
    assert wiring.guard.steps_total > 40 * n
