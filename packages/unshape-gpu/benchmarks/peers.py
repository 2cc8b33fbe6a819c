"""The same work in PyTorch and CuPy, where they are installed and see a GPU, by CUDA events.

Every function returns milliseconds, or a text that says why there are none.
"""

from __future__ import annotations

import signal
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any

from clocks import DROPPED, RUNS

MOST_SECONDS = 60
"""What a peer may take to make itself ready."""

PERLIN = r"""
__device__ __forceinline__ unsigned mixed(unsigned a) { return (a ^ (a >> 15)) * 0x846ca68bu; }
__device__ __forceinline__ float2 gradient(unsigned h) {
    const bool low = h & 0x10000000u, high = h & 0x20000000u;
    const float a = low ? 1.195734f : 1.4104644f, b = low ? 0.28055879f : 0.7989639f;
    const float c = low ? 0.7989639f : 0.28055879f, d = low ? 1.4104644f : 1.195734f;
    const float x = high ? b : a, y = high ? d : c;
    return make_float2((h & 0x80000000u) ? -x : x, (h & 0x40000000u) ? -y : y);
}
__device__ __forceinline__ float fade(float t) { return t * t * t * (t * (t * 6.f - 15.f) + 10.f); }
extern "C" __global__ void fbm(float *out, int side, float scale, int octaves, unsigned seed) {
    const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= side || py >= side) return;
    const float u = (px + 0.5f) / side * scale, v = (py + 0.5f) / side * scale;
    float sum = 0, amplitude = 1, frequency = 1, total = 0;
    for (int k = 0; k < octaves; ++k) {
        const float sx = k * 0.7548777f, sy = k * 0.5698403f;
        const float x = u * frequency + (sx - floorf(sx)), y = v * frequency + (sy - floorf(sy));
        const float fx = floorf(x), fy = floorf(y), dx = x - fx, dy = y - fy;
        unsigned s = seed + k * 0x9e3779b9u;
        s = (s ^ (s >> 16)) * 0x7feb352du; s = (s ^ (s >> 15)) * 0x846ca68bu; s ^= s >> 16;
        const unsigned ix = (unsigned)(int)fx, iy = (unsigned)(int)fy;
        const unsigned x0 = mixed(ix * 0x9e3779b1u + s), x1 = mixed((ix + 1) * 0x9e3779b1u + s);
        const unsigned y0 = mixed((iy * 0x85ebca77u) ^ s), y1 = mixed(((iy + 1) * 0x85ebca77u) ^ s);
        const float2 g00 = gradient((x0 ^ y0) * 0x7feb352du), g01 = gradient((x0 ^ y1) * 0x7feb352du);
        const float2 g10 = gradient((x1 ^ y0) * 0x7feb352du), g11 = gradient((x1 ^ y1) * 0x7feb352du);
        const float fv = fade(dy), fu = fade(dx);
        const float a0 = g00.x + fv * (g01.x - g00.x), a1 = g10.x + fv * (g11.x - g10.x);
        const float h00 = g00.y * dy, h01 = g01.y * (dy - 1), h10 = g10.y * dy, h11 = g11.y * (dy - 1);
        const float b0 = h00 + fv * (h01 - h00), b1 = h10 + fv * (h11 - h10);
        sum += amplitude * ((a0 * dx + b0) + fu * ((a1 - a0) * dx + ((b1 - a1) - b0)));
        total += amplitude; amplitude *= 0.5f; frequency *= 2.f;
    }
    out[(long long)py * side + px] = sum / total;
}
"""
"""Perlin noise as the node means it, written by hand and free to contract."""


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in the main thread when it takes longer."""

    def give_up(_number: int, _frame: object) -> None:
        msg = f"not ready after {seconds} s"
        raise TimeoutError(msg)

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@cache
def torch() -> Any:
    """Return PyTorch.

    Raises
    ------
    RuntimeError
        If it is not there, or sees no GPU.
    """
    try:
        import torch as found  # type: ignore[import-not-found,unused-ignore]  # a peer, if it happens to be there
    except ImportError as error:
        raise RuntimeError("PyTorch is not installed") from error
    if not found.cuda.is_available():
        raise RuntimeError("PyTorch sees no GPU")
    return found


@cache
def cupy() -> Any:
    """Return CuPy.

    Raises
    ------
    RuntimeError
        If it is not there, or sees no GPU.
    """
    try:
        import cupy as found  # type: ignore[import-not-found,unused-ignore]  # a peer, if it happens to be there

        found.zeros(1)
    except ImportError as error:
        raise RuntimeError("CuPy is not installed") from error
    except Exception as error:
        raise RuntimeError(f"CuPy sees no GPU: {error}") from error
    return found


def guarded(measure: Callable[[], float]) -> float | str:
    """Return what is measured, or why it is not."""
    try:
        with at_most(MOST_SECONDS):
            return measure()
    except Exception as error:
        return str(error).splitlines()[0][:60] if str(error) else type(error).__name__


def torch_ms(make: Callable[[Any], Callable[[], object]]) -> float:
    """Return the median time of a call in PyTorch; ``make`` is given the module and returns the call."""
    library = torch()
    call = make(library)
    for _ in range(3):
        call()
    library.cuda.synchronize()
    marks = [library.cuda.Event(enable_timing=True) for _ in range(RUNS + 1)]
    marks[0].record()
    for mark in marks[1:]:
        call()
        mark.record()
    library.cuda.synchronize()
    times = [earlier.elapsed_time(later) for earlier, later in pairwise(marks)]
    return float(statistics.median(times[DROPPED:]))


def cupy_ms(make: Callable[[Any], Callable[[], object]]) -> float:
    """Return the median time of a call in CuPy; ``make`` is given the module and returns the call."""
    library = cupy()
    call = make(library)
    for _ in range(3):
        call()
    library.cuda.Device().synchronize()
    marks = [library.cuda.Event() for _ in range(RUNS + 1)]
    marks[0].record()
    for mark in marks[1:]:
        call()
        mark.record()
    library.cuda.Device().synchronize()
    times = [library.cuda.get_elapsed_time(earlier, later) for earlier, later in pairwise(marks)]
    return float(statistics.median(times[DROPPED:]))


def copy_in_torch(side_px: int) -> Callable[[Any], Callable[[], object]]:
    """Return a copy of a square of floats."""

    def make(library: Any) -> Callable[[], object]:
        a, b = (library.rand(side_px, side_px, device="cuda") for _ in range(2))
        return lambda: a.copy_(b)

    return make


def product_and_sum_in_torch(side_px: int) -> Callable[[Any], Callable[[], object]]:
    """Return ``a*b + c`` over squares of floats, compiled."""

    def make(library: Any) -> Callable[[], object]:
        a, b = (library.rand(side_px, side_px, device="cuda") for _ in range(2))
        fused = library.compile(lambda x, y: x * y + 0.25)
        return lambda: fused(a, b)

    return make


def chain_in_torch(side_px: int) -> Callable[[Any], Callable[[], object]]:
    """Return a chain of 8 pointwise operations, compiled."""

    def make(library: Any) -> Callable[[], object]:
        a = library.rand(side_px, side_px, device="cuda")

        def chain(x: Any) -> Any:
            for k in range(8):
                x = x * (1.1 + k / 16) + k / 32
            return x

        fused = library.compile(chain)
        return lambda: fused(a)

    return make


def product_and_sum_in_cupy(side_px: int) -> Callable[[Any], Callable[[], object]]:
    """Return ``a*b + c`` over squares of floats, in one kernel."""

    def make(library: Any) -> Callable[[], object]:
        a, b = library.random.random((2, side_px, side_px), dtype=library.float32)
        out = library.empty_like(a)
        fused = library.ElementwiseKernel("float32 a, float32 b", "float32 r", "r = a * b + 0.25f", "fused")
        return lambda: fused(a, b, out)

    return make


def noise_in_cupy(side_px: int, octaves: int) -> Callable[[Any], Callable[[], object]]:
    """Return fractal Perlin noise, in one raw kernel."""

    def make(library: Any) -> Callable[[], object]:
        out = library.empty((side_px, side_px), library.float32)
        kernel = library.RawKernel(PERLIN, "fbm")
        grid = (-(-side_px // 32), -(-side_px // 8))
        values = (out, side_px, library.float32(16.0), octaves, library.uint32(0))
        return lambda: kernel(grid, (32, 8), values)

    return make
