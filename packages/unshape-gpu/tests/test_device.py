"""Work on a device: order, memory that is used again, futures, times, transfers."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from unshape_backend.capabilities import Feature
from unshape_backend.kernel import KernelSpec
from unshape_backend.plan.plan import Plan
from unshape_backend.protocols import CompiledTask
from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_gpu.backend import GpuComputeBackend
from unshape_gpu.buffer import GpuBuffer
from unshape_gpu.kernel import KernelCall
from unshape_gpu.transfer import _CHUNK_BYTES
from unshape_gpu.warming import warm_up
from unshape_testing.graph_builder import UNFUSED
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.nodes import Gain, Ramp
from unshape_testing.tasks import Job, make_job

CTX = EvalContext(resolution=(64, 64))
ONES = np.ones((64, 64, 1), np.float32)


def gain_job(gain: float = 2.0, offset: float = 0.0) -> Job:
    return make_job(Gain(gain, offset), (ONES,), CTX)


def call(run: CompiledTask, job: Job, value: object) -> GpuBuffer:
    (output,) = run(job.task.nodes, [value], job.ctx)  # type: ignore[list-item]
    assert isinstance(output, GpuBuffer)
    return output


def test_a_chain_is_one_submission(gpu: GpuComputeBackend) -> None:
    job = gain_job()
    run, value = gpu.compile(job.task), gpu.upload(ONES)
    before = gpu.queue.statistics.submissions
    for _ in range(8):
        value = call(run, job, value)
    gpu.flush()
    assert (before + 1, 8) == (gpu.queue.statistics.submissions, gpu.queue.statistics.dispatches)
    assert gpu.download(value)[0, 0, 0] == 256.0


def test_nothing_is_handed_over_or_waited_for_before_somebody_asks(gpu: GpuComputeBackend) -> None:
    job = gain_job()
    before = (gpu.queue.statistics.submissions, gpu.transfers.downloads)
    call(gpu.compile(job.task), job, gpu.upload(ONES))
    assert before == (gpu.queue.statistics.submissions, gpu.transfers.downloads)


def test_an_upload_does_not_overtake_recorded_work_on_the_same_memory(gpu: GpuComputeBackend) -> None:
    """The memory of a dropped input is used again at once; the kernel that reads it is not yet handed over."""
    job = gain_job()
    run = gpu.compile(job.task)
    gpu.trim()
    given = gpu.upload(ONES)
    output = call(run, job, given)
    del given
    gc.collect()
    other = gpu.upload(ONES * np.float32(100.0))
    assert gpu.pool.statistics.reuses >= 1
    assert gpu.download(output)[3, 3, 0] == 2.0
    assert gpu.download(other)[3, 3, 0] == 100.0


def test_changed_parameters_compile_nothing(gpu: GpuComputeBackend) -> None:
    job = gain_job(2.0)
    call(gpu.compile(job.task), job, gpu.upload(ONES))
    before = gpu.context.compilations
    changed = gain_job(3.0)
    output = call(gpu.compile(changed.task), changed, gpu.upload(ONES))
    assert before == gpu.context.compilations
    assert gpu.download(output)[0, 0, 0] == 3.0


@pytest.mark.parametrize("width", [32, 500])
def test_a_plan_that_was_warmed_up_compiles_nothing_when_it_runs(gpu: GpuComputeBackend, width: int) -> None:
    graph = Graph()
    ramp = graph.add_node(Ramp())
    last = graph.add_node(Gain(2.0, float(width)))
    graph.connect(ramp, 0, last, 0)
    evaluator = evaluator_of(registry_of(gpu), f"named:{gpu.id}", options=UNFUSED)
    ctx = EvalContext(resolution=(width, 8))
    plan = evaluator.prepare(graph, [last], ctx).explanation
    assert isinstance(plan, Plan)
    warm_up(gpu, [step.wired.task for step in plan.tasks])
    live, before = gpu.memory().used_bytes, gpu.context.compilations
    assert live == 0
    evaluator.evaluate(graph, [last], ctx)
    assert before == gpu.context.compilations
    assert warm_up(gpu, [step.wired.task for step in plan.tasks]) == 0


def test_kernels_are_warmed_up_without_running(gpu: GpuComputeBackend) -> None:
    calls = []

    def kernel(node: Gain, inputs: Sequence[GpuBuffer], _: EvalContext, call: KernelCall) -> tuple[GpuBuffer, ...]:
        calls.append(node)
        result = call.empty(inputs[0].shape)
        text = f"// {id(calls)}\n@group(0) @binding(1) var<storage, read> x: array<f32>;\n"
        text += "@group(0) @binding(2) var<storage, read_write> y: array<f32>;\n"
        text += "@compute @workgroup_size(1) fn main() { y[0] = x[0]; }"
        call.run(text, reads=inputs, writes=[result], items=1)
        return (result,)

    gpu.register_kernel(KernelSpec(node_type=Gain.type_name, backend="gpu", function=kernel))
    dispatches = gpu.queue.statistics.dispatches
    assert warm_up(gpu, [gain_job().task]) == 1
    assert len(calls) == 1
    gpu.flush()
    assert dispatches == gpu.queue.statistics.dispatches


def test_a_repeated_evaluation_makes_no_bind_groups(gpu: GpuComputeBackend) -> None:
    job = gain_job()
    run, value = gpu.compile(job.task), gpu.upload(ONES)
    for _ in range(3):
        call(run, job, value)
        gpu.synchronize()
    before = gpu.queue.statistics.bind_groups
    for _ in range(10):
        call(run, job, value)
        gpu.synchronize()
    assert before == gpu.queue.statistics.bind_groups


def test_more_work_than_one_submission_holds_is_right(gpu: GpuComputeBackend) -> None:
    job = gain_job(1.0, 1.0)
    run, value = gpu.compile(job.task), gpu.upload(ONES)
    for _ in range(1100):
        value = call(run, job, value)
    assert gpu.download(value)[0, 0, 0] == 1101.0
    assert gpu.queue.statistics.submissions >= 3


def test_a_future_tells_when_its_value_is_there(gpu: GpuComputeBackend) -> None:
    job = gain_job()
    future = call(gpu.compile(job.task), job, gpu.upload(ONES)).future()
    assert future.wait(30.0)
    assert future.is_ready()
    found = future.try_get()
    assert found is not None
    assert found[0, 0, 0] == 2.0
    assert future.result()[1, 1, 0] == 2.0


def test_a_value_can_be_awaited(gpu: GpuComputeBackend) -> None:
    job = gain_job()

    async def evaluate() -> Any:
        return await call(gpu.compile(job.task), job, gpu.upload(ONES))

    assert asyncio.run(evaluate())[0, 0, 0] == 2.0


def test_times_are_those_of_each_kernel(gpu: GpuComputeBackend) -> None:
    if Feature.TIMESTAMPS not in gpu.capabilities.features:
        pytest.skip("the device writes no timestamps")
    job = gain_job()
    run, value = gpu.compile(job.task), gpu.upload(ONES)
    with gpu.kernel_times() as times:
        for _ in range(5):
            value = call(run, job, value)
    assert [job.task.node.type_name] * 5 == [each.name for each in times]
    assert all(each.duration_ns >= 0 for each in times)
    assert sorted(each.start_ns for each in times) == [each.start_ns for each in times]


def test_many_threads_wait_for_one_device(gpu: GpuComputeBackend) -> None:
    """Whose callback comes first tells nothing of who is waiting for it."""
    job = gain_job()
    run = gpu.compile(job.task)

    def once(number: int) -> bool:
        output = call(run, job, gpu.upload(ONES * np.float32(number)))
        return bool((gpu.download(output) == 2.0 * number).all())

    with ThreadPoolExecutor(12) as pool:
        assert all(pool.map(once, range(400)))


@pytest.mark.parametrize("extra", [-1, 0, 1, 4097])
def test_large_arrays_travel_in_chunks(gpu: GpuComputeBackend, extra: int) -> None:
    array = np.random.default_rng(4).integers(0, 256, 2 * _CHUNK_BYTES + extra, np.uint8)
    value = gpu.upload(array)
    array_before = array.tobytes()
    array[:] = 0
    assert gpu.download(value).tobytes() == array_before


def test_changing_sizes_leave_no_memory_behind(gpu: GpuComputeBackend) -> None:
    rng = np.random.default_rng(6)
    for _ in range(60):
        height, width = (int(each) for each in rng.integers(1, 200, 2))
        picture = np.ones((height, width, 1), np.float32)
        job = make_job(Gain(2.0, 0.0), (picture,), EvalContext(resolution=(width, height)))
        assert gpu.download(call(gpu.compile(job.task), job, gpu.upload(picture)))[-1, -1, 0] == 2.0
    assert gpu.memory().used_bytes == 0
    assert gpu.trim() > 0
    assert gpu.pool.statistics.reserved_bytes == 0
