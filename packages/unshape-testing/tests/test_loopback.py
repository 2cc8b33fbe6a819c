"""The loopback is a device in all that matters: copies, work that waits, late errors, an account of its memory."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.config import Settings
from unshape_backend.errors import ForkedProcessError, OutOfMemoryError
from unshape_backend.kernel import KernelSpec
from unshape_backend.registry import BackendRegistry
from unshape_core.content_key import value_key
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_testing.graphs import chain
from unshape_testing.laws.expect import picture
from unshape_testing.laws.running import plan_of, registry_of
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.loopback_array import LoopbackArray
from unshape_testing.loopback_queue import MAX_WAITING
from unshape_testing.nodes import BoxMean, Flip, Gain, Ramp
from unshape_testing.tasks import make_job, run_job

CTX = EvalContext(resolution=(8, 6))


def gain_of(backend: LoopbackBackend, array: np.ndarray[Any, Any]) -> LoopbackArray:
    """Return the double of a picture, which nobody has waited for yet."""
    job = make_job(Gain(2.0), (array,), CTX)
    (output,) = backend.compile(job.task)(job.task.nodes, [backend.upload(array)], job.ctx)
    assert isinstance(output, LoopbackArray)
    return output


def test_a_result_is_not_ready_before_somebody_waits() -> None:
    backend, array = LoopbackBackend(), picture(6, 8, 3)
    output = gain_of(backend, array)
    assert not output.is_ready
    backend.flush()
    assert (output.is_ready, backend.launches, backend.queue.submissions) == (False, 0, 1)
    np.testing.assert_array_equal(array * np.float32(2), np.asarray(output))
    assert (output.is_ready, backend.launches) == (True, 1)


def test_work_runs_in_order_up_to_what_is_waited_for() -> None:
    backend = LoopbackBackend()
    first, second = gain_of(backend, picture(6, 8, 1)), gain_of(backend, picture(6, 8, 1))
    backend.download(first)
    assert (first.is_ready, second.is_ready) == (True, False)


def test_the_queue_is_bounded() -> None:
    backend = LoopbackBackend()
    outputs = [gain_of(backend, picture(6, 8, 1)) for _ in range(MAX_WAITING + 5)]
    backend.flush()
    assert [output.is_ready for output in outputs] == [True] * 5 + [False] * MAX_WAITING


@dataclass(frozen=True, slots=True)
class Breaks(Flip):
    """A node that raises when it runs."""

    def execute(self, _inputs: Any, _ctx: EvalContext) -> Any:
        """Raise."""
        raise ArithmeticError("it broke")


def test_an_error_comes_when_somebody_waits_and_reaches_what_depends_on_it() -> None:
    backend, array = LoopbackBackend(), picture(6, 8, 1)
    job = make_job(Breaks(), (array,), CTX)
    (broken,) = backend.compile(job.task)(job.task.nodes, [backend.upload(array)], job.ctx)
    following = make_job(Gain(2.0), (array,), CTX)
    (after,) = backend.compile(following.task)(following.task.nodes, [broken], following.ctx)
    for value in (broken, after):
        with pytest.raises(ArithmeticError, match="it broke"):
            backend.download(value)
    backend.synchronize()


def test_synchronize_tells_an_error_that_nobody_was_told_and_only_once() -> None:
    backend, array = LoopbackBackend(), picture(6, 8, 1)
    job = make_job(Breaks(), (array,), CTX)
    backend.compile(job.task)(job.task.nodes, [backend.upload(array)], job.ctx)
    with pytest.raises(ArithmeticError):
        backend.synchronize()
    backend.synchronize()


def test_a_released_array_is_refused_and_its_memory_is_back() -> None:
    backend = LoopbackBackend()
    value = backend.upload(picture(6, 8, 1))
    value.release()
    gc.collect()
    assert backend.memory().used_bytes == 0
    with pytest.raises(InvalidArgumentError, match=r"download: expected a live array.*released; upload it again"):
        backend.download(value)


def test_memory_that_work_still_needs_is_kept_until_it_has_run() -> None:
    backend, array = LoopbackBackend(), picture(6, 8, 1)
    output = gain_of(backend, array)  # the input is referred to by nobody but the work
    gc.collect()
    assert backend.memory().used_bytes == 2 * array.nbytes
    np.testing.assert_array_equal(array * np.float32(2), np.asarray(output))
    gc.collect()
    assert backend.memory().used_bytes == array.nbytes


def test_no_buffer_was_overrun_by_a_whole_graph() -> None:
    backend = LoopbackBackend()
    for width_px, height_px in ((1, 1), (3, 5), (17, 2)):
        ctx = EvalContext(resolution=(width_px, height_px))
        run_job(backend, make_job(Ramp(), (), ctx))
        run_job(backend, make_job(BoxMean(2), (picture(height_px, width_px, 3),), ctx))
    assert backend.guarded_memory.allocations > 0
    assert backend.guarded_memory.violations() == ()


def test_a_budget_is_enforced_and_told() -> None:
    backend = LoopbackBackend(limits=DeviceLimits(memory_budget_bytes=1024))
    kept = backend.upload(np.zeros(1000, np.uint8))
    assert backend.memory().available_bytes == 24
    with pytest.raises(OutOfMemoryError) as caught:
        backend.upload(np.zeros(25, np.uint8))
    assert (caught.value.needed_bytes, caught.value.available_bytes) == (25, 24)
    kept.release()
    gc.collect()
    backend.upload(np.zeros(1024, np.uint8))


def test_a_fork_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = LoopbackBackend()
    monkeypatch.setattr("os.getpid", lambda: -1)
    with pytest.raises(ForkedProcessError, match='"spawn"'):
        backend.upload(np.zeros(1))


def test_content_keys_are_those_of_the_elements_wherever_they_are() -> None:
    backend, array = LoopbackBackend(), picture(6, 8, 3)
    assert backend.upload(array).content_key == backend.upload(array.copy()).content_key == value_key(array)
    assert backend.upload(array + 1).content_key != value_key(array)
    assert gain_of(backend, array).content_key == value_key(array * np.float32(2))


def test_a_registered_kernel_comes_before_the_definition() -> None:
    backend = LoopbackBackend()
    seen = []

    def kernel(node: Any, inputs: Any, ctx: EvalContext) -> Any:
        seen.append(ctx.region)
        return [inputs[0][::-1].copy()]

    backend.register_kernel(KernelSpec(node_type=Flip.type_name, backend="loopback", function=kernel))
    array = picture(6, 8, 1)
    (output,) = run_job(backend, make_job(Flip(), (array,), CTX))
    np.testing.assert_array_equal(array[::-1], np.asarray(output))
    assert len(seen) == 1


def test_auto_does_not_choose_it_and_says_why() -> None:
    plan = plan_of(registry_of(LoopbackBackend()), chain((Ramp(), BoxMean(1))))
    assert {step.backend for step in plan.tasks} == {"cpu"}
    assert all("software" in str(step.decision.rejected["loopback"]) for step in plan.tasks)


def test_it_is_found_by_its_entry_point() -> None:
    with BackendRegistry.with_defaults(settings=Settings(backends=("loopback",))) as registry:
        assert registry.snapshot().ids == ("cpu", "loopback")
