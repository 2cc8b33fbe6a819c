"""Runs of tasks of one node on one backend.

The suites of a backend use nothing of a graph: a task, its inputs, a call. What a planner makes of graphs has suites of
its own.
"""

from __future__ import annotations

import numpy as np

from unshape_backend.protocols import ComputeBackend
from unshape_backend.single_task import Job, crop, make_job
from unshape_core.value import Value

__all__ = ["Job", "crop", "make_job", "on_host", "run_job"]


def run_job(backend: ComputeBackend, job: Job) -> tuple[Value, ...]:
    """Upload, run and download.

    Returns
    -------
    tuple of Value
        Outputs on the host.
    """
    run = backend.compile(job.task)
    inputs = [backend.upload(value) if isinstance(value, np.ndarray) else value for value in job.inputs]
    outputs = run(job.task.nodes, inputs, job.ctx)
    backend.flush()
    return tuple(on_host(backend, value) for value in outputs)


def on_host(backend: ComputeBackend, value: Value) -> Value:
    """Return an output as a host value; numbers and vectors are everywhere."""
    return backend.download(value) if hasattr(value, "shape") else value
