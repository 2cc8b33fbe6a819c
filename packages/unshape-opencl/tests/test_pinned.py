"""Pinned memory: lent as arrays, used again when nobody holds them, bounded; transfers from and into it."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pyopencl as cl
import pytest

from unshape_opencl import OpenClBackend
from unshape_opencl.discovery import list_devices, open_device
from unshape_opencl.pinned import PinnedMemory
from unshape_opencl.transfer import DIRECT_FROM_BYTES, RETURNS

MIB = 1024 * 1024


@pytest.fixture
def pinned() -> Iterator[PinnedMemory]:
    memory = PinnedMemory(cl.Context([list_devices()[0]]), budget_bytes=4 * MIB)
    yield memory
    memory.close()


@pytest.fixture
def gpu() -> Iterator[OpenClBackend]:
    backend = open_device(list_devices()[0], as_gpu=True)
    yield backend
    backend.close()


def test_memory_is_lent_to_one_at_a_time_and_used_again(pinned: PinnedMemory) -> None:
    first = pinned.array(MIB)
    second = pinned.array(MIB)
    assert first is not None
    assert second is not None
    assert not np.shares_memory(first, second)
    place = first.ctypes.data
    part = first[16:32].view(np.float32).reshape(2, 2)
    del first
    gc.collect()
    third = pinned.array(MIB)
    assert third is not None
    assert not np.shares_memory(part, third), "a part of it is still held"
    del part
    gc.collect()
    fourth = pinned.array(MIB)
    assert fourth is not None
    assert place == fourth.ctypes.data
    assert 3 * MIB == pinned.reserved_bytes


def test_beyond_the_budget_there_is_none_until_some_comes_back(pinned: PinnedMemory) -> None:
    held = pinned.array(3 * MIB)
    assert pinned.array(2 * MIB) is None
    del held
    gc.collect()
    assert pinned.array(2 * MIB) is not None
    assert 2 * MIB == pinned.reserved_bytes, "what was kept has been given back for it"


def test_parts_of_pinned_memory_are_known_and_others_are_not(pinned: PinnedMemory) -> None:
    array = pinned.array(MIB)
    assert array is not None
    assert pinned.has(array)
    assert pinned.has(array[100:200])
    assert not pinned.has(np.zeros(MIB, np.uint8))


def test_host_arrays_travel_and_may_be_changed_afterwards(opened: OpenClBackend) -> None:
    array = opened.host_array((513, 1027), np.float32)
    array[...] = expected = np.random.default_rng(4).random(array.shape, np.float32)
    value = opened.upload(array)
    array[...] = 0
    np.testing.assert_array_equal(expected, opened.download(value))


def test_downloads_of_a_size_that_comes_back_are_whole_and_their_own(gpu: OpenClBackend) -> None:
    sources = [np.full(DIRECT_FROM_BYTES, number, np.uint8) for number in range(RETURNS + 3)]
    values = [gpu.upload(source) for source in sources]
    found = [gpu.download(value) for value in values]
    for source, array in zip(sources, found, strict=True):
        np.testing.assert_array_equal(source, array)
    found[-1][...] = 255
    np.testing.assert_array_equal(sources[-2], found[-2])
    np.testing.assert_array_equal(sources[-1], gpu.download(values[-1]))


def test_what_was_downloaded_stays_when_the_backend_is_closed() -> None:
    backend = open_device(list_devices()[0], as_gpu=True)
    source = np.arange(DIRECT_FROM_BYTES, dtype=np.uint32)
    value = backend.upload(source)
    found = [backend.download(value) for _ in range(RETURNS + 1)]
    backend.close()
    del backend, value
    gc.collect()
    for array in found:
        np.testing.assert_array_equal(source, array)


def test_small_uploads_go_round_a_strip_without_overtaking(gpu: OpenClBackend) -> None:
    for start in range(400):
        source = np.full(60_000, start % 251, np.uint8)
        value = gpu.upload(source)
        source[...] = 255
        if start % 50 == 0:
            np.testing.assert_array_equal(np.full(60_000, start % 251, np.uint8), gpu.download(value))
