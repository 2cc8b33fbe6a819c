"""Limits and memory that every backend shares, checked at planning time against a topology's facts.

What only one backend knows (workgroups, bindings for its own uniforms) is checked by its ``supports``.
"""

from __future__ import annotations

from dataclasses import dataclass

from unshape_backend.capabilities import Feature
from unshape_backend.memory_fit import FitStatus, would_fit
from unshape_backend.selection import INEXACT, memory_limit_bytes
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_backend.topology import BackendEntry


@dataclass(frozen=True, slots=True)
class Extent:
    """What of a task meets limits.

    Parameters
    ----------
    is_exact : bool
        Whether bits are promised.
    dtypes : frozenset of str
        Element types of the arrays that go in and out.
    array_count : int
        Number of those arrays.
    largest_bytes, total_bytes : int
        Size of the largest one and of all; a part of unknown size is left out, and so taken to fit.
    """

    is_exact: bool
    dtypes: frozenset[str]
    array_count: int
    largest_bytes: int
    total_bytes: int

    @classmethod
    def of(cls, task: Task) -> Extent:
        """Return the extent of a task."""
        count = task.array_count
        is_exact = task.precision == "exact"
        if not count:
            return cls(is_exact, frozenset(), 0, 0, 0)
        sizes = [size for size in (*task.input_bytes, *task.output_bytes) if size is not None]
        return cls(is_exact, task.dtypes, count, max(sizes, default=0), sum(sizes))


def exceeded_limit(entry: BackendEntry, extent: Extent) -> Rejection | None:
    """Return which fact of a backend forbids a task of that extent, None if none does."""
    facts = entry.capabilities
    limits = facts.limits
    if extent.is_exact and Feature.EXACT_F32 not in facts.features:
        return Rejection(RejectionCode.PRECISION, INEXACT)
    if not extent.array_count:
        return None
    if "float64" in extent.dtypes and Feature.F64 not in facts.features:
        return Rejection(RejectionCode.DTYPE, "it has no float64")
    if limits.max_bindings is not None and extent.array_count > limits.max_bindings:
        detail = f"{extent.array_count} arrays at once, the device binds {limits.max_bindings}"
        return Rejection(RejectionCode.LIMIT, detail)
    for name, limit in (("buffer", limits.max_buffer_bytes), ("binding", limits.max_binding_bytes)):
        if limit is not None and extent.largest_bytes > limit:
            detail = f"an array of {extent.largest_bytes} bytes, the largest {name} is {limit}"
            return Rejection(RejectionCode.LIMIT, detail)
    total = memory_limit_bytes(entry)
    if would_fit(extent.total_bytes, total_bytes=total) is FitStatus.WONT_FIT:
        detail = f"inputs and outputs are {extent.total_bytes} bytes, it may use {total}"
        return Rejection(RejectionCode.MEMORY, detail)
    return None
