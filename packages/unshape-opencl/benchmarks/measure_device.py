"""Measure an OpenCL device: bits against NumPy, kernels by the device's clock, launches, transfers, memory, graphs.

Prints tables in Markdown. Everything is warmed up first; times are medians. ``--vendor libnvidia-opencl.so.1`` names a
driver that no vendor file names. ``--quick`` makes pictures small enough for a device that a CPU plays. Beside the
figures of this package stand those of PyTorch and CuPy where they are installed and see a GPU.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from peers import print_cupy, print_torch

from unshape_backend.difference import difference
from unshape_backend.kernel_library import KernelLibrary
from unshape_core.context import EvalContext
from unshape_core.graph import Graph
from unshape_core.protocols import Node
from unshape_image import Blend, BlendMode, BoxBlur, Convolve, GaussianBlur, Levels, MapPixels, RemapUv, Resize
from unshape_noise import Perlin
from unshape_testing.kernel_suite import KernelSuite
from unshape_testing.laws.numbers import case_job, definition
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.tasks import make_job, run_job

if TYPE_CHECKING:
    from unshape_opencl import OpenClBackend

ROUNDS = 15
WIDTH_PX = 4096


def main() -> None:
    """Measure the first device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vendor", help="driver library to load in place of those that vendor files name")
    parser.add_argument("--quick", action="store_true", help="small pictures, for devices that a CPU plays")
    parser.add_argument("--skip-cases", action="store_true", help="leave out the comparison of all cases")
    options = parser.parse_args()
    scale = 16 if options.quick else 1
    backend = open_first(options.vendor)
    print_device(backend)
    print_operations(backend, elements=(1 << 24) // scale)
    if not options.skip_cases:
        print_cases(backend)
    warm_up(backend)
    print_kernels(backend, side_px=8192 // scale)
    print_launches(backend)
    print_transfers(backend, nbytes=(256 << 20) // scale)
    print_graphs(backend, side_px=4096 // scale)
    print_memory(backend)
    print_torch(side_px=8192 // scale, rounds=ROUNDS)
    print_cupy(side_px=8192 // scale, rounds=ROUNDS)


def open_first(vendor: str | None) -> OpenClBackend:
    """Open the first device, with the kernels of all domains; drivers are loaded when the library is imported."""
    if vendor is not None:
        folder = Path(tempfile.mkdtemp())
        (folder / "named.icd").write_text(f"{vendor}\n", encoding="utf-8")
        os.environ["OCL_ICD_VENDORS"] = f"{folder}{os.sep}"
    from unshape_opencl import open_backends

    backend, *others = open_backends()
    for other in others:
        other.close()
    KernelLibrary().give(backend, "opencl")
    return backend


def print_device(backend: OpenClBackend) -> None:
    """Print what the device is and claims."""
    facts = backend.capabilities
    print(f"## {facts.device.name}\n")
    print(f"- {facts.device.driver}; kind {facts.kind}; software: {facts.device.is_software}")
    print(f"- features: {', '.join(sorted(facts.features))}")
    print(f"- limits: {facts.limits}\n")


def print_operations(backend: OpenClBackend, *, elements: int) -> None:
    """Print how often single operations differ from the reference on random pairs."""
    rng = np.random.default_rng(3)
    shape = (max(1, elements // WIDTH_PX), WIDTH_PX, 2)
    ordinary = rng.uniform(0.5, 2.0, shape).astype(np.float32)
    wide = rng.integers(0, 2**32, shape, np.uint32).view(np.float32)
    print(f"## Operations on {shape[0] * shape[1]} pairs: elements that differ from NumPy\n")
    print("| operation | ordinary numbers | all bit patterns |")
    print("|---|---|---|")
    for name, text in (
        ("x*y + x", "vec2(color.x*color.y + color.x, color.x*color.y - color.y)"),
        ("x / y", "vec2(color.x / color.y, color.y / color.x)"),
        ("sqrt(x)", "sqrt(abs(color))"),
        ("pow(x, y)", "vec2(pow(color.x, color.y), pow(color.y, color.x))"),
        ("sin(x)", "sin(color)"),
        ("exp(x)", "exp(color)"),
        ("log(x)", "log(color)"),
        ("x % y", "vec2(color.x % color.y, color.y % color.x)"),
    ):
        cells = []
        for picture in (ordinary, wide):
            job = make_job(MapPixels(text), (picture,), EvalContext(resolution=(shape[1], shape[0])))
            found = difference(np.asarray(definition(job)[0]), np.asarray(run_job(backend, job)[0]))
            cells.append(str(found.differing))
        print(f"| {name} | {' | '.join(cells)} |")
    print()


def print_cases(backend: OpenClBackend) -> None:
    """Print every case of every installed domain that differs."""
    supported, wrong = 0, []
    for domain, case in KernelSuite.cases():
        job = case_job(case)
        if backend.supports(job.task) is not None:
            continue
        supported += 1
        try:
            actual = run_job(backend, job)
        except Exception as error:  # the rest is worth knowing as well
            wrong.append(f"{domain}/{case.name}: {type(error).__name__}: {error}")
            continue
        for left, right in zip(definition(job), actual, strict=True):
            seen = difference(np.asarray(left), np.asarray(right))
            if not seen.is_equal:
                wrong.append(f"{domain}/{case.name}: {seen.differing} of {seen.elements}, up to {seen.max_ulp} ulp")
    print(f"## Cases: {supported} run, {len(wrong)} differ; {backend.compilations} programs compiled\n")
    for line in wrong:
        print(f"- {line}")
    print()


def warm_up(backend: OpenClBackend) -> None:
    """Keep the device busy until its clock has risen."""
    job = make_job(Perlin(scale=8.0, octaves=4), (), EvalContext(resolution=(1024, 1024)))
    run = backend.compile(job.task)
    stop = time.perf_counter() + 0.3
    while time.perf_counter() < stop:
        run(job.task.nodes, (), job.ctx)
        backend.synchronize()


def device_ns(backend: OpenClBackend, node: Node, inputs: Sequence[Any], ctx: EvalContext) -> float:
    """Return the median time of a node on the device, by its clock; all kernels of one run together."""
    job = make_job(node, inputs, ctx)
    run = backend.compile(job.task)
    there = [backend.upload(value) if isinstance(value, np.ndarray) else value for value in job.inputs]
    run(job.task.nodes, there, job.ctx)
    backend.synchronize()
    totals = []
    for _ in range(ROUNDS):
        with backend.kernel_times() as times:
            run(job.task.nodes, there, job.ctx)
        totals.append(sum(each.duration_ns for each in times))
    return statistics.median(totals)


def print_kernels(backend: OpenClBackend, *, side_px: int) -> None:
    """Print single nodes by the device's clock."""
    print(f"## Kernels, {side_px}^2, by the device's clock\n")
    print("| node | ms | Gpx/s | GB/s |")
    print("|---|---|---|---|")
    rng = np.random.default_rng(1)
    gray = rng.random((side_px, side_px, 1), np.float32)
    half = side_px // 2
    color = rng.random((half, half, 4), np.float32)
    rows: list[tuple[str, Node, tuple[Any, ...]]] = [
        ("a*b+c, gray", MapPixels("color * 1.5 + 0.25"), (gray,)),
        ("Blend multiply, gray", Blend(mode=BlendMode.MULTIPLY, opacity=0.5), (gray, gray[::-1].copy())),
        ("pow, gray", MapPixels("pow(color, 2.2)"), (gray,)),
        ("Levels, RGBA, half side", Levels(gamma=1.8), (color,)),
        ("RemapUv, RGBA, half side", RemapUv("vec2(u + 0.05*sin(v*25.1), v)"), (color,)),
        ("Convolve 3x3, gray", Convolve(), (gray,)),
        ("GaussianBlur sigma 2, gray", GaussianBlur(sigma_px=2.0), (gray,)),
        ("GaussianBlur sigma 8, RGBA, half side", GaussianBlur(sigma_px=8.0), (color,)),
        ("BoxBlur radius 5, gray", BoxBlur(radius_px=5), (gray,)),
        ("Resize to half, RGBA, half side", Resize(width_px=half // 2, height_px=half // 2), (color,)),
        ("Perlin", Perlin(scale=16.0), ()),
        ("Perlin, 8 octaves", Perlin(scale=16.0, octaves=8), ()),
    ]
    for name, node, inputs in rows:
        size = inputs[0].shape[:2] if inputs else (side_px, side_px)
        took = device_ns(backend, node, inputs, EvalContext(resolution=(size[1], size[0])))
        pixels = size[0] * size[1]
        moved = pixels * 4 * (inputs[0].shape[2] if inputs else 1) * (len(inputs) + 1)
        print(f"| {name} | {took / 1e6:.3f} | {pixels / took:.2f} | {moved / took:.0f} |")
    print()


def wall_us(call: Callable[[], object], *, rounds: int = 200) -> float:
    """Return the median wall time of a call."""
    for _ in range(5):
        call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) / 1e3


def print_launches(backend: OpenClBackend) -> None:
    """Print what a launch costs."""
    picture = np.zeros((256, 256, 1), np.float32)
    job = make_job(MapPixels("color + 1.0"), (picture,), EvalContext(resolution=(256, 256)))
    run = backend.compile(job.task)
    value = backend.upload(picture)

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
    print(f"| each further kernel of a chain of 100 | {(hundred - one) / 99:.2f} |")
    print(f"| upload 64 bytes | {wall_us(lambda: backend.upload(tiny)):.1f} |")
    print(f"| download 64 bytes | {wall_us(lambda: backend.download(there)):.1f} |\n")


def print_transfers(backend: OpenClBackend, *, nbytes: int) -> None:
    """Print how fast large arrays travel through this backend, and how fast pinned and pageable memory is by itself."""
    import pyopencl as cl

    array = np.random.default_rng(2).random(nbytes // 4, np.float32)
    value = backend.upload(array)

    def up() -> None:
        backend.upload(array)
        backend.synchronize()

    rows = {
        "numpy copy": wall_us(array.copy, rounds=7),
        "upload": wall_us(up, rounds=7),
        "download": wall_us(lambda: backend.download(value), rounds=7),
    }
    frozen = array.copy()
    frozen.flags.writeable = False
    if backend.adopt(frozen) is not None:
        rows["use in place"] = wall_us(lambda: backend.adopt(frozen))
    context = cl.Context([list_first_device()])
    queue = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, nbytes)
    held = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR, nbytes)
    access: Any = cl.map_flags.READ | cl.map_flags.WRITE
    mapped: Any = cl.enqueue_map_buffer(queue, held, access, 0, (nbytes // 4,), np.dtype(np.float32))
    pinned = mapped[0]
    pinned[:] = array
    for name, host in (("pinned", pinned), ("pageable", array)):
        rows[f"{name} memory to the device, by the driver"] = wall_us(copier(queue, buffer, host), rounds=7)
        rows[f"{name} memory from the device, by the driver"] = wall_us(copier(queue, host, buffer), rounds=7)
    print(f"## Transfers of {nbytes >> 20} MiB, wall time\n")
    print("| way | GB/s |")
    print("|---|---|")
    for name, took_us in rows.items():
        print(f"| {name} | {nbytes / took_us / 1e3:.1f} |")
    print()


def copier(queue: Any, target: Any, source: Any) -> Callable[[], object]:
    """Return what copies and waits."""
    import pyopencl as cl

    return lambda: cl.enqueue_copy(queue, target, source)


def list_first_device() -> Any:
    """Return the device that is measured, for what only the driver does."""
    from unshape_opencl.discovery import list_devices

    return list_devices()[0]


def print_graphs(backend: OpenClBackend, *, side_px: int) -> None:
    """Print what whole evaluations take and compile: first, again, and with a slider changed."""
    registry = registry_of(backend)
    print(f"## Graphs at {side_px}^2, named on the device, result left there\n")
    print("| graph | evaluation | compilations | wall ms |")
    print("|---|---|---|---|")
    for name, build in (("8 pointwise", pointwise_chain), ("noise, blur, remap, blend", mixed_chain)):
        evaluator = evaluator_of(registry, f"named:{backend.id}")
        for which, slider in (("first", 1.1), ("again, cache cleared", 1.1), ("slider changed", 1.2)):
            graph, last = build(slider)
            if which != "slider changed":
                evaluator.clear_cache()
            before = backend.compilations
            start = time.perf_counter_ns()
            evaluator.evaluate(graph, [last], EvalContext(resolution=(side_px, side_px)))
            backend.synchronize()
            took = time.perf_counter_ns() - start
            print(f"| {name} | {which} | {backend.compilations - before} | {took / 1e6:.2f} |")
    graph, last = mixed_chain(1.1)
    evaluator = evaluator_of(registry, f"named:{backend.id}")

    def again() -> None:
        evaluator.clear_cache()
        evaluator.evaluate(graph, [last], EvalContext(resolution=(256, 256)))
        backend.synchronize()

    print(f"\nwarm evaluation of the second graph at 256^2: {wall_us(again, rounds=50):.1f} us\n")


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


def print_memory(backend: OpenClBackend) -> None:
    """Print what 20,000 tiny uploads, 1,000 failing builds and 100 openings leave behind."""
    from unshape_backend.errors import CompilationError
    from unshape_opencl.discovery import open_device
    from unshape_opencl.source import Source

    print("## Memory before and after\n")
    print("| what | pool bytes used | pool bytes kept | resident KiB |")
    print("|---|---|---|---|")

    def row(what: str) -> None:
        backend.synchronize()
        found = backend.pool_statistics
        print(f"| {what} | {found.used_bytes} | {found.reserved_bytes} | {resident_kib()} |")

    backend.trim()
    row("before")
    tiny = np.ones((5, 5, 1), np.float32)
    for _ in range(20_000):
        backend.upload(tiny)
    row("20,000 uploads of 5 x 5")
    programs = backend._device.programs
    for number in range(1000):
        try:
            programs.kernel(Source(f"__kernel void f() {{ no_such_name_{number}; }}"), "f", where="a failing build")
        except CompilationError:
            continue
        raise AssertionError("a build that must fail did not")
    row("1,000 failing builds")
    for _ in range(100):
        other = open_device(list_first_device())
        other.download(other.upload(tiny))
        other.close()
    row("100 openings")
    print()


def resident_kib() -> int:
    """Return the resident memory of this process."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":
    main()
