"""What the device's compiler refuses comes back as ours, with node and expression."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from unshape_backend.errors import CompilationError
from unshape_core.context import EvalContext
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_opencl import OpenClBackend, target
from unshape_testing.nodes import Gain
from unshape_testing.tasks import make_job

JOB = make_job(Gain(2.0, 1.0), (np.ones((5, 5, 1), np.float32),), EvalContext(resolution=(5, 5)))


@pytest.fixture
def _broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "_FLOAT", {**target._FLOAT, Op.MUL: "no_such_function({0}, {1})"})
    monkeypatch.setattr(target, "_BY_TYPE", {**target._BY_TYPE, Type.F32: target._FLOAT})


@pytest.mark.usefixtures("_broken")
def test_the_message_names_node_backend_and_instruction(opened: OpenClBackend) -> None:
    with pytest.raises(CompilationError, match=r"testing::Gain.*'opencl'.*no_such_function.*kernel: %\d+: f32 = mul"):
        opened.compile(JOB.task)


@pytest.mark.usefixtures("_broken")
def test_builds_that_fail_leave_nothing_behind(opened: OpenClBackend) -> None:
    before = opened.memory().used_bytes
    for _ in range(20):
        with pytest.raises(CompilationError):
            opened.compile(JOB.task)
    gc.collect()
    assert before == opened.memory().used_bytes
    assert not [each for each in gc.get_objects() if type(each).__name__ == "ExpressionTask"]
