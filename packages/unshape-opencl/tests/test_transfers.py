"""Transfers: what is copied, what is not, and that memory stays bounded."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from unshape_backend.capabilities import Feature, TransferPath
from unshape_backend.policy import Named
from unshape_core.context import EvalContext
from unshape_core.program import StepKind
from unshape_opencl import ClArray, OpenClBackend
from unshape_opencl.transfer import PIECE_BYTES, PIECES
from unshape_testing.graph_builder import UNFUSED, GraphBuilder
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.nodes import Gain, Ramp
from unshape_testing.tasks import make_job


def _frozen(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    array = np.random.default_rng(1).random(shape, dtype=np.float32)
    array.flags.writeable = False
    return array


def _shares(opened: OpenClBackend) -> bool:
    return Feature.UNIFIED_MEMORY in opened.capabilities.features


def test_an_array_that_cannot_change_is_used_in_place(opened: OpenClBackend) -> None:
    array = _frozen(64, 64, 4)
    value = opened.adopt(array)
    if not _shares(opened):
        assert value is None
        return
    assert value is not None
    assert value.block is not None
    assert np.shares_memory(value.block.host, array)
    job = make_job(Gain(2.0, 1.0), (array,), EvalContext(resolution=(64, 64)))
    (result,) = opened.compile(job.task)(job.task.nodes, [value], job.ctx)
    np.testing.assert_array_equal(array * np.float32(2) + np.float32(1), opened.download(result))


def test_an_array_that_may_change_is_not_used_in_place(opened: OpenClBackend) -> None:
    writeable = np.zeros((8, 8, 1), np.float32)
    view = writeable[:]
    view.flags.writeable = False
    assert opened.adopt(writeable) is None
    assert opened.adopt(view) is None, "its owner can still change it"
    assert opened.adopt(_frozen(8, 8, 3)[:, ::2]) is None, "it is not dense"
    assert opened.adopt(_frozen(8, 8, 3)[:, :, 1:2][1:]) is None, "it is not dense"
    assert opened.adopt(1.0) is None


def test_what_is_used_in_place_lives_as_long_as_it_is_used(opened: OpenClBackend) -> None:
    if not _shares(opened):
        pytest.skip("this device has a memory of its own")
    job = make_job(Gain(2.0, 1.0), (_frozen(512, 512, 4),), EvalContext(resolution=(512, 512)))
    run = opened.compile(job.task)
    for _ in range(20):
        array = _frozen(512, 512, 4)
        expected = array * np.float32(2) + np.float32(1)
        value = opened.adopt(array)
        assert value is not None
        (result,) = run(job.task.nodes, [value], job.ctx)
        del array, value
        gc.collect()
        np.testing.assert_array_equal(expected, opened.download(result))


def test_links_say_how_values_travel(opened: OpenClBackend) -> None:
    path = TransferPath.SHARED_MEMORY if _shares(opened) else TransferPath.HOST_STAGING
    assert {path} == {link.path for link in opened.capabilities.links}


@pytest.mark.parametrize("nbytes", [PIECE_BYTES - 4, PIECE_BYTES, PIECE_BYTES + 4, (PIECES + 1) * PIECE_BYTES + 12])
def test_large_arrays_arrive_whole(opened: OpenClBackend, nbytes: int) -> None:
    array = np.arange(nbytes // 4, dtype=np.uint32)
    value = opened.upload(array)
    array[::1000] = 0
    expected = np.arange(nbytes // 4, dtype=np.uint32)
    np.testing.assert_array_equal(expected, opened.download(value))


def test_thousands_of_tiny_uploads_use_memory_again(opened: OpenClBackend) -> None:
    tiny = np.ones((5, 5, 1), np.float32)
    opened.upload(tiny)
    opened.synchronize()
    before = opened.pool_statistics
    for _ in range(20_000):
        opened.upload(tiny)
    opened.synchronize()
    after = opened.pool_statistics
    assert before.used_bytes == after.used_bytes
    assert after.reserved_bytes - before.reserved_bytes <= 1024 * 1024
    assert after.allocations - before.allocations <= 4096


def test_a_released_array_is_refused_by_name(opened: OpenClBackend) -> None:
    value = opened.upload(np.ones(4, np.float32))
    assert isinstance(value, ClArray)
    value.release()
    with pytest.raises(ValueError, match=r"download on 'opencl'.*released"):
        opened.download(value)


def test_arrays_know_their_content_and_not_their_address(opened: OpenClBackend) -> None:
    first, second = (opened.upload(np.full((3, 3), 0.5, np.float32)) for _ in range(2))
    assert first.content_key == second.content_key
    assert first.content_key != opened.upload(np.full((3, 3), 0.25, np.float32)).content_key


def test_kernel_times_hold_no_transfer(opened: OpenClBackend) -> None:
    array = _frozen(256, 256, 1)
    job = make_job(Gain(2.0, 1.0), (array,), EvalContext(resolution=(256, 256)))
    run = opened.compile(job.task)
    with opened.kernel_times() as times:
        value = opened.upload(array)
        for _ in range(3):
            (value,) = run(job.task.nodes, [value], job.ctx)  # type: ignore[assignment]
        opened.download(value)
    assert ["testing::Gain"] * 3 == [time.name for time in times]
    assert all(time.duration_ns > 0 for time in times)


def test_records_tell_what_the_device_measured_and_order_is_kept(opened: OpenClBackend) -> None:
    build = GraphBuilder()
    end = build.chain(build.add(Ramp()), [Gain(2.0), Gain(0.5), Gain(3.0)])[-1]
    evaluator = evaluator_of(registry_of(opened), Named(opened.id), options=UNFUSED)
    pictures = []
    for keeps_records in (False, True, False, True):
        evaluator.cache.clear()
        ctx = EvalContext(resolution=(64, 64))
        result = evaluator.evaluate(build.graph, (end,), ctx, keeps_records=keeps_records)
        pictures.append(np.asarray(result.outputs[0][0]))
        times = [record.device_ns for record in result.records if record.kind is StepKind.NODE]
        assert all(time is not None and time > 0 for time in times)
        assert (4 if keeps_records else 0) == len(times)
    for picture in pictures[1:]:
        np.testing.assert_array_equal(pictures[0], picture)
