"""Clocks: the device's own, with the device kept busy, and the wall's."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.protocols import Node
from unshape_gpu import GpuComputeBackend
from unshape_testing.tasks import make_job

RUNS = 12
"""Runs of one kernel that are handed over together; the first ones find a device that has not sped up yet."""
DROPPED = 4


def device_ns(backend: GpuComputeBackend, run: Callable[[], object], *, runs: int = RUNS) -> float:
    """Return the median time of what one call records, by the device's clock; calls follow each other at once."""
    run()
    with backend.kernel_times() as kernels:
        for _ in range(runs):
            run()
    each = len(kernels) // runs
    sums = [sum(kernel.duration_ns for kernel in kernels[k * each : (k + 1) * each]) for k in range(runs)]
    return float(statistics.median(sums[min(DROPPED, runs - 1) :]))


def node_run(backend: GpuComputeBackend, node: Node, inputs: Sequence[Any], ctx: EvalContext) -> Callable[[], object]:
    """Return a call that records a node, its inputs being on the device."""
    job = make_job(node, inputs, ctx)
    run = backend.compile(job.task)
    there = [backend.upload(value) if isinstance(value, np.ndarray) else value for value in job.inputs]
    return lambda: run(job.task.nodes, there, job.ctx)


def keep_busy(backend: GpuComputeBackend, run: Callable[[], object], *, seconds: float = 0.3) -> None:
    """Keep the device busy until its clock has risen."""
    stop = time.perf_counter() + seconds
    while time.perf_counter() < stop:
        for _ in range(8):
            run()
        backend.synchronize()


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
