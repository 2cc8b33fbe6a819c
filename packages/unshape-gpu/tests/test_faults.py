"""What goes wrong on a device ends in a typed error or on another backend."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.errors import BackendClosedError, CompilationError, DeviceLostError, OutOfMemoryError
from unshape_backend.kernel import KernelSpec
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.graph import Graph
from unshape_core.nodes import Constant
from unshape_core.value_type import TEXTURE
from unshape_gpu import backend as backend_module
from unshape_gpu.backend import GpuComputeBackend, open_backend
from unshape_gpu.buffer import GpuBuffer
from unshape_gpu.device import Contexts
from unshape_gpu.kernel import KernelCall
from unshape_testing.laws.expect import live_bytes
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.nodes import Gain
from unshape_testing.tasks import Job, make_job, run_job

ONES = np.ones((16, 16, 1), np.float32)


def gain_job(picture: npt.NDArray[np.float32] = ONES) -> Job:
    height, width = picture.shape[:2]
    return make_job(Gain(2.0, 1.0), (picture,), EvalContext(resolution=(width, height)))


@contextmanager
def silent_driver() -> Iterator[None]:
    """The library logs the loss of a device itself."""
    logger = logging.getLogger("wgpu")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


@pytest.fixture
def _own_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test open devices that nobody else has: those of the process serve other tests after it."""
    own = Contexts()
    monkeypatch.setattr(backend_module, "contexts", lambda: own)


@pytest.mark.usefixtures("gpu", "_own_devices")
def test_a_lost_device_is_a_typed_error_and_the_next_opening_gives_a_new_one() -> None:
    backend, *_ = open_backend()
    job = gain_job()
    value = backend.upload(ONES)
    (output,) = backend.compile(job.task)(job.task.nodes, [value], job.ctx)
    with silent_driver():
        backend.context.device.destroy()
        for ask in (backend.flush, backend.synchronize, lambda: backend.download(output), lambda: backend.upload(ONES)):
            with pytest.raises(DeviceLostError, match=r"'gpu'.*open the backend again"):
                ask()
        backend.close()
    fresh, *_ = open_backend()
    assert np.asarray(run_job(fresh, job)[0])[0, 0, 0] == 3.0
    fresh.close()


@pytest.mark.usefixtures("gpu", "_own_devices")
def test_a_graph_survives_the_loss_of_its_device() -> None:
    backend, *_ = open_backend()
    graph = Graph()
    last = graph.add_node(Constant(ONES, TEXTURE))
    for _ in range(4):
        node = graph.add_node(Gain(2.0, 0.0))
        graph.connect(last, 0, node, 0)
        last = node
    evaluator = evaluator_of(registry_of(backend, priorities={"gpu": 100}), "by-priority")
    with silent_driver():
        backend.context.device.destroy()
        result = evaluator.evaluate(graph, [last], EvalContext(resolution=(16, 16)))
    assert backend.context.is_lost, "the device was not tried"
    assert np.asarray(result.outputs[0][0])[0, 0, 0] == 16.0
    backend.close()
    open_backend()[0].close()


def test_the_budget_is_respected_and_named(gpu: GpuComputeBackend) -> None:
    limits = replace(gpu.capabilities.limits, memory_budget_bytes=8192)
    small = GpuComputeBackend(gpu.context, limits=limits)
    kept = small.upload(np.zeros(1024, np.float32))
    with pytest.raises(OutOfMemoryError, match="budget of 8192"):
        small.upload(np.zeros(2048, np.float32))
    assert small.memory().used_bytes == kept.nbytes
    del kept
    small.download(small.upload(np.zeros(2048, np.float32)))
    small.close()


def test_making_room_leaves_recorded_work_intact(gpu: GpuComputeBackend) -> None:
    """Memory in reserve may still be read by what is recorded; giving it back hands that over first."""
    small = GpuComputeBackend(gpu.context, limits=replace(gpu.capabilities.limits, memory_budget_bytes=40_000))
    job = gain_job(np.ones((32, 32, 1), np.float32))
    run = small.compile(job.task)
    (output,) = run(job.task.nodes, [small.upload(np.ones((32, 32, 1), np.float32))], job.ctx)
    before = small.pool.statistics.trims
    kept = small.upload(np.zeros(8000, np.float32))
    assert small.pool.statistics.trims > before
    assert np.asarray(output).min() == 3.0
    assert np.asarray(kept).max() == 0.0
    small.close()


def broken(node: object, inputs: Sequence[GpuBuffer], ctx: EvalContext, call: KernelCall) -> tuple[GpuBuffer, ...]:
    result = call.empty(inputs[0].shape)
    call.run("@compute @workgroup_size(1)\nfn main() { this is no wgsl }", reads=inputs, writes=[result], items=1)
    return (result,)


def test_a_shader_that_does_not_compile_names_node_and_line(gpu: GpuComputeBackend) -> None:
    gpu.register_kernel(KernelSpec(node_type=Gain.type_name, backend="gpu", function=broken))
    with pytest.raises(CompilationError, match=r"'testing::Gain' on 'gpu' does not compile.*this is no wgsl"):
        run_job(gpu, gain_job())
    assert live_bytes(gpu) == 0


@pytest.mark.parametrize(
    "limits",
    [
        DeviceLimits(max_binding_bytes=1024),
        DeviceLimits(max_buffer_bytes=1024),
        DeviceLimits(max_bindings=1),
        DeviceLimits(max_groups_per_axis=1),
    ],
    ids=["binding", "buffer", "bindings", "groups"],
)
def test_lowered_limits_are_refused_at_planning_time(gpu: GpuComputeBackend, limits: DeviceLimits) -> None:
    low = GpuComputeBackend(gpu.context, limits=limits)
    assert low.supports(gain_job(np.ones((40, 40, 1), np.float32)).task) is not None
    low.close()


def test_grids_are_folded_where_an_axis_is_short(gpu: GpuComputeBackend) -> None:
    limits = replace(gpu.capabilities.limits, max_groups_per_axis=2)
    low = GpuComputeBackend(gpu.context, limits=limits)
    at, beyond = np.ones((1, 4 * 256, 1), np.float32), np.ones((1, 4 * 256 + 1, 1), np.float32)
    assert np.asarray(run_job(low, gain_job(at))[0]).min() == 3.0
    assert low.supports(gain_job(at).task) is None
    assert low.supports(gain_job(beyond).task) is not None
    low.close()


def test_values_of_another_backend_on_the_same_device_are_refused(gpu: GpuComputeBackend) -> None:
    other = GpuComputeBackend(gpu.context)
    with pytest.raises(InvalidArgumentError, match="made by this backend"):
        gpu.download(other.upload(ONES))
    other.close()


def test_a_released_value_is_refused_by_name(gpu: GpuComputeBackend) -> None:
    value = gpu.upload(ONES)
    value.release()
    with pytest.raises(InvalidArgumentError, match=r"download.*was released"):
        gpu.download(value)


def test_a_value_outlives_its_backend_without_harm(gpu: GpuComputeBackend) -> None:
    other = GpuComputeBackend(gpu.context)
    value = other.upload(ONES)
    other.close()
    with pytest.raises(BackendClosedError):
        np.asarray(value)
    del value
