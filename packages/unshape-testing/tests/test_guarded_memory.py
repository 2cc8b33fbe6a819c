"""The memory notices writes past its buffers, reads of what is gone, and leaks."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from unshape_backend.errors import OutOfMemoryError
from unshape_testing.guarded_memory import FREED, GUARD_BYTES, UNWRITTEN, GuardedMemory


def memory(*, budget_bytes: int | None = None) -> GuardedMemory:
    return GuardedMemory(owner="test", budget_bytes=budget_bytes)


def test_live_bytes_are_those_that_something_refers_to() -> None:
    subject = memory()
    first, second = subject.allocate(100), subject.allocate(28)
    assert subject.live_bytes == 128
    del first
    gc.collect()
    assert subject.live_bytes == 28
    del second
    gc.collect()
    assert (subject.live_bytes, subject.peak_bytes, subject.allocations) == (0, 128, 2)


def test_zero_bytes_are_no_allocation() -> None:
    subject = memory(budget_bytes=0)
    assert subject.allocate(0).bytes.size == 0
    assert subject.allocations == 0


def test_new_memory_is_poisoned() -> None:
    assert set(memory().allocate(16).bytes.tolist()) == {UNWRITTEN}


def test_memory_that_was_given_back_is_poisoned() -> None:
    buffer = memory().allocate(16)
    view = buffer.bytes
    view[:] = 7
    del buffer
    gc.collect()
    assert set(view.tolist()) == {FREED}


@pytest.mark.parametrize(("index", "text"), [(GUARD_BYTES + 16, "past its end"), (GUARD_BYTES - 1, "before its start")])
def test_a_write_outside_is_noticed_while_the_buffer_lives_and_afterwards(index: int, text: str) -> None:
    subject = memory()
    buffer = subject.allocate(16)
    assert subject.violations() == ()
    buffer.storage[index] = 0
    assert len(subject.violations()) == 1
    del buffer
    gc.collect()
    (found,) = subject.violations()
    assert "16 bytes" in found
    assert "1 bytes " + text in found


def test_a_budget_is_kept_at_the_limit_and_one_beyond() -> None:
    subject = memory(budget_bytes=64)
    kept = subject.allocate(64)
    with pytest.raises(OutOfMemoryError) as caught:
        subject.allocate(1)
    assert (caught.value.needed_bytes, caught.value.available_bytes) == (1, 0)
    del kept
    gc.collect()
    assert subject.allocate(64).view((4, 4), np.dtype(np.float32)).shape == (4, 4)
