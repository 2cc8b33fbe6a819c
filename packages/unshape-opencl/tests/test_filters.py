"""Filters of pictures on GPUs: in tiles of local memory, with the same bits around every edge of a tile."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from unshape_backend.kernel_library import KernelLibrary
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_expr.ir import Border
from unshape_image import BoxBlur, Convolve, GaussianBlur, Resize, ResizeMethod
from unshape_opencl import OpenClBackend
from unshape_opencl.discovery import list_devices, open_device
from unshape_testing.laws.numbers import definition
from unshape_testing.tasks import Job, make_job, run_job


@pytest.fixture(scope="module")
def gpu() -> Iterator[OpenClBackend]:
    backend = open_device(list_devices()[0], as_gpu=True)
    KernelLibrary().give(backend, "opencl")
    yield backend
    backend.close()


def _job(node: Node, *shape: int) -> Job:
    picture = np.random.default_rng(6).normal(0, 1, shape).astype(np.float32)
    return make_job(node, (picture,), EvalContext(resolution=(shape[1], shape[0])))


@pytest.mark.parametrize(
    ("node", "kernels"),
    [
        (GaussianBlur(sigma_px=2.0), ["us_symmetric"] * 2),
        (GaussianBlur(sigma_px=20.0), ["us_symmetric"] * 2),
        (GaussianBlur(sigma_px=60.0), ["us_across", "us_down"]),
        (BoxBlur(radius_px=5), ["us_box"] * 2),
        (Convolve(), ["us_convolve"]),
        (Resize(width_px=70, height_px=90), ["us_resize"]),
        (Resize(width_px=5, height_px=1, method=ResizeMethod.AREA), ["us_resize"]),
    ],
    ids=["narrow", "wide", "wider-than-a-tile", "box", "convolve", "enlarged", "reduced"],
)
def test_filters_that_fit_go_through_local_memory(gpu: OpenClBackend, node: Node, kernels: list[str]) -> None:
    job = _job(node, 40, 50, 3)
    run = gpu.compile(job.task)
    value = gpu.upload(job.inputs[0])
    with gpu.kernel_times() as times:
        run(job.task.nodes, [value], job.ctx)
    assert kernels == [time.name for time in times]


NODES: list[Node] = [
    GaussianBlur(sigma_px=3.0, border=Border.MIRROR),
    GaussianBlur(sigma_px=9.0, border=Border.ZERO),
    BoxBlur(radius_px=3, border=Border.REPEAT),
    BoxBlur(radius_px=0),
    Convolve(),
]


@pytest.mark.parametrize("shape", [(3, 1025, 1), (129, 31, 1), (127, 11, 3), (33, 65, 4), (16, 64, 2), (1, 1, 3)])
@pytest.mark.parametrize("node", NODES, ids=lambda node: type(node).__name__)
def test_edges_of_tiles_do_not_show(gpu: OpenClBackend, node: Node, shape: tuple[int, ...]) -> None:
    job = _job(node, *shape)
    (expected,), (found,) = definition(job), run_job(gpu, job)
    np.testing.assert_array_equal(np.asarray(expected).view(np.uint32), np.asarray(found).view(np.uint32))


RESIZES = [
    Resize(width_px=1, height_px=1, method=ResizeMethod.AREA),
    Resize(width_px=67, height_px=131, method=ResizeMethod.BICUBIC),
    Resize(width_px=21, height_px=16, method=ResizeMethod.AREA),
    Resize(width_px=64, height_px=32, method=ResizeMethod.NEAREST),
    Resize(width_px=65, height_px=33),
]


@pytest.mark.parametrize("shape", [(1025, 3, 1), (129, 31, 3), (33, 65, 4), (1, 1, 2)])
@pytest.mark.parametrize("node", RESIZES, ids=lambda node: f"{node.method}-{node.width_px}x{node.height_px}")
def test_edges_of_tiles_do_not_show_in_what_was_resized(
    gpu: OpenClBackend, node: Resize, shape: tuple[int, ...]
) -> None:
    job = _job(node, *shape)
    (expected,), (found,) = definition(job), run_job(gpu, job)
    np.testing.assert_array_equal(np.asarray(expected).view(np.uint32), np.asarray(found).view(np.uint32))


def test_what_needs_more_rows_than_fit_is_resized_by_rows(gpu: OpenClBackend) -> None:
    job = _job(Resize(width_px=2, height_px=4, method=ResizeMethod.AREA), 2000, 3, 1)
    run = gpu.compile(job.task)
    value = gpu.upload(job.inputs[0])
    with gpu.kernel_times() as times:
        (found,) = run(job.task.nodes, [value], job.ctx)
    assert ["us_across", "us_down"] == [time.name for time in times]
    np.testing.assert_array_equal(np.asarray(definition(job)[0]), gpu.download(found))


def test_a_second_run_sends_nothing_to_the_device(gpu: OpenClBackend) -> None:
    job = _job(GaussianBlur(sigma_px=2.0), 40, 50, 3)
    run = gpu.compile(job.task)
    value = gpu.upload(job.inputs[0])
    run(job.task.nodes, [value], job.ctx)
    gpu.synchronize()
    used = gpu.pool_statistics.used_bytes
    for _ in range(3):
        run(job.task.nodes, [value], job.ctx)
    assert used == gpu.pool_statistics.used_bytes
    before = gpu.pool_statistics.reuses + gpu.pool_statistics.allocations
    run(job.task.nodes, [value], job.ctx)
    assert 2 == gpu.pool_statistics.reuses + gpu.pool_statistics.allocations - before, "one between, one result"
