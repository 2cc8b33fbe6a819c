"""Traces of runs, for Chrome's tracing page and Perfetto (https://ui.perfetto.dev).

One track a backend, in the order of first use, and one for its transfers. Times are the host's: how long it was busy
with a step, which for a device is how long it took to hand it over; how long the device itself worked is among the
arguments, where it was measured. Notes (a fallback) are marked on the track. The counter shows the bytes moved so far.

The format is Chrome's ``trace_event`` JSON: ``ts`` and ``dur`` in microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from unshape_core.atomic_file import write_text
from unshape_core.program import StepKind
from unshape_core.result import EvalResult, StepRecord

_PROCESS = 1
_Event: TypeAlias = dict[str, Any]


def trace_events(records: Sequence[StepRecord]) -> list[_Event]:
    """Return the events of a run.

    Parameters
    ----------
    records : sequence of StepRecord
        Those of an ``EvalResult`` whose evaluation kept records.
    """
    start_ns = min((record.start_ns for record in records), default=0)
    tracks: dict[str, int] = {}
    events: list[_Event] = []
    moved = 0
    for record in records:
        track = tracks.setdefault(_track_of(record), len(tracks) + 1)
        at_us = (record.start_ns - start_ns) / 1000
        events.append(_complete(record, track, at_us))
        events += [_instant(note, track, at_us) for note in record.notes]
        if record.kind is StepKind.TRANSFER and not record.is_cache_hit:
            moved += record.nbytes
            events.append(_counter(moved, at_us + record.duration_ns / 1000))
    names = [_name("process_name", "unshape", 0), *(_name("thread_name", t, k) for t, k in tracks.items())]
    return names + events


def to_trace(result: EvalResult) -> str:
    """Return the trace of a run as JSON that Chrome and Perfetto open; the evaluation must have kept records."""
    return json.dumps({"traceEvents": trace_events(result.records), "displayTimeUnit": "ns"})


def write_trace(path: str | Path, result: EvalResult) -> None:
    """Write the trace of a run to a file; nothing is left of it if that fails.

    Parameters
    ----------
    path : str or Path
        The file; an older one is replaced.
    result : EvalResult
        The run, whose evaluation kept records.
    """
    write_text(path, to_trace(result))


def _track_of(record: StepRecord) -> str:
    return f"transfers by {record.backend}" if record.kind is StepKind.TRANSFER else record.backend


def _complete(record: StepRecord, track: int, at_us: float) -> _Event:
    nodes = list(record.node_ids)
    return {
        "name": record.type_name if record.kind is StepKind.NODE else f"{record.kind} of node {nodes[-1]}",
        "cat": str(record.kind),
        "ph": "X",
        "pid": _PROCESS,
        "tid": track,
        "ts": at_us,
        "dur": record.duration_ns / 1000,
        "args": {
            "nodes": nodes,
            "bytes": record.nbytes,
            "copied_bytes": record.copied_bytes,
            "cache": "hit" if record.is_cache_hit else "miss",
            "device_us": None if record.device_ns is None else record.device_ns / 1000,
            "notes": list(record.notes),
        },
    }


def _instant(note: str, track: int, at_us: float) -> _Event:
    return {"name": note, "cat": "note", "ph": "i", "s": "t", "pid": _PROCESS, "tid": track, "ts": at_us}


def _counter(moved: int, at_us: float) -> _Event:
    return {"name": "bytes moved", "ph": "C", "pid": _PROCESS, "tid": 0, "ts": at_us, "args": {"bytes": moved}}


def _name(kind: str, name: str, track: int) -> _Event:
    return {"name": kind, "ph": "M", "pid": _PROCESS, "tid": track, "args": {"name": name}}
