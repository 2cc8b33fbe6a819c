"""What the backend takes: expressions over pictures within its limits, and nodes that have a kernel here."""

from __future__ import annotations

from unshape_backend.capabilities import BackendCapabilities
from unshape_backend.kernel import KernelSpec, KernelTable
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_gpu.grid import GROUP_SIZE, group_size, most_groups
from unshape_gpu.parameters import WORD_BYTES, ParameterLayout

_MOST_PIXELS = 2**31 - 1


def why_not(
    task: Task, kernels: KernelTable, capabilities: BackendCapabilities, *, max_params_bytes: int
) -> Rejection | None:
    """Return why a task cannot be run, None if it can.

    Parameters
    ----------
    task : Task
        What is asked for.
    kernels : KernelTable
        For particular nodes; they check limits themselves, beside those of buffers.
    capabilities : BackendCapabilities
        The device's facts.
    max_params_bytes : int
        Largest parameter block.
    """
    found = kernels.find(task, capabilities.limits)
    if isinstance(found, KernelSpec):
        if group_size(capabilities.limits) < GROUP_SIZE:
            detail = f"workgroups of {GROUP_SIZE}, the device has {group_size(capabilities.limits)}"
            return Rejection(RejectionCode.LIMIT, detail)
        return _exceeded(task, capabilities)
    if task.kernel is None:
        return found
    if not all(spec.picture_px is not None for spec in task.output_specs):
        return Rejection(RejectionCode.NO_KERNEL, "numbers are computed on the host")
    if not task.dtypes <= {"float32"}:
        return Rejection(RejectionCode.DTYPE, "it computes float32 only")
    params_bytes = ParameterLayout.of(task.kernel).words * WORD_BYTES
    if params_bytes > max_params_bytes:
        detail = f"{params_bytes} bytes of parameters, the device takes {max_params_bytes}"
        return Rejection(RejectionCode.LIMIT, detail)
    return _exceeded(task, capabilities)


def _exceeded(task: Task, capabilities: BackendCapabilities) -> Rejection | None:
    limits = capabilities.limits
    if limits.max_bindings is not None and task.array_count > limits.max_bindings:
        detail = f"{task.array_count} arrays at once, the device binds {limits.max_bindings}"
        return Rejection(RejectionCode.LIMIT, detail)
    most = min(size for size in (limits.max_buffer_bytes, limits.max_binding_bytes, 2**63) if size is not None)
    largest = max((size for size in (*task.input_bytes, *task.output_bytes) if size is not None), default=0)
    if -(-largest // 16) * 16 > most:
        return Rejection(RejectionCode.LIMIT, f"an array of {largest} bytes, the largest binding is {most}")
    window = task.region.output
    pixels = window.width_px * window.height_px
    if pixels > min(_MOST_PIXELS, most_groups(limits) * group_size(limits)):
        return Rejection(RejectionCode.LIMIT, f"{pixels} pixels, a grid has at most {most_groups(limits)} workgroups")
    return None
