"""The account of what a run took."""

from __future__ import annotations

import json

import pytest

from unshape_backend.executor import backend_evaluator
from unshape_backend.registry import BackendRegistry
from unshape_backend.run_report import describe_run, explain_run
from unshape_backend.trace import trace_events
from unshape_core.context import EvalContext
from unshape_core.result import EvalResult
from unshape_testing.failure import Failure
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import UNFUSED, GraphBuilder
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.nodes import BoxMean, Gain


@pytest.fixture
def loopback() -> LoopbackBackend:
    """A device that measures."""
    return LoopbackBackend()


@pytest.fixture
def result(build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, loopback: LoopbackBackend) -> EvalResult:
    """An upload and three steps on a device."""
    registry.register(loopback)
    end = build.chain(build.photo(), [Gain(2.0), BoxMean(1), Gain(3.0)])[-1]
    evaluator = backend_evaluator("named:loopback", registry=registry, options=UNFUSED)
    return evaluator.evaluate(build.graph, (end,), ctx, keeps_records=True)


def test_steps_on_a_device_have_its_time_and_steps_of_the_host_none(result: EvalResult) -> None:
    for described in describe_run(result.records):
        is_measured = described["backend"] == "loopback" and described["kind"] == "node"
        assert (described["device_ns"] is not None) == is_measured, described


def test_the_account_is_json_of_one_entry_for_each_record(result: EvalResult) -> None:
    described = json.loads(json.dumps(describe_run(result.records)))
    assert [list(record.node_ids) for record in result.records] == [each["nodes"] for each in described]
    assert [record.device_ns for record in result.records] == [each["device_ns"] for each in described]


def test_the_text_names_every_step_and_what_the_device_took(result: EvalResult) -> None:
    head, *lines = explain_run(result.records).splitlines()
    assert "devices worked for" in head
    assert len(result.records) == len(lines)
    for record, line in zip(result.records, lines, strict=True):
        assert record.type_name in line
        assert (", device " in line) == (record.device_ns is not None)


def test_a_trace_has_the_times_of_the_device(result: EvalResult) -> None:
    events = [event for event in trace_events(result.records) if event["ph"] == "X"]
    for record, event in zip(result.records, events, strict=True):
        expected = None if record.device_ns is None else pytest.approx(record.device_ns / 1000)
        assert expected == event["args"]["device_us"]


def test_no_time_is_told_of_work_that_was_thrown_away(build: GraphBuilder, ctx: EvalContext) -> None:
    registry = BackendRegistry.with_cpu()
    loopback = LoopbackBackend()
    registry.register(loopback)
    end = build.chain(build.photo(), [Gain(2.0), Gain(3.0)])[-1]
    evaluator = backend_evaluator("named:loopback", registry=registry)
    result = evaluator.evaluate(build.graph, (end,), ctx, keeps_records=True)
    job = result.outputs[0][0].job
    loopback.queue.discard()
    assert (job.duration_ns is None) == (result.records[-1].device_ns is None)


def test_the_time_of_a_kernel_that_failed_is_not_that_of_who_took_over(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    registry.register(FakeBackend("gpu", cost=1, failures=[Failure(node_type=Gain.type_name)]))
    end = build.chain(build.photo(), [Gain(2.0)])[-1]
    result = backend_evaluator("prefer:gpu", registry=registry).evaluate(build.graph, (end,), ctx, keeps_records=True)
    record = result.record_of(end)
    assert record is not None
    assert ("cpu", None) == (record.backend, record.device_ns)
    assert "'gpu' failed" in explain_run(result.records)
