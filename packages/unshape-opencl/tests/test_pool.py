"""The pool: classes, budget, reuse, and what it does when memory runs out."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyopencl as cl
import pytest

from unshape_backend.errors import OutOfMemoryError
from unshape_core.memory_space import MemorySpace
from unshape_opencl.buffer import ClArray, Form
from unshape_opencl.discovery import list_devices
from unshape_opencl.pool import SMALLEST_BYTES, Block, Pool, size_class
from unshape_opencl.queue import Queue, settle

MIB = 1024 * 1024


@pytest.fixture
def queue() -> Iterator[Queue]:
    context = cl.Context([list_devices()[0]])
    queue = Queue(cl.CommandQueue(context))
    yield queue
    queue.finish()


def _pool(queue: Queue, *, budget_bytes: int | None = None, is_shared: bool = True) -> Pool:
    return Pool(queue.native.context, queue, budget_bytes=budget_bytes, is_shared=is_shared, owner="opencl")


def _array(pool: Pool) -> ClArray:
    owner = cast("Any", SimpleNamespace(id="opencl"))
    return ClArray(pool.take(MIB), Form((MIB,), np.dtype(np.uint8), space=MemorySpace("opencl", 0), owner=owner))


@pytest.mark.parametrize("nbytes", [1, 255, 256, 257, 1000, 4096, 4097, 65535, 1_000_000, 2**31 - 1, 2**31 + 1])
def test_a_class_holds_what_it_is_for_and_wastes_at_most_an_eighth(nbytes: int) -> None:
    size = size_class(nbytes)
    assert nbytes <= size <= max(SMALLEST_BYTES, nbytes * 9 // 8 + 1)
    assert size_class(size) == size


@pytest.mark.parametrize("is_shared", [True, False])
def test_memory_that_was_freed_is_used_again(queue: Queue, is_shared: bool) -> None:
    pool = _pool(queue, is_shared=is_shared)
    for _ in range(5):
        pool.take(MIB).give_back()
    found = pool.statistics
    assert (1, 4) == (found.allocations, found.reuses)
    assert (0, MIB) == (found.used_bytes, found.reserved_bytes)


def test_an_array_that_nobody_holds_gives_its_memory_back(queue: Queue) -> None:
    pool = _pool(queue)
    array = _array(pool)
    assert MIB == pool.statistics.used_bytes
    del array
    gc.collect()
    assert 0 == pool.statistics.used_bytes


def test_releasing_twice_gives_back_once(queue: Queue) -> None:
    pool = _pool(queue)
    array = _array(pool)
    array.release()
    array.release()
    del array
    assert (0, MIB) == (pool.statistics.used_bytes, pool.statistics.reserved_bytes)


def test_the_host_never_gets_memory_that_a_command_may_be_using(queue: Queue) -> None:
    pool = _pool(queue)
    running = SimpleNamespace(command_execution_status=cl.command_execution_status.RUNNING)
    queue.last = cast("Any", running)
    used = pool.take(MIB)
    used.give_back()
    assert pool.take(MIB, for_host=True) is not used
    assert pool.take(MIB) is used, "a command after that one may have it"
    queue.last = None


def test_beyond_the_budget_what_is_kept_is_given_back_first(queue: Queue) -> None:
    pool = _pool(queue, budget_bytes=3 * MIB)
    pool.take(2 * MIB).give_back()
    held = pool.take(3 * MIB)
    assert (3 * MIB, 0, 1) == (pool.statistics.used_bytes, pool.statistics.reserved_bytes, pool.statistics.trims)
    held.give_back()


def test_beyond_the_budget_the_error_says_what_is_needed_and_there(queue: Queue) -> None:
    pool = _pool(queue, budget_bytes=3 * MIB)
    held = pool.take(2 * MIB)
    with pytest.raises(OutOfMemoryError, match="2097152 bytes are needed, 1048576 are available") as caught:
        pool.take(2 * MIB)
    assert (2 * MIB, MIB) == (caught.value.needed_bytes, caught.value.available_bytes)
    held.give_back()
    pool.take(2 * MIB)


class _Failing(Pool):
    """A pool whose driver has no memory until it was trimmed."""

    fails = 1

    def _new(self, size: int) -> Block:
        if self.fails:
            self.fails -= 1
            raise cl.MemoryError("clCreateBuffer", cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE, "no memory")
        return super()._new(size)


def _failing(queue: Queue, fails: int) -> _Failing:
    pool = _Failing(queue.native.context, queue, budget_bytes=None, is_shared=True, owner="opencl")
    pool.fails = 0
    pool.take(2 * MIB).give_back()
    pool.fails = fails
    return pool


def test_a_driver_without_memory_is_asked_again_after_trimming(queue: Queue) -> None:
    pool = _failing(queue, 1)
    pool.take(MIB)
    assert 1 == pool.statistics.trims


def test_a_driver_without_memory_after_trimming_is_out_of_memory(queue: Queue) -> None:
    pool = _failing(queue, 2)
    with pytest.raises(OutOfMemoryError, match="the device has no more"):
        pool.take(MIB)
    assert 0 == pool.statistics.used_bytes


def test_trim_gives_back_what_is_kept_and_nothing_else(queue: Queue) -> None:
    pool = _pool(queue)
    held = pool.take(MIB)
    pool.take(2 * MIB).give_back()
    assert 2 * MIB == pool.trim()
    assert (MIB, 0) == (pool.statistics.used_bytes, pool.statistics.reserved_bytes)
    assert 0 == pool.trim()
    held.give_back()


def test_threads_that_take_and_free_leave_the_account_right(queue: Queue) -> None:
    pool = _pool(queue)

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for size in rng.integers(1, 100_000, 200):
            block = pool.take(int(size))
            assert block.nbytes >= size
            block.give_back()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = pool.statistics
    assert 0 == found.used_bytes
    assert 1600 == found.allocations + found.reuses


def test_lent_memory_is_kept_while_a_command_may_use_it(queue: Queue) -> None:
    pool = _pool(queue)
    array = np.ones(1000, np.float32)
    running = SimpleNamespace(command_execution_status=cl.command_execution_status.RUNNING)
    block = pool.lend(array)
    assert block.host is not None
    assert np.shares_memory(block.host, array)
    memory = weakref.ref(block.host)
    queue.last = cast("Any", running)
    block.give_back()
    del block
    pool.statistics  # noqa: B018 - lets go of what may go
    assert memory() is not None
    running.command_execution_status = cl.command_execution_status.COMPLETE
    assert 0 == pool.statistics.used_bytes
    assert memory() is None
    queue.last = None


def test_a_pool_that_goes_waits_for_the_device_while_its_memory_is_there(queue: Queue) -> None:
    seen: list[bool] = []
    memory: list[weakref.ref[object]] = []
    watched = SimpleNamespace(finish=lambda: seen.append(memory[0]() is not None), last=None, is_closed=False)
    pool = Pool(queue.native.context, cast("Any", watched), budget_bytes=None, is_shared=True, owner="opencl")
    block = pool.take(MIB)
    memory.append(weakref.ref(cast("Any", block.host)))
    block.give_back()
    gc.disable()
    try:
        del block, pool
        is_gone = memory[0]() is None
    finally:
        gc.enable()
    assert is_gone, "at once: whoever collects garbage sees nothing of a device's memory"
    assert [True] == seen


def test_memory_given_back_to_a_device_that_is_closed_is_released(queue: Queue) -> None:
    pool = _pool(queue)
    array = _array(pool)
    assert array.block is not None
    memory = weakref.ref(cast("Any", array.block.host))
    queue.close()
    pool.close()
    gc.disable()
    try:
        del array
        is_gone = memory() is None
    finally:
        gc.enable()
    assert is_gone


def test_a_fork_does_not_wait_for_its_parent_s_device() -> None:
    seen: list[None] = []
    waited = cast("Any", SimpleNamespace(finish=lambda: seen.append(None)))
    settle(waited, os.getpid() + 1)
    assert not seen
    settle(waited, os.getpid())
    assert 1 == len(seen)
