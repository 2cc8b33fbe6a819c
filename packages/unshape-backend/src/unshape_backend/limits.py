"""Limits and memory that every backend shares, checked at planning time against a topology's facts.

What only one backend knows (workgroups, bindings for its own uniforms) is checked by its ``supports``.
"""

from __future__ import annotations

from unshape_backend.capabilities import Feature
from unshape_backend.memory_fit import FitStatus, would_fit
from unshape_backend.selection import INEXACT, memory_limit_bytes
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_backend.topology import BackendEntry


def exceeded_limit(entry: BackendEntry, task: Task) -> Rejection | None:
    """Return which fact of a backend forbids a task, None if none does.

    Parameters
    ----------
    entry : BackendEntry
        The backend.
    task : Task
        The task; a part of unknown size is taken to fit.
    """
    facts = entry.capabilities
    limits = facts.limits
    if task.precision == "exact" and Feature.EXACT_F32 not in facts.features:
        return Rejection(RejectionCode.PRECISION, INEXACT)
    if not task.array_count:
        return None
    if "float64" in task.dtypes and Feature.F64 not in facts.features:
        return Rejection(RejectionCode.DTYPE, "it has no float64")
    if limits.max_bindings is not None and task.array_count > limits.max_bindings:
        return Rejection(
            RejectionCode.LIMIT, f"{task.array_count} arrays at once, the device binds {limits.max_bindings}"
        )
    sizes = [size for size in (*task.input_bytes, *task.output_bytes) if size is not None]
    largest = max(sizes, default=0)
    for name, limit in (("buffer", limits.max_buffer_bytes), ("binding", limits.max_binding_bytes)):
        if limit is not None and largest > limit:
            return Rejection(RejectionCode.LIMIT, f"an array of {largest} bytes, the largest {name} is {limit}")
    total = memory_limit_bytes(entry)
    if would_fit(sum(sizes), total_bytes=total) is FitStatus.WONT_FIT:
        return Rejection(RejectionCode.MEMORY, f"inputs and outputs are {sum(sizes)} bytes, it may use {total}")
    return None
