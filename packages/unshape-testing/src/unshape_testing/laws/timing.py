"""Law 6, for TIMESTAMPS: what a device says of its own time is true."""

from __future__ import annotations

import time

from unshape_backend.capabilities import Feature
from unshape_backend.policy import Named
from unshape_backend.protocols import ComputeBackend
from unshape_core.context import EvalContext
from unshape_core.program import StepKind
from unshape_testing.graph_builder import UNFUSED, GraphBuilder
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.nodes import Gain, Ramp


def check_device_times(backend: ComputeBackend) -> None:
    """Law 6: records tell times of work that was done between hand-over and answer, exactly where that is claimed."""
    build = GraphBuilder()
    end = build.chain(build.add(Ramp()), [Gain(2.0), Gain(0.5)])[-1]
    evaluator = evaluator_of(registry_of(backend), Named(backend.id), options=UNFUSED)
    start_ns = time.perf_counter_ns()
    result = evaluator.evaluate(build.graph, (end,), EvalContext(resolution=(256, 256)), keeps_records=True)
    times = [record.device_ns for record in result.records if record.kind is StepKind.NODE]
    elapsed_ns = time.perf_counter_ns() - start_ns
    assert len(times) == 3
    told = [device_ns for device_ns in times if device_ns is not None]
    if Feature.TIMESTAMPS in backend.capabilities.features:
        assert len(told) == len(times), f"'{backend.id}' claims TIMESTAMPS and leaves out times: {times}"
    else:
        assert not told, f"'{backend.id}' claims no TIMESTAMPS and tells times: {times}"
    assert all(device_ns >= 0 for device_ns in told), f"'{backend.id}' tells negative times: {times}"
    assert sum(told) <= elapsed_ns, f"'{backend.id}' says it worked for {sum(told)} ns within {elapsed_ns} ns"
