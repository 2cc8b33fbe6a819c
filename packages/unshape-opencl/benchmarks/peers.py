"""The same work in PyTorch and CuPy, where they are installed and see a GPU."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from report import print_table

TORCH_LIMIT_S = 60

NOISE = r"""
__device__ unsigned mix(unsigned h) {
    h ^= h >> 16; h *= 2146121005u; h ^= h >> 15; h *= 2221713035u; return h ^ (h >> 16);
}
__device__ float corner(int x, int y, float dx, float dy, unsigned seed) {
    const unsigned h = mix(seed + x * 2654435761u ^ y * 2246822519u);
    const float u = (h & 1u) ? dx : -dx, v = (h & 2u) ? dy : -dy;
    return (h & 4u) ? 1.12f * u + 0.28f * v : 0.28f * u + 1.12f * v;
}
extern "C" __global__ void fbm(float *out, int side, float scale, int octaves) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side) return;
    float u = (x + 0.5f) / side * scale, v = (y + 0.5f) / side * scale, sum = 0, amplitude = 1;
    for (int k = 0; k < octaves; ++k) {
        const float fx = floorf(u), fy = floorf(v), dx = u - fx, dy = v - fy;
        const int ix = (int)fx, iy = (int)fy;
        const float tx = dx * dx * dx * (dx * (dx * 6 - 15) + 10), ty = dy * dy * dy * (dy * (dy * 6 - 15) + 10);
        const float a = corner(ix, iy, dx, dy, k), b = corner(ix + 1, iy, dx - 1, dy, k);
        const float c = corner(ix, iy + 1, dx, dy - 1, k), d = corner(ix + 1, iy + 1, dx - 1, dy - 1, k);
        const float low = a + tx * (b - a), high = c + tx * (d - c);
        sum += amplitude * (low + ty * (high - low));
        amplitude *= 0.5f; u *= 2; v *= 2;
    }
    out[(long long)y * side + x] = sum;
}
"""
"""Gradient noise of about as many operations as ours, as one would write it by hand."""


def print_torch(*, side_px: int, chain_side_px: int, rounds: int) -> None:
    """Print the device's own copy and fused expressions in PyTorch, by CUDA events.

    In a process of its own: its compiler may take longer than it is worth waiting for.
    """
    arguments = [str(number) for number in (side_px, chain_side_px, rounds)]
    try:
        done = subprocess.run(
            [sys.executable, __file__, *arguments], capture_output=True, text=True, timeout=TORCH_LIMIT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        print((error.stdout or b"").decode())
        print(f"(PyTorch gave no more within {TORCH_LIMIT_S} s)\n")
        return
    print(done.stdout or f"PyTorch failed: {done.stderr[-300:]}\n")


def measure_torch(side_px: int, chain_side_px: int, rounds: int) -> None:
    """Print the table of PyTorch."""
    try:
        import torch  # type: ignore[import-not-found,unused-ignore]  # no dependency: a peer, if it happens to be there
    except ImportError:
        print("PyTorch is not installed: no figures\n")
        return
    if not torch.cuda.is_available():
        print("PyTorch sees no GPU: no figures\n")
        return
    a, b = (torch.rand(side_px, side_px, device="cuda") for _ in range(2))
    c = torch.rand(chain_side_px, chain_side_px, device="cuda")
    pageable = torch.rand(64 << 20)
    pinned = pageable.pin_memory()
    there = pageable.cuda()

    def chain(x: Any) -> Any:
        for k in range(8):
            x = x * (1.1 + k / 16) + k / 32
        return x

    def timed(call: Callable[[], object], nbytes: int) -> Sequence[str]:
        for _ in range(5):
            call()
        times = []
        for _ in range(rounds):
            start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            call()
            stop.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(stop))
        ms = statistics.median(times)
        return (f"{ms:.3f}", f"{nbytes / ms / 1e6:.0f}")

    def compiled() -> Sequence[str]:
        fused = torch.compile(chain)
        return timed(lambda: fused(c), 8 * c.numel())

    calls: list[tuple[str, Callable[[], Sequence[str]]]] = [
        (f"copy, {side_px}^2", lambda: timed(lambda: a.copy_(b), 8 * a.numel())),
        (f"pow(a, 2.2), {side_px}^2", lambda: timed(lambda: torch.pow(a, 2.2, out=b), 8 * a.numel())),
        ("256 MiB to the device, pinned", lambda: timed(lambda: there.copy_(pinned), 4 * pinned.numel())),
        ("256 MiB from the device, pinned", lambda: timed(lambda: pinned.copy_(there), 4 * pinned.numel())),
        ("256 MiB to the device, pageable", lambda: timed(lambda: there.copy_(pageable), 4 * pinned.numel())),
        ("256 MiB from the device, pageable", lambda: timed(lambda: pageable.copy_(there), 4 * pinned.numel())),
        (f"chain of 8, torch.compile, {chain_side_px}^2", compiled),
    ]
    print_table(f"PyTorch {torch.__version__}, by CUDA events", ("what", "ms", "GB/s"), calls)


def print_cupy(*, side_px: int, rounds: int) -> None:
    """Print copy, multiply-add and noise of eight octaves in CuPy, by CUDA events."""
    try:
        import cupy  # type: ignore[import-not-found,unused-ignore]  # no dependency: a peer, if it happens to be there
        from cupyx.profiler import benchmark  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        print("CuPy is not installed: no figures\n")
        return
    a, b = cupy.random.random((2, side_px, side_px), dtype=cupy.float32)
    out = cupy.empty_like(a)
    fused = cupy.ElementwiseKernel("float32 a, float32 b", "float32 r", "r = a * b + 0.25f", "fused")
    fbm = cupy.RawKernel(NOISE, "fbm")
    exact = cupy.RawKernel(NOISE, "fbm", options=("--fmad=false",))
    grid = (-(-side_px // 64), -(-side_px // 4))
    arguments = (out, side_px, cupy.float32(16.0), 8)
    rows: list[tuple[str, Callable[[], object], int]] = [
        ("copy", lambda: cupy.copyto(out, a), 2),
        ("a*b + c, one kernel", lambda: fused(a, b, out), 3),
        ("noise of 8 octaves as one would write it, raw kernel", lambda: fbm(grid, (64, 4), arguments), 1),
        ("the same, --fmad=false", lambda: exact(grid, (64, 4), arguments), 1),
    ]

    def timed(call: Callable[[], object], arrays: int) -> Sequence[str]:
        ms = float(statistics.median(benchmark(call, n_repeat=rounds, n_warmup=5).gpu_times[0])) * 1e3
        return (f"{ms:.3f}", f"{a.size / ms / 1e6:.2f}", f"{arrays * a.size * 4 / ms / 1e6:.0f}")

    title = f"CuPy {cupy.__version__}, {side_px}^2 float32, by CUDA events"
    measured = [(name, partial(timed, call, arrays)) for name, call, arrays in rows]
    print_table(title, ("what", "ms", "Gpx/s", "GB/s"), measured)


if __name__ == "__main__":
    measure_torch(*map(int, sys.argv[1:]))
