"""Kernels of other packages: WGSL of their own, with the promised arithmetic at hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.kernel import KernelSpec
from unshape_core.context import EvalContext
from unshape_gpu.backend import GpuComputeBackend
from unshape_gpu.buffer import GpuBuffer
from unshape_gpu.kernel import KernelCall
from unshape_gpu.sources import source
from unshape_testing.nodes import BoxMean, Gain
from unshape_testing.tasks import make_job, run_job

FLIPPED_GAIN = """
@group(0) @binding(1) var<storage, read> picture: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = k_item(group, groups, lane, 256u);
    if (item >= params[0].y) {
        return;
    }
    result[item] = k_add(k_mul(picture[item], bitcast<f32>(params[1].x)), bitcast<f32>(params[1].y));
}
"""


def gain(node: Gain, inputs: Sequence[GpuBuffer], ctx: EvalContext, call: KernelCall) -> tuple[GpuBuffer, ...]:
    result = call.empty(inputs[0].shape)
    words = (float(node.gain), float(node.offset))
    call.run(FLIPPED_GAIN, reads=inputs, writes=[result], words=words, items=result.size)
    return (result,)


def test_a_kernel_runs_in_place_of_the_expression_and_gives_the_same_bits(gpu: GpuComputeBackend) -> None:
    picture = np.random.default_rng(8).normal(0, 9, (31, 17, 3)).astype(np.float32)
    job = make_job(Gain(1.7, -0.3), (picture,), EvalContext(resolution=(17, 31)))
    expected = np.asarray(run_job(gpu, job)[0])
    gpu.register_kernel(KernelSpec(node_type=Gain.type_name, backend="gpu", function=gain))
    before = gpu.context.compilations
    assert expected.tobytes() == np.asarray(run_job(gpu, job)[0]).tobytes()
    assert gpu.context.compilations == before + 1
    changed = make_job(Gain(2.5, 1.0), (picture,), job.ctx)
    run_job(gpu, changed)
    assert gpu.context.compilations == before + 1, "parameters are no part of a shader"


def test_a_node_without_kernel_is_refused_with_a_reason(gpu: GpuComputeBackend) -> None:
    job = make_job(BoxMean(1), (np.ones((4, 4, 1), np.float32),), EvalContext(resolution=(4, 4)))
    assert "no kernel" in str(gpu.supports(job.task))


def test_equal_tables_are_uploaded_once(gpu: GpuComputeBackend) -> None:
    weights = np.linspace(0, 1, 50, dtype=np.float32)
    assert gpu.table(weights) is gpu.table(weights.copy())
    assert gpu.table(weights) is not gpu.table(weights * 2)


OF_TWO = """
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> y: array<f32>;
@group(0) @binding(3) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < params[0].y) {
        result[id.x] = OF_TWO(x[id.x], y[id.x]);
    }
}
"""


def every_kind(count: int, seed: int) -> npt.NDArray[np.float32]:
    """Numbers of all bit patterns, with many zeros, subnormal and nearly overflowing ones."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**32, count, np.uint32)
    edges = np.array(
        [0, 1, 2, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x3F800000, 0x3F800001], np.uint32
    )
    special = rng.choice(edges, count) | (rng.integers(0, 2, count, np.uint32) << np.uint32(31))
    return np.where(rng.random(count) < 0.5, bits, special).astype(np.uint32).view(np.float32)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_division_in_integers_is_correctly_rounded_for_all_kinds_of_numbers(gpu: GpuComputeBackend) -> None:
    if gpu.context.exact.corrects_division:
        pytest.skip("the prelude holds the function already; the conformance suite uses it")
    x, y = every_kind(60_000, 1), every_kind(60_000, 2)
    call = KernelCall(gpu, label="division", precision="exact")
    result = call.empty(x.shape)
    text = source("divide_bitwise") + OF_TWO.replace("OF_TWO", "k_div_bitwise")
    call.run(text, reads=[gpu.upload(x), gpu.upload(y)], writes=[result], items=x.size)
    actual, expected = gpu.download(result), x / y  # NumPy divides in float32, rounded once
    is_number = ~np.isnan(expected)
    assert np.array_equal(expected.view(np.uint32)[is_number], actual.view(np.uint32)[is_number])
    assert np.array_equal(is_number, ~np.isnan(actual))
