"""What the driver takes by itself: launches and transfers without anything of this package."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from report import wall_us
from vendor import first_device

SOURCE = """
typedef struct { uint w[24]; } parameters;
__kernel void add(const parameters p, __global float *a, __global const float *b) {
    const uint i = get_global_id(0);
    a[i] = b[i] + as_float(p.w[0]);
}
"""
LENGTH = 100


def launch_rows() -> list[tuple[str, Callable[[], Sequence[str]]]]:
    """Return rows of launch costs: with and without times, with arguments set each time and once."""
    import pyopencl as cl

    from unshape_opencl.native import set_bytes

    context = cl.Context([first_device()])
    kernel = cl.Kernel(cl.Program(context, SOURCE).build(), "add")
    a, b = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * 65536) for _ in range(2))
    words = np.zeros(24, np.uint32)

    def set_generally() -> None:
        kernel.set_arg(0, words)
        kernel.set_arg(1, a)
        kernel.set_arg(2, b)

    set_generally()

    def set_by_kind() -> None:
        set_bytes(kernel, 0, words)
        kernel.set_arg(1, a)
        kernel.set_arg(2, b)

    def measured(
        properties: Any, set_arguments: Callable[[], None], *, group: int | None = None, without_event: bool = False
    ) -> Sequence[str]:
        queue = cl.CommandQueue(context, properties=properties)
        local = None if group is None else (group,)
        bare = enqueue_without_event(queue, kernel, 65536) if without_event else None

        def chain(length: int) -> None:
            for _ in range(length):
                set_arguments()
                if bare is None:
                    cl.enqueue_nd_range_kernel(queue, kernel, (65536,), local)
                else:
                    bare()
            queue.finish()

        one, many = wall_us(lambda: chain(1)), wall_us(lambda: chain(LENGTH + 1), rounds=50)
        return (f"{one:.1f}", f"{(many - one) / LENGTH:.2f}")

    timed = cl.command_queue_properties.PROFILING_ENABLE
    unordered = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    return [
        ("driver alone, arguments kept", lambda: measured(0, lambda: None)),
        ("driver alone, arguments kept, groups of 256", lambda: measured(0, lambda: None, group=256)),
        ("driver alone, arguments kept, in any order", lambda: measured(unordered, lambda: None)),
        ("driver alone, called through ctypes, no event", lambda: measured(0, lambda: None, without_event=True)),
        ("driver alone, arguments set", lambda: measured(0, set_by_kind)),
        ("driver alone, arguments set, times kept", lambda: measured(timed, set_by_kind)),
        ("driver alone, arguments set by the general set_arg", lambda: measured(0, set_generally)),
    ]


def enqueue_without_event(queue: Any, kernel: Any, items: int) -> Callable[[], object]:
    """Return what gives a kernel to a queue and asks for no event, which pyopencl always does."""
    import pyopencl as cl

    (path,) = (Path(cl.__file__).parent / ".libs").glob("libOpenCL*")
    enqueue = ctypes.CDLL(str(path)).clEnqueueNDRangeKernel
    pointer = ctypes.c_void_p
    enqueue.argtypes = [pointer, pointer, ctypes.c_uint, *[pointer] * 3, ctypes.c_uint, pointer, pointer]
    size = ctypes.c_size_t(items)
    queue_at, kernel_at, size_at = queue.int_ptr, kernel.int_ptr, ctypes.addressof(size)

    def call(_kept: object = size) -> None:
        if enqueue(queue_at, kernel_at, 1, None, size_at, None, 0, None, None):
            msg = "the driver took no kernel"
            raise RuntimeError(msg)

    return call


def transfer_rows(nbytes: int) -> list[tuple[str, Callable[[], Sequence[str]]]]:
    """Return rows of the driver's own transfers, GB/s to the device and from it."""
    import pyopencl as cl

    context = cl.Context([first_device()])
    queue = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, nbytes)

    def measured(host: Any) -> Sequence[str]:
        host[:] = 1
        up = wall_us(lambda: cl.enqueue_copy(queue, buffer, host), rounds=7)
        down = wall_us(lambda: cl.enqueue_copy(queue, host, buffer), rounds=7)
        return (f"{nbytes / up / 1e3:.1f}", f"{nbytes / down / 1e3:.1f}")

    def pinned() -> Any:
        held = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.ALLOC_HOST_PTR, nbytes)
        access: Any = cl.map_flags.READ | cl.map_flags.WRITE
        mapped: Any = cl.enqueue_map_buffer(queue, held, access, 0, (nbytes // 4,), np.dtype(np.float32))
        return mapped[0]

    return [
        ("driver alone, pinned", lambda: measured(pinned())),
        ("driver alone, pageable", lambda: measured(np.empty(nbytes // 4, np.float32))),
    ]
