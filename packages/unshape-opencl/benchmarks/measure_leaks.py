"""Measure what is left behind: tiny uploads, builds that fail, openings. Pool bytes and resident memory after each.

Prints a table in Markdown. Each row does its work twice and shows the second time: the first one fills caches. The last
rows open and release contexts with nothing of this package, so what a driver keeps by itself is seen beside it.
"""

from __future__ import annotations

import argparse
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from vendor import first_device, open_first

if TYPE_CHECKING:
    from unshape_opencl import OpenClBackend

UPLOADS, BUILDS, OPENINGS = 20_000, 1_000, 100


def main() -> None:
    """Measure the first device."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vendor", help="driver library to load in place of those that vendor files name")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    options = parser.parse_args()
    print_leaks(open_first(options.vendor), part=10 if options.quick else 1)


def print_leaks(backend: OpenClBackend, *, part: int = 1) -> None:
    """Print what is used, kept and resident before and after each kind of work, done ``1 / part`` as often."""
    uploads, builds, openings = UPLOADS // part, BUILDS // part, OPENINGS // part
    rows: list[tuple[str, Callable[[], None]]] = [
        (f"{uploads} uploads of 5 x 5", lambda: upload(backend, uploads)),
        (f"{builds} failing builds", lambda: build(backend, builds)),
        (f"{openings} openings and closings", lambda: open_and_close(openings)),
        (f"driver alone: {openings} contexts and queues", lambda: open_contexts(openings)),
        (f"driver alone: {openings} contexts that run a kernel", lambda: open_contexts(openings, runs_kernel=True)),
    ]
    print("## Memory before and after\n")
    print("| what | pool bytes used | pool bytes kept | resident KiB |")
    print("|---|---|---|---|")
    for name, work in rows:
        work()
        before = held(backend)
        work()
        pairs = zip(before, held(backend), strict=True)
        print(f"| {name} | " + " | ".join(f"{old} -> {new}" for old, new in pairs) + " |", flush=True)
    print(f"\n{references_left()} references to a context are left when its backend is closed and gone\n")


def upload(backend: OpenClBackend, times: int) -> None:
    """Upload and forget."""
    tiny = np.ones((5, 5, 1), np.float32)
    for _ in range(times):
        backend.upload(tiny)


def build(backend: OpenClBackend, times: int) -> None:
    """Compile what does not compile, each time something else."""
    from unshape_backend.errors import CompilationError
    from unshape_opencl.source import Source

    programs = backend._device.programs
    with driver_silenced():
        for number in range(times):
            try:
                programs.kernel(Source(f"__kernel void f() {{ no_such_name_{number}; }}"), "f", where="a failing build")
            except CompilationError:
                continue
            raise AssertionError("a build that must fail did not")


@contextmanager
def driver_silenced() -> Iterator[None]:
    """Drop what compilers of drivers write to the error stream by themselves."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def open_and_close(times: int) -> None:
    """Open a backend, move something there and back, and close it."""
    from unshape_opencl.discovery import list_devices, open_device

    tiny = np.ones((5, 5, 1), np.float32)
    for _ in range(times):
        backend = open_device(list_devices()[0])
        backend.download(backend.upload(tiny))
        backend.close()


def open_contexts(times: int, *, runs_kernel: bool = False) -> None:
    """Open a context and a queue with the driver's library only, and release them."""
    import pyopencl as cl

    for _ in range(times):
        context = cl.Context([first_device()])
        queue = cl.CommandQueue(context)
        if runs_kernel:
            program = cl.Program(context, "__kernel void one(__global float *a) { a[get_global_id(0)] = 1.0f; }")
            buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
            kernel = cl.Kernel(program.build(), "one")
            kernel.set_arg(0, buffer)
            cl.enqueue_nd_range_kernel(queue, kernel, (64,), None)
            queue.finish()
            buffer.release()


def references_left() -> int:
    """Return how many references to a context are left, but for the one that asks, when its backend is gone."""
    from unshape_opencl.discovery import list_devices, open_device

    backend = open_device(list_devices()[0])
    backend.download(backend.upload(np.ones((512, 512, 4), np.float32)))
    context = backend._device.queue.native.context
    backend.close()
    del backend
    gc.collect()
    return int(context.reference_count) - 1


def held(backend: OpenClBackend) -> tuple[int, int, int]:
    """Return bytes that are used and kept by the pool, and KiB that are resident."""
    gc.collect()
    backend.synchronize()
    backend.upload(np.ones(1, np.float32))  # sorts in what came back
    found = backend.pool_statistics
    return found.used_bytes, found.reserved_bytes, resident_kib()


def resident_kib() -> int:
    """Return the resident memory of this process."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


if __name__ == "__main__":
    main()
