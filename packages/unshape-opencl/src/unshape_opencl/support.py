"""Whether a device runs a task: it has an expression or a kernel, and it fits."""

from __future__ import annotations

from unshape_backend.capabilities import BackendCapabilities
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.memory_fit import FitStatus, would_fit
from unshape_backend.task import Rejection, RejectionCode, Task

MAX_ITEMS = 2**32 - 2**16
"""Work-items are counted in 32 bits; the last group may reach beyond the picture."""


def why_not(task: Task, kernels: KernelTable, facts: BackendCapabilities) -> Rejection | None:
    """Return why a device does not run a task, None if it does.

    Parameters
    ----------
    task : Task
        The task.
    kernels : KernelTable
        Kernels for particular nodes.
    facts : BackendCapabilities
        Of the device.
    """
    found = kernels.find(task, facts.limits)
    if not isinstance(found, KernelSpec):
        if task.kernel is None:
            return found
        if any(spec.picture_px is None for spec in task.output_specs):
            return Rejection(RejectionCode.NO_KERNEL, "it computes pictures; numbers are computed on the host")
        if not task.dtypes <= {"float32"}:
            return Rejection(RejectionCode.DTYPE, "it computes float32 only")
    return _exceeds(task, facts)


def _exceeds(task: Task, facts: BackendCapabilities) -> Rejection | None:
    limits = facts.limits
    sizes = [size for size in (*task.input_bytes, *task.output_bytes) if size is not None]
    largest, total = max(sizes, default=0), sum(sizes)
    bounds = [size for size in (limits.max_buffer_bytes, limits.max_binding_bytes) if size is not None]
    bound = min(bounds, default=None)
    if bound is not None and largest > bound:
        return Rejection(RejectionCode.LIMIT, f"an array of {largest} bytes, the largest buffer is {bound}")
    if limits.max_bindings is not None and task.array_count > limits.max_bindings:
        detail = f"{task.array_count} arrays at once, the device binds {limits.max_bindings}"
        return Rejection(RejectionCode.LIMIT, detail)
    window = task.region.output
    pixels = window.width_px * window.height_px  # of what is computed, not of the whole picture
    if pixels > MAX_ITEMS and any(spec.picture_px is not None for spec in task.output_specs):
        return Rejection(RejectionCode.LIMIT, f"{pixels} pixels, a launch has at most {MAX_ITEMS}")
    if would_fit(total, total_bytes=limits.memory_budget_bytes) is FitStatus.WONT_FIT:
        detail = f"inputs and outputs are {total} bytes, {limits.memory_budget_bytes} may be used"
        return Rejection(RejectionCode.MEMORY, detail)
    return None
