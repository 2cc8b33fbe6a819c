"""Noise of eight octaves: with and without look-ups here, and the very same function as a CUDA kernel in CuPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_expr.emit import emit, emit_function
from unshape_noise import Perlin
from unshape_testing.tasks import make_job

CUDA = """
typedef float F32; typedef int I32; typedef unsigned U32; typedef int BOOL;
#define as_float(x) __uint_as_float(x)
#define as_int(x) ((int)(x))
#define US_AS_F32(x) __uint_as_float(x)
__device__ __forceinline__ unsigned US_AS_U32(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned US_AS_U32(int x) { return (unsigned)x; }
#define US_TO_F32(x) ((float)(x))
#define US_F(x) ((float)(x))
#define US_I(x) ((int)(x))
#define US_U(x) ((unsigned)(x))
#define US_SELECT(c, a, b) ((c) ? (a) : (b))
#define US_FIRST(x) (x)
#define clamp(x, a, b) min(max((x), (a)), (b))
#define us_to_i(x) __float2int_rz(x)
#define us_add_i(a, b) ((int)((unsigned)(a) + (unsigned)(b)))
#define us_min_f(a, b) ((a) != (a) ? (a) : (a) < (b) ? (a) : (b))
#define us_max_f(a, b) ((a) != (a) ? (a) : (a) > (b) ? (a) : (b))
"""
"""The vocabulary of emitted code in CUDA, as far as this noise needs it."""

TimeNode = Callable[[Node, Sequence[Any], EvalContext], float]
NODE = Perlin(scale=16.0, octaves=8)


def noise_rows(time_node: TimeNode, *, side_px: int) -> list[tuple[str, Callable[[], Sequence[str]]]]:
    """Return the rows: the node as it is, without look-ups, behind a pointwise node, and its function in CUDA."""

    def ours() -> Sequence[str]:
        return cells(time_node(NODE, (), EvalContext(resolution=(side_px, side_px))), side_px)

    def shaped(**changes: Any) -> Sequence[str]:
        from unshape_opencl import run_expression

        choose = run_expression.choose_shape

        def changed(*arguments: Any, **named: Any) -> Any:
            return replace(choose(*arguments, **named), **changes)

        with patch.object(run_expression, "choose_shape", changed):
            return ours()

    return [
        ("Perlin", ours),
        ("Perlin, one pixel at a time", lambda: shaped(lanes=1, is_aligned=False)),
        ("Perlin, selections in place of look-ups", lambda: shaped(has_tables=False)),
        ("Perlin, both", lambda: shaped(lanes=1, is_aligned=False, has_tables=False)),
        ("the same function, CuPy raw kernel, --fmad=false", lambda: in_cuda(side_px, "--fmad=false")),
        ("the same function, CuPy raw kernel, --fmad=true (other bits)", lambda: in_cuda(side_px, "--fmad=true")),
    ]


def cells(took_ns: float, side_px: int) -> Sequence[str]:
    """Return a time as milliseconds and as billions of points a second."""
    return (f"{took_ns / 1e6:.3f}", f"{side_px * side_px / took_ns:.2f}")


def in_cuda(side_px: int, option: str) -> Sequence[str]:
    """Time the noise's own instructions as a CUDA kernel, by CUDA events."""
    import cupy  # type: ignore[import-not-found,unused-ignore]  # no dependency: a peer, if it happens to be there
    from cupyx.profiler import benchmark  # type: ignore[import-not-found,unused-ignore]

    kernel = cupy.RawKernel(cuda_source(side_px), "noise", options=(option,))
    out = cupy.empty((side_px, side_px), cupy.float32)
    groups = (-(-side_px * side_px // 256),)
    times = benchmark(lambda: kernel(groups, (256,), (out,)), n_repeat=15, n_warmup=5).gpu_times[0]
    return cells(float(sorted(times)[len(times) // 2]) * 1e9, side_px)


def cuda_source(side_px: int) -> str:
    """Return the node as a CUDA kernel: the instructions that the OpenCL kernel has, literals written into it."""
    from unshape_opencl.layout import Layout
    from unshape_opencl.target import OpenClTarget

    job = make_job(NODE, (), EvalContext(resolution=(side_px, side_px)))
    kernel = job.task.kernel
    assert kernel is not None
    layout = Layout.of(kernel)
    # As in the OpenCL kernel, literals are read at run time; a compiler that knew the octaves would do other work.
    words = [f"us_words[{number}]" for number in range(layout.size)]
    target = OpenClTarget(
        slots=words[layout.slot_start :],
        uniforms={name: words[position] for name, _, position in layout.uniforms},
        inputs={},
        pictures={},
    )
    functions = [line.text for function in kernel.functions for line in emit_function(function, target)]
    emitted = emit(replace(kernel, functions=()), target)
    packed = packed_words(layout, job.task.slot_values(job.task.nodes))
    return "\n".join(
        [
            CUDA,
            f"__constant__ unsigned us_words[{layout.size}] = {{{', '.join(map(str, packed))}}};",
            *[text.replace("static ", "__device__ __forceinline__ ") for text in functions],
            'extern "C" __global__ void noise(float *out) {',
            "const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;",
            f"const unsigned us_width = {side_px}, us_height = {side_px};",
            "if (item >= us_width * us_height) return;",
            "const int us_y = item / us_width, us_x = item - us_y * us_width;",
            *[line.text for line in emitted.statements],
            f"out[item] = {emitted.outputs[0][0]};",
            "}",
        ]
    )


def packed_words(layout: Any, slots: Sequence[bool | int | float]) -> list[int]:
    """Return the words of a run with the seed 0."""
    import numpy as np

    from unshape_opencl.layout import HEAD, Packer

    words = Packer(layout, [0] * len(HEAD), ()).words(slots, [0] * len(layout.uniforms))
    return [int(word) for word in np.frombuffer(words, np.uint32)]
