"""The memory pool: size classes, reuse, counting, budget, trimming."""

from __future__ import annotations

import gc
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_backend.errors import OutOfMemoryError
from unshape_gpu.buffer import Lease
from unshape_gpu.native_objects import Buffer
from unshape_gpu.pool import GpuMemoryPool, size_class


class FakeBuffer(Buffer):
    """Memory that notes whether it was given back."""

    def __init__(self, size: int) -> None:
        super().__init__(None, lambda _: None, size)
        self.is_destroyed = False

    def destroy(self) -> None:
        self.is_destroyed = True


class Driver:
    """Hands out buffers up to a limit."""

    def __init__(self, limit: int = 1 << 40) -> None:
        self.limit = limit
        self.buffers: list[FakeBuffer] = []
        self.forgotten: set[int] = set()

    def allocate(self, nbytes: int) -> FakeBuffer:
        held = sum(each.size for each in self.buffers if not each.is_destroyed)
        if held + nbytes > self.limit:
            raise OutOfMemoryError("full", backend="gpu")
        self.buffers.append(FakeBuffer(nbytes))
        return self.buffers[-1]

    def pool(self, budget_bytes: int | None = None, reserve_bytes: int = 1 << 40) -> GpuMemoryPool:
        return GpuMemoryPool(
            self.allocate,
            backend="gpu",
            budget_bytes=budget_bytes,
            on_destroy=self.forgotten.update,
            lock=threading.RLock(),
            reserve_bytes=reserve_bytes,
        )


@given(st.integers(1, 2**34))
def test_a_size_class_holds_the_size_and_at_most_a_quarter_more(nbytes: int) -> None:
    capacity = size_class(nbytes)
    assert capacity >= nbytes
    assert capacity % 16 == 0
    assert capacity <= max(256, nbytes * 5 // 4 + 64)


@given(st.integers(1, 2**30))
def test_a_size_class_is_its_own_class(nbytes: int) -> None:
    assert size_class(nbytes) == size_class(size_class(nbytes))


def test_released_memory_is_used_again() -> None:
    driver = Driver()
    pool = driver.pool()
    first = pool.take(1000)
    pool.release(first)
    assert pool.take(1010) is first
    assert (1, 1) == (pool.statistics.allocations, pool.statistics.reuses)


def test_memory_in_use_is_never_handed_out_twice() -> None:
    pool = Driver().pool()
    assert pool.take(1000) is not pool.take(1000)


def test_memory_with_two_references_outlives_one_release() -> None:
    pool = Driver().pool()
    block = pool.take(64)
    pool.retain(block)
    pool.release(block)
    assert pool.take(64) is not block
    pool.release(block)
    assert pool.take(64) is block


def test_the_budget_is_kept_and_named() -> None:
    pool = Driver().pool(budget_bytes=4096)
    kept = pool.take(3000)
    with pytest.raises(OutOfMemoryError, match="budget of 4096") as caught:
        pool.take(2000)
    assert (2048, 4096 - kept.capacity) == (caught.value.needed_bytes, caught.value.available_bytes)


def test_reserve_is_given_back_before_the_budget_refuses() -> None:
    driver = Driver()
    pool = driver.pool(budget_bytes=4096)
    block = pool.take(3000)
    pool.release(block)
    pool.take(2000)
    assert driver.buffers[0].is_destroyed
    assert driver.forgotten == {block.serial}


def test_a_full_driver_is_asked_again_after_trimming() -> None:
    driver = Driver(limit=4096)
    pool = driver.pool()
    pool.release(pool.take(3000))
    assert pool.take(2000).capacity == 2048


def test_trim_returns_what_it_freed() -> None:
    pool = Driver().pool()
    pool.release(pool.take(1024))
    kept = pool.take(512)
    assert pool.trim() == 1024
    assert (kept.capacity, 0) == (pool.statistics.live_bytes, pool.statistics.reserved_bytes)


def test_the_reserve_is_bounded_and_what_waits_longest_goes_first() -> None:
    driver = Driver()
    pool = driver.pool(reserve_bytes=2048)
    for block in [pool.take(1024) for _ in range(3)]:
        pool.release(block)
    assert pool.statistics.reserved_bytes == 2048
    assert [True, False, False] == [each.is_destroyed for each in driver.buffers]


def test_after_close_released_memory_goes_to_the_driver() -> None:
    driver = Driver()
    pool = driver.pool()
    block = pool.take(64)
    pool.close()
    pool.release(block)
    assert pool.statistics.live_bytes == 0
    assert driver.buffers[0].is_destroyed


def test_memory_of_values_that_die_in_a_cycle_is_whole_when_it_is_used_again() -> None:
    """A buffer is released when a garbage collector finds it in a cycle."""
    released: list[str] = []
    pool = GpuMemoryPool(
        lambda size: Buffer("memory", released.append, size),
        backend="gpu",
        budget_bytes=None,
        on_destroy=lambda _: None,
        lock=threading.RLock(),
    )
    cycle: dict[str, object] = {"lease": Lease(pool, pool.take(64))}
    cycle["self"] = cycle
    del cycle
    gc.collect()
    block = pool.take(64)
    assert released == []
    pool.close()
    del block, pool
    gc.collect()
    assert released == ["memory"]
