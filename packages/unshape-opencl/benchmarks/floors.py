"""What the driver takes by itself: launches and transfers without anything of this package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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

    def measured(properties: Any, set_arguments: Callable[[], None]) -> Sequence[str]:
        queue = cl.CommandQueue(context, properties=properties)

        def chain(length: int) -> None:
            for _ in range(length):
                set_arguments()
                cl.enqueue_nd_range_kernel(queue, kernel, (65536,), None)
            queue.finish()

        one, many = wall_us(lambda: chain(1)), wall_us(lambda: chain(LENGTH + 1), rounds=50)
        return (f"{one:.1f}", f"{(many - one) / LENGTH:.2f}")

    timed = cl.command_queue_properties.PROFILING_ENABLE
    return [
        ("driver alone, arguments kept", lambda: measured(0, lambda: None)),
        ("driver alone, arguments set", lambda: measured(0, set_by_kind)),
        ("driver alone, arguments set, times kept", lambda: measured(timed, set_by_kind)),
        ("driver alone, arguments set by the general set_arg", lambda: measured(0, set_generally)),
    ]


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
