"""What the device's compiler refuses comes back as ours, with node and expression."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import numpy as np
import pytest

from unshape_backend.errors import CompilationError
from unshape_core.context import EvalContext
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_opencl import OpenClBackend, target
from unshape_opencl.discovery import list_devices, open_device
from unshape_opencl.errors import compilation_error
from unshape_opencl.run_expression import ExpressionTask
from unshape_opencl.source import Source
from unshape_testing.nodes import Gain
from unshape_testing.tasks import make_job

JOB = make_job(Gain(2.0, 1.0), (np.ones((5, 5, 1), np.float32),), EvalContext(resolution=(5, 5)))


@pytest.fixture
def backend() -> Iterator[OpenClBackend]:
    """Return a backend that has compiled nothing yet."""
    backend = open_device(list_devices()[0])
    yield backend
    backend.close()


@pytest.fixture
def _broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "_FLOAT", {**target._FLOAT, Op.MUL: "no_such_function({0}, {1})"})
    monkeypatch.setattr(target, "_BY_TYPE", {**target._BY_TYPE, Type.F32: target._FLOAT})


@pytest.mark.usefixtures("_broken")
def test_the_message_names_node_backend_and_instruction(backend: OpenClBackend) -> None:
    with pytest.raises(CompilationError, match=r"testing::Gain.*'opencl'.*no_such_function.*kernel: %\d+: f32 = mul"):
        backend.compile(JOB.task)


@pytest.mark.parametrize(
    "log",
    [
        "<kernel>:3:20: error: implicit declaration of function 'f' is invalid",
        "warning: <kernel>:1:2: unused\nerror: /tmp/tempfile.cl:3:20: implicit declaration of function 'f' is invalid",
        "<kernel>:3:20: warning: implicit declaration of function 'f' is invalid\nptxas fatal: Unresolved extern 'f'",
    ],
    ids=["clang", "pocl", "nvidia"],
)
def test_the_part_of_the_expression_is_found_whichever_driver_complains(log: str) -> None:
    source = Source("one\ntwo\nthree\nfour\n", ((2, "kernel: %1: f32 = add"), (3, "kernel: %2: f32 = mul")))
    error = compilation_error(log, source, "node", backend="opencl")
    assert "does not compile: implicit declaration of function 'f' is invalid in kernel: %2: f32 = mul" in str(error)


@pytest.mark.usefixtures("_broken")
def test_builds_that_fail_leave_nothing_behind(backend: OpenClBackend) -> None:
    before = backend.memory().used_bytes, _tasks()
    for _ in range(20):
        with pytest.raises(CompilationError):
            backend.compile(JOB.task)
    assert before == (backend.memory().used_bytes, _tasks())


def _tasks() -> int:
    """Return how many compiled expressions live in this process; other tests may have kept some."""
    gc.collect()
    return sum(type(each) is ExpressionTask for each in gc.get_objects())
