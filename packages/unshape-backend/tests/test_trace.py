"""Traces of runs as Chrome and Perfetto read them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unshape_backend.executor import backend_evaluator
from unshape_backend.registry import BackendRegistry
from unshape_backend.trace import to_trace, trace_events, write_trace
from unshape_core.context import EvalContext
from unshape_core.result import EvalResult
from unshape_testing.failure import Failure
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import GraphBuilder
from unshape_testing.nodes import BoxMean, Gain


@pytest.fixture
def result(build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry) -> EvalResult:
    """A run with an upload and a fallback."""
    registry.register(FakeBackend("gpu", cost=1, failures=[Failure(node_type=BoxMean.type_name)]))
    end = build.chain(build.photo(), [Gain(2.0), BoxMean(1), Gain(3.0)])[-1]
    evaluator = backend_evaluator("prefer:gpu", registry=registry)
    return evaluator.evaluate(build.graph, (end,), ctx, keeps_records=True)


def test_every_record_is_an_event_that_takes_its_time(result: EvalResult) -> None:
    events = [event for event in trace_events(result.records) if event["ph"] == "X"]
    assert len(result.records) == len(events)
    for record, event in zip(result.records, events, strict=True):
        assert event["dur"] * 1000 == pytest.approx(record.duration_ns)
        assert event["args"]["nodes"] == list(record.node_ids)
        assert event["ts"] >= 0


def test_events_of_one_track_do_not_overlap(result: EvalResult) -> None:
    ends: dict[int, float] = {}
    for event in trace_events(result.records):
        if event["ph"] == "X":
            assert event["ts"] >= ends.get(event["tid"], 0.0) - 1e-3
            ends[event["tid"]] = event["ts"] + event["dur"]


def test_each_backend_and_its_transfers_have_a_track(result: EvalResult) -> None:
    names = {e["args"]["name"] for e in trace_events(result.records) if e["name"] == "thread_name"}
    assert {"cpu", "gpu", "transfers by gpu"} == names


def test_time_of_a_kernel_is_not_in_the_transfer(result: EvalResult) -> None:
    events = {(e["cat"], e["name"]): e for e in trace_events(result.records) if e["ph"] == "X"}
    transfer = next(event for (kind, _), event in events.items() if kind == "transfer")
    kernel = events["node", "testing::Gain"]
    assert transfer["ts"] + transfer["dur"] <= kernel["ts"] + 1e-3


def test_a_fallback_is_marked_where_it_happened(result: EvalResult) -> None:
    marks = [event["name"] for event in trace_events(result.records) if event["ph"] == "i"]
    assert any("'gpu' failed" in mark for mark in marks)


def test_the_counter_ends_at_the_bytes_that_were_moved(result: EvalResult) -> None:
    counters = [event["args"]["bytes"] for event in trace_events(result.records) if event["ph"] == "C"]
    assert counters == sorted(counters)
    assert counters[-1] == sum(r.nbytes for r in result.records if r.kind == "transfer")


def test_a_trace_is_json_and_is_written_whole(result: EvalResult, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text("old")
    write_trace(path, result)
    assert json.loads(path.read_text()) == json.loads(to_trace(result))
    assert [path] == list(tmp_path.iterdir())


def test_nothing_is_left_of_a_trace_that_cannot_be_written(result: EvalResult, tmp_path: Path) -> None:
    folder = tmp_path / "trace.json"
    folder.mkdir()
    with pytest.raises(OSError, match=r"trace\.json"):
        write_trace(folder, result)
    assert [folder] == list(tmp_path.iterdir())


def test_a_run_without_records_is_an_empty_trace() -> None:
    assert [event["ph"] for event in trace_events(())] == ["M"]
