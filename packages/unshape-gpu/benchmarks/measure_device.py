"""Measure a GPU: bits against NumPy, kernels by the device's own clock, launches, transfers, and whole evaluations.

Prints tables in Markdown. Everything is warmed up first; times are medians. ``--quick`` makes pictures small enough for
a software driver. Beside the figures of this package stand those of PyTorch where it is installed and sees a GPU.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from exactness import print_cases, print_operations

from unshape_backend.discovery import find_kernels
from unshape_core.context import EvalContext, Precision
from unshape_core.graph import Graph
from unshape_core.protocols import Node
from unshape_gpu.backend import GpuComputeBackend, open_backend
from unshape_image import Blend, BlendMode, GaussianBlur, Levels, MapPixels, RemapUv
from unshape_noise import Perlin
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.tasks import make_job

ROUNDS = 15


def main() -> None:
    """Measure the first device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small pictures, for software drivers")
    parser.add_argument("--skip-cases", action="store_true", help="leave out the comparison of all cases")
    options = parser.parse_args()
    scale = 16 if options.quick else 1
    backend, *others = open_backend()
    print_device(backend, len(others))
    print_operations(backend, elements=(1 << 24) // scale)
    if not options.skip_cases:
        print_cases(backend)
    for found in find_kernels("gpu"):
        for kernel in found.load():
            backend.register_kernel(kernel)
    warm_up(backend)
    print_kernels(backend, side_px=8192 // scale)
    print_launches(backend)
    print_transfers(backend, nbytes=(256 << 20) // scale)
    print_graphs(backend, side_px=4096 // scale)
    print_torch(side_px=8192 // scale)


def print_device(backend: GpuComputeBackend, others: int) -> None:
    """Print what the device is and how its shaders are written."""
    facts = backend.capabilities
    print(f"## {facts.device.name}\n")
    print(f"- {facts.device.api}, {facts.device.driver}; chosen because: {backend.context.reason}; {others} more")
    print(f"- features: {', '.join(sorted(facts.features))}; software: {facts.device.is_software}")
    print(f"- self-test: {backend.context.self_test.detail}; arithmetic: {backend.context.exact.key}")
    print(f"- limits: {facts.limits}\n")


def warm_up(backend: GpuComputeBackend) -> None:
    """Keep the device busy until its clock has risen."""
    job = make_job(Perlin(scale=8.0, octaves=4), (), EvalContext(resolution=(1024, 1024)))
    run = backend.compile(job.task)
    stop = time.perf_counter() + 0.3
    while time.perf_counter() < stop:
        run(job.task.nodes, (), job.ctx)
        backend.synchronize()


def device_ns(backend: GpuComputeBackend, node: Node, inputs: Sequence[Any], ctx: EvalContext) -> float:
    """Return the median time of a node on the device, by its clock; all kernels of one run together."""
    job = make_job(node, inputs, ctx)
    run = backend.compile(job.task)
    there = [backend.upload(value) if isinstance(value, np.ndarray) else value for value in job.inputs]
    for _ in range(3):
        run(job.task.nodes, there, job.ctx)
    backend.synchronize()
    times = []
    for _ in range(ROUNDS):
        with backend.kernel_times() as kernels:
            run(job.task.nodes, there, job.ctx)
        times.append(sum(each.duration_ns for each in kernels))
    return float(statistics.median(times))


def print_kernels(backend: GpuComputeBackend, *, side_px: int) -> None:
    """Print single nodes, exact and fast, by the device's clock."""
    print(f"## Kernels, {side_px}^2, by the device's clock\n")
    print("| node | exact ms | fast ms | exact / fast | Gpx/s exact | GB/s exact |")
    print("|---|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    gray = rng.random((side_px, side_px, 1), np.float32)
    half = side_px // 2
    color = rng.random((half, half, 4), np.float32)
    rows: list[tuple[str, Node, tuple[Any, ...]]] = [
        ("a*b+c, gray", MapPixels("color * 1.5 + 0.25"), (gray,)),
        ("Blend multiply, gray", Blend(mode=BlendMode.MULTIPLY, opacity=0.5), (gray, gray[::-1].copy())),
        ("pow, gray", MapPixels("pow(color, 2.2)"), (gray,)),
        ("division, gray", MapPixels("1.0 / (color + 0.5)"), (gray,)),
        ("square root, gray", MapPixels("sqrt(color)"), (gray,)),
        ("Levels, RGBA, half side", Levels(gamma=1.8), (color,)),
        ("RemapUv, RGBA, half side", RemapUv("vec2(u + 0.05*sin(v*25.1), v)"), (color,)),
        ("GaussianBlur sigma 2, gray", GaussianBlur(sigma_px=2.0), (gray,)),
        ("GaussianBlur sigma 8, RGBA, half side", GaussianBlur(sigma_px=8.0), (color,)),
        ("Perlin, 8 octaves", Perlin(scale=16.0, octaves=8), ()),
    ]
    for name, node, inputs in rows:
        try:
            size = inputs[0].shape[:2] if inputs else (side_px, side_px)
            times = {}
            precisions: tuple[Precision, Precision] = ("exact", "fast")
            for precision in precisions:
                ctx = EvalContext(resolution=(size[1], size[0]), precision=precision)
                times[precision] = device_ns(backend, node, inputs, ctx)
            pixels = size[0] * size[1]
            channels = inputs[0].shape[2] if inputs else 1
            moved = pixels * channels * 4 * (len(inputs) + 1)
            print(
                f"| {name} | {times['exact'] / 1e6:.3f} | {times['fast'] / 1e6:.3f} | "
                f"{times['exact'] / max(times['fast'], 1):.2f} | {pixels / max(times['exact'], 1):.2f} | "
                f"{moved / max(times['exact'], 1):.0f} |"
            )
        except Exception as error:
            print(f"| {name} | {type(error).__name__}: {error} |")
    print()


def wall_us(call: Callable[[], object], rounds: int = 200) -> float:
    """Return the median wall time of a call."""
    for _ in range(5):
        call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e3


def print_launches(backend: GpuComputeBackend) -> None:
    """Print what a launch costs."""
    job = make_job(MapPixels("color + 1.0"), (np.zeros((256, 256, 1), np.float32),), EvalContext(resolution=(256, 256)))
    run = backend.compile(job.task)
    value = backend.upload(job.inputs[0])

    def chain(length: int) -> None:
        here: Any = value
        for _ in range(length):
            (here,) = run(job.task.nodes, [here], job.ctx)
        backend.flush()
        backend.synchronize()

    one, hundred = wall_us(lambda: chain(1)), wall_us(lambda: chain(100), rounds=50)
    tiny = np.zeros((4, 4, 1), np.float32)
    there = backend.upload(tiny)
    print("## Launches, wall time\n")
    print("| what | us |")
    print("|---|---|")
    print(f"| wait for nothing | {wall_us(backend.synchronize):.1f} |")
    print(f"| one kernel and wait | {one:.1f} |")
    print(f"| each further kernel of a chain of 100 in one submission | {(hundred - one) / 99:.2f} |")
    print(f"| record one kernel, no submission | {wall_us(lambda: run(job.task.nodes, [value], job.ctx)):.1f} |")
    print(f"| upload 64 bytes | {wall_us(lambda: backend.upload(tiny)):.1f} |")
    print(f"| download 64 bytes | {wall_us(lambda: backend.download(there)):.1f} |\n")


def print_transfers(backend: GpuComputeBackend, *, nbytes: int) -> None:
    """Print how fast large arrays travel."""
    array = np.random.default_rng(2).random(nbytes // 4, np.float32)
    value = backend.upload(array)

    def up() -> None:
        backend.upload(array)
        backend.synchronize()

    copy_us = wall_us(array.copy, rounds=7)
    up_us, down_us = wall_us(up, rounds=7), wall_us(lambda: backend.download(value), rounds=7)
    assert backend.download(value).tobytes() == array.tobytes(), "other bytes came down than went up"
    print(f"## Transfers of {nbytes >> 20} MiB, wall time\n")
    print("| way | GB/s |")
    print("|---|---|")
    print(f"| numpy copy | {nbytes / copy_us / 1e3:.1f} |")
    print(f"| up | {nbytes / up_us / 1e3:.1f} |")
    print(f"| down | {nbytes / down_us / 1e3:.1f} |\n")


def print_graphs(backend: GpuComputeBackend, *, side_px: int) -> None:
    """Print what whole evaluations do: submissions, kernels, transfers and compilations, first, again, and changed."""
    registry = registry_of(backend)
    print(f"## Graphs at {side_px}^2, named on the GPU, result left there\n")
    print("| graph | evaluation | submissions | kernels | uploads | downloads | compilations | wall ms |")
    print("|---|---|---|---|---|---|---|---|")
    for name, build in (("8 pointwise", pointwise_chain), ("noise, blur, remap, blend", mixed_chain)):
        evaluator = evaluator_of(registry, f"named:{backend.id}")
        for which, slider in (("first", 1.1), ("again, cache cleared", 1.1), ("slider changed", 1.2)):
            graph, last = build(slider)
            if which != "slider changed":
                evaluator.clear_cache()
            before = counts(backend)
            start = time.perf_counter_ns()
            evaluator.evaluate(graph, [last], EvalContext(resolution=(side_px, side_px)))
            backend.synchronize()
            took = time.perf_counter_ns() - start
            done = [str(after - earlier) for earlier, after in zip(before, counts(backend), strict=True)]
            print(f"| {name} | {which} | {' | '.join(done)} | {took / 1e6:.2f} |")
    graph, last = mixed_chain(1.1)
    evaluator = evaluator_of(registry, f"named:{backend.id}")
    small = EvalContext(resolution=(256, 256))

    def again() -> None:
        evaluator.clear_cache()
        evaluator.evaluate(graph, [last], small)
        backend.synchronize()

    print(f"\nwarm evaluation of the second graph at 256^2: {wall_us(again, rounds=50):.1f} us\n")


def counts(backend: GpuComputeBackend) -> tuple[int, ...]:
    """Return what a backend has done so far."""
    queue, transfers = backend.queue.statistics, backend.transfers
    return (
        queue.submissions,
        queue.dispatches,
        transfers.uploads,
        transfers.downloads,
        backend.context.compilations,
    )


def pointwise_chain(slider: float) -> tuple[Graph, int]:
    """Return noise and 8 pointwise nodes behind it."""
    graph = Graph()
    last = graph.add_node(Perlin(scale=8.0, octaves=2))
    for k in range(8):
        node = graph.add_node(MapPixels(f"color * {slider + k / 16} + {k / 32}"))
        graph.connect(last, 0, node, 0)
        last = node
    return graph, last


def mixed_chain(slider: float) -> tuple[Graph, int]:
    """Return noise, blur, remap and blend."""
    graph = Graph()
    noise = graph.add_node(Perlin(scale=8.0 * slider, octaves=6))
    blur = graph.add_node(GaussianBlur(sigma_px=2.0))
    remap = graph.add_node(RemapUv("vec2(u + 0.05*sin(v*25.1), v)"))
    blend = graph.add_node(Blend(mode=BlendMode.MULTIPLY, opacity=0.5))
    graph.connect(noise, 0, blur, 0)
    graph.connect(blur, 0, remap, 0)
    graph.connect(remap, 0, blend, 0)
    graph.connect(noise, 0, blend, 1)
    return graph, blend


def print_torch(*, side_px: int) -> None:
    """Print the device's own copy and a fused expression in PyTorch, if it is there."""
    try:
        import torch  # type: ignore[import-not-found,unused-ignore]  # no dependency: a peer, if it happens to be there
    except ImportError:
        print("PyTorch is not installed: no peer figures")
        return
    if not torch.cuda.is_available():
        print("PyTorch sees no GPU: no peer figures")
        return
    a, b, c = (torch.rand(side_px, side_px, device="cuda") for _ in range(3))
    print(f"## PyTorch {torch.__version__}, {side_px}^2 float32, by CUDA events\n")
    print("| what | ms | GB/s |")
    print("|---|---|---|")
    rows: list[tuple[str, Callable[[], object], int]] = [
        ("copy", lambda: a.copy_(b), 2),
        ("a*1.5 + 0.25, torch.compile", torch.compile(lambda: torch.add(0.25, a, alpha=1.5, out=c)), 2),
        ("pow(a, 2.2)", lambda: torch.pow(a, 2.2, out=c), 2),
    ]
    for name, call, arrays in rows:
        try:
            for _ in range(5):
                call()
            times = []
            for _ in range(ROUNDS):
                start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                start.record()
                call()
                stop.record()
                torch.cuda.synchronize()
                times.append(start.elapsed_time(stop))
            ms = statistics.median(times)
            print(f"| {name} | {ms:.3f} | {arrays * a.numel() * 4 / ms / 1e6:.0f} |")
        except Exception as error:
            print(f"| {name} | {type(error).__name__}: {str(error).splitlines()[0]} |")


if __name__ == "__main__":
    main()
