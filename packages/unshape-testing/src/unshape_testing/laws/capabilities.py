"""Laws 5 and 6: what is advertised runs, what is refused says why, and a feature is claimed only where it works."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from unshape_backend.capabilities import Feature
from unshape_backend.errors import UnsupportedTaskError
from unshape_backend.protocols import ComputeBackend
from unshape_backend.task import Rejection
from unshape_core.context import ContextField, EvalContext
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_expr import build
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_testing.nodes import Gain, Scale64
from unshape_testing.tasks import Job, make_job, run_job
from unshape_testing.tolerance import assert_same_bits


@dataclass(frozen=True, slots=True)
class Opaque:
    """A node without a meaning: neither a body nor ``execute``."""

    type_name: ClassVar[str] = "testing::Opaque"
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a picture like the input."""
        return (input_specs[0],)


@dataclass(frozen=True, slots=True)
class ExactProbe:
    """Operations that come out otherwise where a compiler contracts or a device rounds loosely."""

    type_name: ClassVar[str] = "testing::ExactProbe"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("a", TEXTURE), Port("b", TEXTURE))
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a picture of four channels."""
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        """Return ``a*a - b``, ``a/b``, ``sqrt(abs(a))`` and ``a*b + a``."""
        a, b = inputs["a"], inputs["b"]
        return (build.vec4(a * a - b, a / b, build.sqrt(build.abs(a)), a * b + a),)


def check_runs_what_it_supports(backend: ComputeBackend, job: Job) -> None:
    """Law 5: a task that is supported compiles and runs; any other one has a reason, and compiling it is an error."""
    why = backend.supports(job.task)
    if why is None:
        assert len(run_job(backend, job)) == len(job.task.output_specs)
        return
    assert isinstance(why, Rejection)
    assert str(why), "a rejection has a reason"
    with pytest.raises(UnsupportedTaskError, match=backend.id):
        backend.compile(job.task)


def check_refuses_a_node_without_meaning(backend: ComputeBackend) -> None:
    """Law 5: a node without a definition and without a kernel is refused at planning time."""
    job = make_job(Opaque(), (np.ones((2, 2, 1), np.float32),), EvalContext(resolution=(2, 2)))
    assert backend.supports(job.task) is not None, f"'{backend.id}' claims to run a node without a definition"
    check_runs_what_it_supports(backend, job)


def check_exact_arithmetic(backend: ComputeBackend) -> None:
    """Law 6: EXACT_F32 is claimed only where products, sums, quotients and roots round once each, as in NumPy."""
    if Feature.EXACT_F32 not in backend.capabilities.features:
        pytest.skip(f"'{backend.id}' does not claim EXACT_F32")
    rng = np.random.default_rng(3)
    a = rng.uniform(0.5, 2.0, (64, 64, 1)).astype(np.float32)
    b = np.where(rng.random(a.shape) < 0.5, a * a, rng.uniform(0.5, 2.0, a.shape)).astype(np.float32)
    a[0, 0, 0], b[0, 0, 0] = 1.000244140625, 1.00048828125  # the square, rounded: contracted the difference is no zero
    expected = np.concatenate([a * a - b, a / b, np.sqrt(np.abs(a)), a * b + a], axis=2)
    assert expected[0, 0, 0] == 0
    job = make_job(ExactProbe(), (a, b), EvalContext(resolution=(64, 64)))
    assert_same_bits([expected], run_job(backend, job), what=f"exact arithmetic on '{backend.id}'")


def check_denormals(backend: ComputeBackend) -> None:
    """Law 6: DENORMALS is claimed only where the smallest numbers survive."""
    if Feature.DENORMALS not in backend.capabilities.features:
        pytest.skip(f"'{backend.id}' does not claim DENORMALS")
    tiny = np.finfo(np.float32).smallest_subnormal * np.arange(1, 65, dtype=np.float32).reshape(8, 8, 1)
    job = make_job(Gain(3.0, 0.0), (tiny,), EvalContext(resolution=(8, 8)))
    assert_same_bits([tiny * np.float32(3)], run_job(backend, job), what=f"subnormals on '{backend.id}'")


def check_float64(backend: ComputeBackend) -> None:
    """Law 6: F64 is claimed only where float64 keeps its bits; where it is not claimed nothing of it is accepted."""
    volume = np.linspace(-1.0, 1.0, 60).reshape(3, 4, 5)
    job = make_job(Scale64(0.1), (volume,), EvalContext(resolution=(1, 1)))
    if backend.supports(job.task) is None:
        assert Feature.F64 in backend.capabilities.features, f"'{backend.id}' runs float64 and does not claim it"
        assert_same_bits([volume * 0.1], run_job(backend, job), what=f"float64 on '{backend.id}'")
