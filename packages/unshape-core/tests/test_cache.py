"""The cache: bounded in real bytes for each space, least recently used first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_core import HOST, InvalidArgumentError, MemorySpace, ValueCache

DEVICE = MemorySpace("test", 1)


@dataclass(frozen=True)
class DeviceValue:
    """A value in another space."""

    nbytes: int
    space: MemorySpace = DEVICE
    content_key: Hashable = None


@given(st.lists(st.tuples(st.sampled_from("gp"), st.integers(0, 6), st.integers(0, 60)), max_size=60))
def test_cache_is_as_a_naive_model(operations: list[tuple[str, int, int]]) -> None:
    budget = 100
    cache, model = ValueCache(budget_bytes=budget), OrderedDict[int, int]()
    for operation, key, size in operations:
        if operation == "g":
            found: Any = cache.get(key)
            assert (model.get(key) if key in model else None) == (None if found is None else found.nbytes)
            if key in model:
                model.move_to_end(key)
        else:
            cache.put(key, np.zeros(size, np.uint8))
            model.pop(key, None)
            model[key] = size
            while sum(model.values()) > budget:
                model.popitem(last=False)
        statistics = cache.statistics(HOST)
        assert (len(model), sum(model.values())) == (statistics.entries, statistics.bytes_held)


def test_spaces_have_budgets_of_their_own() -> None:
    cache = ValueCache(budget_bytes=10, budgets={DEVICE: 100})
    cache.put("a", np.zeros(10, np.uint8))
    cache.put("a", DeviceValue(90))
    cache.put("b", DeviceValue(20))
    assert cache.get("a") is not None
    assert cache.get("a", DEVICE) is None
    assert cache.get("b", DEVICE) == DeviceValue(20)
    assert (10, 20) == (cache.statistics(HOST).bytes_held, cache.statistics(DEVICE).bytes_held)
    assert cache.statistics().bytes_held == 30


def test_value_larger_than_the_budget_displaces_nothing() -> None:
    cache = ValueCache(budget_bytes=10)
    cache.put("small", np.zeros(8, np.uint8))
    cache.put("large", np.zeros(11, np.uint8))
    assert cache.get("large") is None
    assert cache.get("small") is not None


def test_counts_hits_misses_and_evictions() -> None:
    cache = ValueCache(budget_bytes=10)
    cache.get("a")
    cache.put("a", np.zeros(6, np.uint8))
    cache.get("a")
    cache.put("b", np.zeros(6, np.uint8))
    statistics = cache.statistics()
    assert (1, 1, 1) == (statistics.hits, statistics.misses, statistics.evictions)
    cache.clear()
    assert (0, 0, 0) == (cache.statistics().hits, cache.statistics().entries, cache.statistics().bytes_held)


def test_trim_frees_the_oldest_and_says_how_much() -> None:
    cache = ValueCache(budget_bytes=100)
    for key in "abc":
        cache.put(key, DeviceValue(30))
    assert cache.trim(DEVICE, to_bytes=60) == 30
    assert cache.get("a", DEVICE) is None
    assert cache.trim(DEVICE) == 60
    assert cache.trim(DEVICE) == 0


def test_scalars_cost_something() -> None:
    cache = ValueCache(budget_bytes=1000)
    for number in range(100):
        cache.put(number, float(number))
    assert 0 < cache.statistics().entries < 100


def test_negative_budget_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="at least 0 bytes, got -1"):
        ValueCache(budget_bytes=-1)


def test_eight_threads_keep_the_books_straight() -> None:
    cache = ValueCache(budget_bytes=500)
    start = threading.Barrier(8)

    def work(seed: int) -> None:
        start.wait()
        random = np.random.default_rng(seed)
        for key, size in zip(random.integers(0, 50, 2000), random.integers(0, 100, 2000), strict=True):
            cache.put(int(key), np.zeros(int(size), np.uint8))
            cache.get(int(key))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    kept: list[Any] = [cache.get(key) for key in range(50)]
    held = sum(value.nbytes for value in kept if value is not None)
    assert held == cache.statistics().bytes_held <= 500
