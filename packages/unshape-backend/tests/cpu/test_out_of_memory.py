"""Host memory is asked for before it is taken, and what does not fit is an error of the backend."""

from __future__ import annotations

import numpy as np
import pytest

from unshape_backend.cpu import out_of_memory
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.errors import OutOfMemoryError
from unshape_backend.executor import backend_evaluator
from unshape_backend.protocols import MemoryInfo
from unshape_backend.registry import BackendRegistry
from unshape_core.context import EvalContext
from unshape_testing.graph_builder import GraphBuilder
from unshape_testing.nodes import Gain, Ramp


def left(available_bytes: int | None) -> MemoryInfo:
    return MemoryInfo(total_bytes=None, used_bytes=0, available_bytes=available_bytes)


@pytest.mark.parametrize("is_fused", [False, True])
def test_outputs_larger_than_what_is_left_are_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, build: GraphBuilder, registry: BackendRegistry, is_fused: bool
) -> None:
    side, needed = 1 << 13, 3 * 4 * (1 << 26)  # pixels of three floats of 4 bytes
    monkeypatch.setattr(out_of_memory, "host_memory", lambda: left(needed - 1))
    end = build.add(Ramp())
    if is_fused:
        end = build.add(Gain(), end)
    with pytest.raises(OutOfMemoryError, match=r"its outputs need 805306368 bytes, 805306367 are left") as caught:
        backend_evaluator("auto", registry=registry).evaluate(build.graph, [end], EvalContext(resolution=(side, side)))
    assert (needed, needed - 1) == (caught.value.needed_bytes, caught.value.available_bytes)
    assert "smaller window or resolution" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_small_outputs_do_not_ask(
    monkeypatch: pytest.MonkeyPatch, build: GraphBuilder, registry: BackendRegistry
) -> None:
    monkeypatch.setattr(out_of_memory, "host_memory", lambda: left(0))
    end = build.add(Ramp())
    result = backend_evaluator("auto", registry=registry).evaluate(build.graph, [end], EvalContext(resolution=(3, 2)))
    assert (2, 3, 3) == np.shape(result.outputs[0][0])


def test_unknown_memory_is_not_read_as_none(monkeypatch: pytest.MonkeyPatch, build: GraphBuilder) -> None:
    monkeypatch.setattr(out_of_memory, "LARGE_BYTES", 1)
    monkeypatch.setattr(out_of_memory, "host_memory", lambda: left(None))
    end = build.add(Ramp())
    registry = BackendRegistry()
    registry.register(CpuBackend())
    result = backend_evaluator("auto", registry=registry).evaluate(build.graph, [end], EvalContext(resolution=(3, 2)))
    assert (2, 3, 3) == np.shape(result.outputs[0][0])
