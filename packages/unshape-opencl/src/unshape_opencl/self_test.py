"""The self-test: a device is available if a kernel was built, ran, and computed what was asked for.

What is claimed of the device (exact arithmetic, subnormal numbers, memory in common with the host, timestamps) is what
was seen here, on the very numbers on which devices differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyopencl as cl

from unshape_opencl.device import LANES_OF_CPU, Traits
from unshape_opencl.pool import PAGE_BYTES
from unshape_opencl.program import Programs
from unshape_opencl.source import Source, library

COUNT = 1024
ROWS = 11
HALVED = 10
"""The row of halved numbers, where the subnormal ones are looked at."""
Floats = npt.NDArray[np.float32]


class WrongResultError(RuntimeError):
    """A kernel ran and computed something else than was asked for."""


def run_self_test(
    context: cl.Context, queue: cl.CommandQueue, programs: Programs, *, lanes: int, is_host: bool, where: str
) -> Traits:
    """Run the self-test.

    Parameters
    ----------
    context, queue
        Of the device.
    programs : Programs
        Compiles the kernel.
    lanes : int
        How many pixels a value holds on this device.
    is_host : bool
        Whether a CPU plays the device, which then may use host memory in place.
    where : str
        Begins messages.

    Raises
    ------
    WrongResultError
        If even what every device must be able to do came out wrong.
    """
    head = f"#define US_LANES {lanes}\n" + ("#define US_LOOPED 1\n" if lanes == LANES_OF_CPU else "")
    text = f"{head}{library('prelude.cl')}\n{library('self_test.cl')}"
    kernel = programs.kernel(Source(text), "us_self_test", where=where)
    a, b = _numbers()
    expected = _expected(a, b)
    flags = cl.mem_flags
    inputs = [cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=each) for each in (a, b)]
    output = cl.Buffer(context, flags.WRITE_ONLY, expected.nbytes)
    event = _launch(queue, kernel, (*inputs, output))
    found = np.empty_like(expected)
    cl.enqueue_copy(queue, found, output)
    # The first numbers are small whole ones with exact sums, products and halves on anything that computes.
    if not _is_equal(expected[:2, :4], found[:2, :4]):
        msg = f"{where}: expected {expected[:2, :4].tolist()}, got {found[:2, :4].tolist()}"
        raise WrongResultError(msg)
    is_tiny = (np.abs(expected) < np.finfo(np.float32).tiny) & (expected != 0)
    return Traits(
        is_exact=_is_equal(np.where(is_tiny, 0, expected), np.where(is_tiny, 0, found)),
        has_denormals=_is_equal(expected[HALVED], found[HALVED]),
        shares_memory=is_host and _shares_memory(context, queue, kernel, (a, b), expected=expected),
        has_timestamps=_has_timestamps(event),
    )


def _launch(queue: cl.CommandQueue, kernel: cl.Kernel, buffers: tuple[cl.Buffer, ...]) -> cl.Event:
    for number, buffer in enumerate(buffers):
        kernel.set_arg(number, buffer)
    kernel.set_arg(len(buffers), np.uint32(COUNT))
    return cl.enqueue_nd_range_kernel(queue, kernel, (1,), (1,))


def _numbers() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(11)
    a, b = (rng.normal(0, 3, COUNT).astype(np.float32) for _ in range(2))
    a[:4], b[:4] = (1, 2, -3, 8), (2, 1, 4, -2)
    # A product that rounds, less its rounded value: 0, and not 0 where a compiler contracts the two.
    a[4], b[4] = 1.000244140625, 1.00048828125
    limits = np.finfo(np.float32)
    odd: list[float] = [np.nan, np.inf, -np.inf, 0.0, -0.0, 3.4e38, 1.2e-38, 0.5, 2.5, 2.0**31, -(2.0**31), 3e9]
    a[8:152] = np.repeat(odd, len(odd))
    b[8:152] = np.tile(odd, len(odd))
    a[152:168] = limits.smallest_subnormal * np.arange(2, 34, 2)
    return a, b


def _expected(a: Floats, b: Floats) -> Floats:
    with np.errstate(all="ignore"):
        low = np.where(np.isnan(a), a, np.where(a < b, a, b))
        high = np.where(np.isnan(a), a, np.where(a > b, a, b))
        wide_a, wide_b = (np.where(np.isnan(x), 0, x).astype(np.float64) for x in (a, b))
        rows: list[Any] = [
            a * b + a,
            a * a - b,
            a / b,
            np.sqrt(np.abs(a)),
            np.floor(a) + np.rint(b),
            low,
            high,
            np.clip(wide_a, -(2**31), 2**31 - 1).astype(np.int32),
            np.clip(wide_b, 0, 2**32 - 1).astype(np.uint32),
            a - b * np.floor(a / b),
            a * np.float32(0.5),
        ]
    return np.stack([row.astype(np.float32) for row in rows])


def _is_equal(expected: Floats, found: Floats) -> bool:
    both_nan = np.isnan(expected) & np.isnan(found)
    return bool(np.all(both_nan | (expected.view(np.uint32) == found.view(np.uint32))))


def _shares_memory(
    context: cl.Context, queue: cl.CommandQueue, kernel: cl.Kernel, inputs: tuple[Floats, Floats], *, expected: Floats
) -> bool:
    """Write host memory, run a kernel on it, and look at its result in host memory, all without a copy."""
    a, b = inputs
    places = [_pages(a.size), _pages(b.size), _pages(expected.size)]
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    buffers = tuple(cl.Buffer(context, flags, hostbuf=place) for place in places)
    for is_flipped in (False, True):  # twice, so that a copy made with the buffer does not pass
        places[0][:] = a if not is_flipped else 0
        places[1][:] = b
        places[2][:] = 77
        _launch(queue, kernel, buffers).wait()
        wanted = expected if not is_flipped else _expected(np.zeros_like(a), b)
        if not np.allclose(places[2].reshape(ROWS, -1)[:2, :4], wanted[:2, :4]):
            return False
    return True


def _pages(count: int) -> Floats:
    memory = np.zeros(4 * count + PAGE_BYTES, np.uint8)
    start = -memory.ctypes.data % PAGE_BYTES
    return memory[start : start + 4 * count].view(np.float32)


def _has_timestamps(event: cl.Event) -> bool:
    try:
        return 0 < event.profile.start <= event.profile.end
    except cl.Error:
        return False
