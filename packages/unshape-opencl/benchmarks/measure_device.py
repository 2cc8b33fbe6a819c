"""Measure an OpenCL device: bits against NumPy, kernels by the device's clock, launches, transfers, whole graphs.

Prints tables in Markdown. Everything is warmed up first; times are medians. ``--vendor libnvidia-opencl.so.1`` names a
driver that no vendor file names. ``--quick`` makes pictures small enough for a device that a CPU plays. Beside the
figures of this package stand those of the driver alone, and of PyTorch and CuPy where they are installed and see a GPU.

``--skip-cases`` leaves the comparison of all cases and of the example graphs to a run with ``--only-cases``. No section
is begun after ``--limit-s`` seconds; the last line says what was left out.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from exactness import print_cases, print_examples, print_operations
from floors import launch_rows, transfer_rows
from graphs import chain_rows, print_graphs
from noise import noise_rows
from peers import print_cupy, print_torch
from report import print_table, wall_us
from vendor import open_first

from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_image import Blend, BlendMode, BoxBlur, Convolve, GaussianBlur, Levels, MapPixels, RemapUv, Resize
from unshape_noise import Perlin
from unshape_testing.tasks import make_job

if TYPE_CHECKING:
    from unshape_opencl import OpenClBackend

ROUNDS = 15
CHAIN_TITLE = "Chain of 8 pointwise nodes, one kernel, by the device's clock"


def main() -> None:
    """Measure the first device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vendor", help="driver library to load in place of those that vendor files name")
    parser.add_argument("--quick", action="store_true", help="small pictures, for devices that a CPU plays")
    parser.add_argument("--limit-s", type=float, default=80.0, help="begin no section later; default: %(default)s")
    parser.add_argument(
        "--part", type=part, default=(1, 1), metavar="K/N", help="compare the Kth of N parts of the cases"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--skip-cases", action="store_true", help="leave out the comparison of cases and examples")
    which.add_argument("--only-cases", action="store_true", help="compare cases and examples, and measure nothing")
    options = parser.parse_args()
    start = time.perf_counter()
    scale = 16 if options.quick else 1
    backend = open_first(options.vendor)
    print_device(backend)
    print(f"opened in {time.perf_counter() - start:.1f} s\n", flush=True)
    sections = [] if options.only_cases else measurements(backend, scale=scale)
    if not options.skip_cases:
        sections += [
            partial(print_examples, backend, side_px=512),
            partial(print_cases, backend, part=options.part, stop=start + options.limit_s),
        ]
    left_out = 0
    for section in sections:
        if time.perf_counter() - start > options.limit_s:
            left_out += 1
            continue
        begun = time.perf_counter()
        try:
            section()
        except Exception as error:  # the other sections are worth knowing
            print(f"\n{type(error).__name__}: {error}\n", flush=True)
        print(f"(this took {time.perf_counter() - begun:.1f} s)\n", flush=True)
    took = time.perf_counter() - start
    print(f"{len(sections) - left_out} of {len(sections)} sections in {took:.0f} s, {left_out} left out")


def part(text: str) -> tuple[int, int]:
    """Return the two numbers of ``2/3``."""
    number, _, count = text.partition("/")
    return int(number), int(count)


def measurements(backend: OpenClBackend, *, scale: int) -> list[Callable[[], object]]:
    """Return what is measured, the most important first; pictures are so many times smaller to each side."""
    warm_up(backend)
    time_node = partial(device_ns, backend)
    large_px, chain_px = 8192 // scale, 4096 // scale
    return [
        partial(print_kernels, time_node, side_px=large_px),
        lambda: print_table("Noise of 8 octaves", ("how", "ms", "Gpt/s"), noise_rows(time_node, side_px=large_px)),
        partial(print_launches, backend),
        partial(print_transfers, backend, nbytes=(256 << 20) // scale),
        partial(print_graphs, backend, side_px=chain_px),
        lambda: print_table(CHAIN_TITLE, ("picture", "ms", "GB/s"), chain_rows(backend, side_px=chain_px)),
        partial(print_cupy, side_px=large_px, rounds=ROUNDS),
        partial(print_torch, side_px=large_px, chain_side_px=chain_px, rounds=ROUNDS),
        partial(print_operations, backend, elements=(1 << 24) // scale),
    ]


def print_device(backend: OpenClBackend) -> None:
    """Print what the device is and claims."""
    facts = backend.capabilities
    print(f"## {facts.device.name}\n")
    print(f"- {facts.device.driver}; kind {facts.kind}; software: {facts.device.is_software}")
    print(f"- features: {', '.join(sorted(facts.features))}")
    print(f"- limits: {facts.limits}\n")


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


def print_kernels(time_node: Callable[[Node, Sequence[Any], EvalContext], float], *, side_px: int) -> None:
    """Print single nodes by the device's clock."""
    rng = np.random.default_rng(1)
    gray = rng.random((side_px, side_px, 1), np.float32)
    half = side_px // 2
    color = rng.random((half, half, 4), np.float32)
    nodes: list[tuple[str, Node, tuple[Any, ...]]] = [
        ("a*b+c, gray", MapPixels("color * 1.5 + 0.25"), (gray,)),
        ("Blend multiply, gray", Blend(mode=BlendMode.MULTIPLY, opacity=0.5), (gray, gray[::-1].copy())),
        ("pow, gray", MapPixels("pow(color, 2.2)"), (gray,)),
        ("Levels, RGBA, half side", Levels(gamma=1.8), (color,)),
        ("RemapUv, RGBA, half side", RemapUv("vec2(u + 0.05*sin(v*25.1), v)"), (color,)),
        ("Convolve 3x3, gray", Convolve(), (gray,)),
        ("GaussianBlur sigma 2, gray", GaussianBlur(sigma_px=2.0), (gray,)),
        ("GaussianBlur sigma 8, gray", GaussianBlur(sigma_px=8.0), (gray,)),
        ("GaussianBlur sigma 8, RGBA, half side", GaussianBlur(sigma_px=8.0), (color,)),
        ("BoxBlur radius 5, gray", BoxBlur(radius_px=5), (gray,)),
        ("Resize to half, RGBA, half side", Resize(width_px=half // 2, height_px=half // 2), (color,)),
        ("Perlin", Perlin(scale=16.0), ()),
    ]

    def measured(node: Node, inputs: tuple[Any, ...]) -> Sequence[str]:
        size = inputs[0].shape[:2] if inputs else (side_px, side_px)
        took = time_node(node, inputs, EvalContext(resolution=(size[1], size[0])))
        pixels = size[0] * size[1]
        moved = pixels * 4 * (inputs[0].shape[2] if inputs else 1) * (len(inputs) + 1)
        return (f"{took / 1e6:.3f}", f"{pixels / took:.2f}", f"{moved / took:.0f}")

    print_table(
        f"Kernels, {side_px}^2, by the device's clock",
        ("node", "ms", "Gpx/s", "GB/s"),
        [(name, partial(measured, node, inputs)) for name, node, inputs in nodes],
    )


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

    def launches() -> Sequence[str]:
        one, hundred = wall_us(lambda: chain(1)), wall_us(lambda: chain(101), rounds=50)
        return (f"{one:.1f}", f"{(hundred - one) / 100:.2f}")

    columns = ("256^2 pixels", "one kernel and wait, us", "each further one of 100, us")
    print_table("Launches, wall time", columns, [("a node", launches), *launch_rows()])
    tiny = np.zeros((4, 4, 1), np.float32)
    there = backend.upload(tiny)
    calls: list[tuple[str, Callable[[], object]]] = [
        ("wait for nothing", backend.synchronize),
        ("upload 64 bytes", lambda: backend.upload(tiny)),
        ("download 64 bytes", lambda: backend.download(there)),
    ]
    print_table("Calls, wall time", ("what", "us"), [(name, partial(_wall, call)) for name, call in calls])


def _wall(call: Callable[[], object]) -> Sequence[str]:
    return (f"{wall_us(call):.1f}",)


def print_transfers(backend: OpenClBackend, *, nbytes: int) -> None:
    """Print how fast large arrays travel through this backend, and how fast by the driver alone."""
    pageable = np.random.default_rng(2).random(nbytes // 4, np.float32)

    def both_ways(array: Any) -> Sequence[str]:
        array[:] = pageable
        value = backend.upload(array)

        def up() -> None:
            backend.upload(array)
            backend.synchronize()

        up_us, down_us = wall_us(up, rounds=9), wall_us(lambda: backend.download(value), rounds=9)
        np.testing.assert_array_equal(pageable, backend.download(value))
        return (f"{nbytes / up_us / 1e3:.1f}", f"{nbytes / down_us / 1e3:.1f}")

    def held_downloads() -> Sequence[str]:
        value = backend.upload(pageable)
        kept = [backend.download(value) for _ in range(3)]
        kept += [backend.host_array((nbytes // 4,), np.float32) for _ in range(4)]  # until none is left
        took = wall_us(lambda: backend.download(value), rounds=7)
        return ("", f"{nbytes / took / 1e3:.1f}")

    frozen = pageable.copy()
    frozen.flags.writeable = False

    def in_place() -> Sequence[str]:
        if backend.adopt(frozen) is None:
            return ("not shared with the host",)
        return (f"{nbytes / wall_us(lambda: backend.adopt(frozen)) / 1e3:.1f}",)

    def copied() -> Sequence[str]:
        return (f"{nbytes / wall_us(pageable.copy, rounds=7) / 1e3:.1f}",)

    print_table(
        f"Transfers of {nbytes >> 20} MiB, wall time, GB/s",
        ("from and to", "to the device", "from it"),
        [
            ("pinned arrays of this backend, into pinned results", lambda: both_ways(pinned(backend, nbytes))),
            ("any array, into pinned results", lambda: both_ways(pageable.copy())),
            ("any array, pinned memory used up", held_downloads),
            ("memory used in place", in_place),
            ("numpy copy", copied),
            *transfer_rows(nbytes),
        ],
    )


def pinned(backend: OpenClBackend, nbytes: int) -> Any:
    """Return an array that the device reads by itself."""
    return backend.host_array((nbytes // 4,), np.float32)


if __name__ == "__main__":
    main()
