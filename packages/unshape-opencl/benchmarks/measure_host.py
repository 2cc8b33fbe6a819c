"""Measure an OpenCL device that the processor plays beside the host's own backends, and beside Numba, if it is there.

Prints a table in Markdown: medians of interleaved rounds, wall time with the result waited for, arrays in their place.
Numba (``pip install numba``) is given plain loops, in parallel, without fast-math; its noise has as many operations as
ours, not its bits.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from vendor import open_first

from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.errors import BackendUnavailableError
from unshape_backend.kernel_library import KernelLibrary
from unshape_backend.protocols import ComputeBackend
from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_image import Convolve, Levels, MapPixels
from unshape_noise import Perlin
from unshape_testing.tasks import make_job

CASES: tuple[tuple[str, Node, bool], ...] = (
    ("a*b + c", MapPixels("color * 1.5 + 0.25"), True),
    ("pow(a, 2.2)", MapPixels("pow(color, 2.2)"), True),
    ("levels", Levels(gamma=1.8), True),
    ("convolve 3x3", Convolve(), True),
    ("Perlin, 8 octaves", Perlin(scale=16.0, octaves=8), False),
)


def main() -> None:
    """Measure all backends of this machine's processor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=1024, help="pixels of a picture's side")
    parser.add_argument("--rounds", type=int, default=9, help="interleaved rounds, of which the median counts")
    options = parser.parse_args()
    backends = [CpuBackend(), *simd(), open_first(None)]
    names = [str(backend.id) for backend in backends]
    print(f"## {options.side}^2 gray, ms, the median of {options.rounds} rounds\n")
    print(f"| work | {' | '.join([*names, 'numba'])} |\n|{'---|' * (len(names) + 2)}")
    loops = numba_loops(options.side)
    for name, node, has_input in CASES:
        calls = [prepared(backend, node, options.side, has_input=has_input) for backend in backends]
        calls += [loops[name]] if name in loops else []
        cells = [f"{ms:.2f}" for ms in interleaved(calls, options.rounds)]
        cells += ["-"] * (len(names) + 1 - len(cells))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def simd() -> Sequence[ComputeBackend]:
    """Return the backend "simd", if it is installed."""
    try:
        from unshape_simd_cffi.opening import open_backend
    except ImportError:
        return ()
    try:
        backend = open_backend()
    except BackendUnavailableError:
        return ()
    KernelLibrary().give(backend, "simd")
    return (backend,)


def prepared(backend: ComputeBackend, node: Node, side_px: int, *, has_input: bool) -> Callable[[], object]:
    """Return what runs a node once and waits for it."""
    picture = np.random.default_rng(1).random((side_px, side_px, 1), np.float32)
    job = make_job(node, (picture,) if has_input else (), EvalContext(resolution=(side_px, side_px)))
    run = backend.compile(job.task)
    inputs = [backend.upload(picture)] if has_input else []

    def call() -> None:
        run(job.task.nodes, inputs, job.ctx)
        backend.flush()
        backend.synchronize()

    return call


def interleaved(calls: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the median milliseconds of each call; all are called in turn, so that load meets all alike."""
    times: list[list[float]] = [[] for _ in calls]
    for number in range(rounds + 1):
        for call, kept in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            if number:  # the first one warms up
                kept.append((time.perf_counter() - start) * 1e3)
    return [statistics.median(kept) for kept in times]


def numba_loops(side_px: int) -> dict[str, Callable[[], object]]:
    """Return the same work as parallel loops in Numba; nothing if it is not installed."""
    try:
        import numba
    except ImportError:
        return {}
    from numba_kernels import make_kernels

    picture = np.random.default_rng(1).random((side_px, side_px), np.float32)
    out = np.empty_like(picture)
    kernels: dict[str, Any] = make_kernels(numba)
    return {name: lambda kernel=kernel: kernel(picture, out) for name, kernel in kernels.items()}  # type: ignore[misc]


if __name__ == "__main__":
    main()
