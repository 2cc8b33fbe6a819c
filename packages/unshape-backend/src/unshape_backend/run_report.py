"""The account of a run, beside that of its plan: what each step really took, on the host and on the device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from unshape_backend.cost import format_ns
from unshape_backend.plan.explain import format_bytes
from unshape_core.program import StepKind
from unshape_core.result import StepRecord


def explain_run(records: Sequence[StepRecord]) -> str:
    """Return what the steps of a run did, as text; waits for devices whose times are not known yet.

    Parameters
    ----------
    records : sequence of StepRecord
        Those of an ``EvalResult`` whose evaluation kept records.
    """
    host_ns = sum(record.duration_ns for record in records)
    device_ns = [record.device_ns for record in records if record.device_ns is not None]
    measured = f", devices worked for {format_ns(sum(device_ns))}" if device_ns else ""
    return "\n".join(
        [f"Run: {len(records)} steps, the host was busy for {format_ns(host_ns)}{measured}", *_lines(records)]
    )


def describe_run(records: Sequence[StepRecord]) -> list[dict[str, Any]]:
    """Return what the steps of a run did, as data that JSON can hold; waits as :func:`explain_run` does."""
    return [
        {
            "kind": str(record.kind),
            "nodes": list(record.node_ids),
            "type": record.type_name,
            "backend": record.backend,
            "duration_ns": record.duration_ns,
            "device_ns": record.device_ns,
            "bytes": record.nbytes,
            "copied_bytes": record.copied_bytes,
            "is_cache_hit": record.is_cache_hit,
            "notes": list(record.notes),
        }
        for record in records
    ]


def _lines(records: Sequence[StepRecord]) -> Iterator[str]:
    for record in records:
        nodes = ", ".join(map(str, record.node_ids))
        what = f"{record.type_name} ({nodes})"
        if record.kind is not StepKind.NODE:
            what = f"{record.kind} of {what}"
        took = "found in the cache" if record.is_cache_hit else f"host {format_ns(record.duration_ns)}"
        if record.device_ns is not None:
            took += f", device {format_ns(record.device_ns)}"
        copied = f", copied {format_bytes(record.copied_bytes)} of inputs" if record.copied_bytes else ""
        yield f"  {what} on {record.backend}: {took}, {format_bytes(record.nbytes)}{copied}"
        yield from (f"         {note}" for note in record.notes)
