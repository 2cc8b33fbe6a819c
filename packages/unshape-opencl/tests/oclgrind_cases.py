"""Every kind of kernel under oclgrind, a simulator that sees accesses out of bounds and data races.

Run by ``oclgrind_session.py`` in a process of its own, whose only driver is oclgrind; what oclgrind finds stands in its
log, and the results are compared with the definition. The pool hands out exact sizes, so that one float too far is
found. With ``--sabotage`` kernels are run instead that read and write out of bounds, and that race.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

import numpy as np
import pyopencl as cl

from unshape_backend.case import Case
from unshape_backend.domain_cases import domain_cases
from unshape_backend.kernel_library import KernelLibrary
from unshape_core.value_type import ArrayType
from unshape_opencl import OpenClBackend, pool
from unshape_opencl.discovery import list_devices, open_device
from unshape_opencl.native import set_object
from unshape_testing.laws import numbers
from unshape_testing.own_cases import own_cases
from unshape_testing.special_cases import size_cases

SABOTAGE = """
__kernel void beyond(__global const float *a, __global float *b) {
    const int i = get_global_id(0);
    b[i + 1] = a[i + 1];
}
__kernel void race(__global float *a) { a[0] = get_global_id(0); }
__kernel void beyond_tile(__global float *a, __local float *tile) {
    const int i = get_local_id(0);
    tile[i + 1] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = tile[1];
}
__kernel void without_barrier(__global float *a, __local float *tile) {
    const int i = get_local_id(0);
    tile[i] = a[i];
    a[i] = tile[i ^ 1];
}
"""
MAX_ELEMENTS = 20_000


def main() -> int:
    """Run the cases and print how many; 1 if a result differs or a device is no oclgrind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="run one of so many cases")
    parser.add_argument("--sabotage", action="store_true", help="run kernels that are wrong")
    options = parser.parse_args()
    (device, *_) = list_devices()
    if "Oclgrind" not in device.platform.name:
        sys.stderr.write(f"expected oclgrind, got {device.platform.name}\n")
        return 1
    if options.sabotage:
        _sabotage(device)
        return 0
    pool.size_class = lambda nbytes: nbytes
    pool.SMALLEST_BYTES = 16
    ran = programs = 0
    for as_gpu in (False, True):
        backend = open_device(device, as_gpu=as_gpu)
        KernelLibrary().give(backend, "opencl")
        for case in _chosen(backend, options.every):
            ran += _run(backend, case)
        programs += backend.compilations
        backend.close()
    sys.stdout.write(f"{ran} runs of {programs} programs\n")
    return 0


def _cases() -> Iterator[Case]:
    yield from own_cases()
    yield from size_cases()
    yield from (case for _, case in domain_cases())


def _chosen(backend: OpenClBackend, every: int) -> Iterator[Case]:
    """Yield one of so many cases, and at least one of each node that has a kernel of its own."""
    missing = {kernel.node_type for kernel in backend.kernels}
    for number, case in enumerate(_cases()):
        name = case.node.type_name
        if number % every == 0 or name in missing:
            missing.discard(name)
            yield case


def _run(backend: OpenClBackend, case: Case) -> int:
    """Run a case that is small enough for a simulator, and one window of it; return how many runs that was."""
    job = numbers.case_job(case)
    specs = [spec for spec in job.task.output_specs if isinstance(spec.value_type, ArrayType)]
    if backend.supports(job.task) is not None or any((spec.elements or 0) > MAX_ELEMENTS for spec in specs):
        return 0
    numbers.check_equals_definition(backend, case)
    for window in case.windows[:1]:
        numbers.check_equals_definition(backend, case, window=window)
    return 1 + len(case.windows[:1])


def _sabotage(device: cl.Device) -> None:
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SABOTAGE).build()
    a, b = (cl.Buffer(context, cl.mem_flags.READ_WRITE, 16) for _ in range(2))
    cl.enqueue_copy(queue, a, np.zeros(4, np.float32))
    cl.Kernel(program, "beyond")(queue, (4,), (1,), a, b)
    cl.Kernel(program, "race")(queue, (4,), (1,), a)
    for name in ("beyond_tile", "without_barrier"):
        kernel = cl.Kernel(program, name)
        kernel.set_arg(0, a)
        set_object(kernel, 1, cl.LocalMemory(16))
        cl.enqueue_nd_range_kernel(queue, kernel, (4,), (4,))
    queue.finish()


if __name__ == "__main__":
    raise SystemExit(main())
