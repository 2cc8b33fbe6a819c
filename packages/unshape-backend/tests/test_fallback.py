"""What happens when a backend cannot do what it was chosen for."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.errors import BackendError, DeviceLostError, OutOfMemoryError
from unshape_backend.executor import BackendNodeExecutor, backend_evaluator
from unshape_backend.fallback import Fallback
from unshape_backend.identity import REFERENCE, BackendId
from unshape_backend.plan.options import PlanOptions
from unshape_backend.protocols import ComputeBackend
from unshape_backend.registry import BackendRegistry
from unshape_core.cache import ValueCache
from unshape_core.context import EvalContext
from unshape_core.errors import Cancelled, InvalidArgumentError, NodeError
from unshape_core.memory_space import MemorySpace
from unshape_core.protocols import Node
from unshape_testing.failure import Failure, FailureKind, FailurePoint
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import GraphBuilder
from unshape_testing.nodes import BoxMean, Gain

BAD = BackendId("bad")
WORSE = BackendId("worse")


@pytest.fixture
def chained(registry: BackendRegistry) -> Fallback:
    """Two backends before the reference."""
    registry.register(FakeBackend(BAD, cost=1))
    registry.register(FakeBackend(WORSE, cost=1))
    return Fallback(registry, is_strict=False)


def failing_on(*names: str, error: type[Exception] = BackendError) -> Any:
    def attempt(backend: ComputeBackend) -> str:
        if backend.id in names:
            if issubclass(error, BackendError):
                raise error(f"'{backend.id}' cannot", backend=backend.id)
            raise error(f"'{backend.id}' cannot")
        return backend.id

    return attempt


def test_a_failing_list_that_equals_the_fallback_list_ends_at_the_reference(
    chained: Fallback, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        result = chained.run((BAD, WORSE, REFERENCE), failing_on(BAD, WORSE), what="node 3 (x::Y)")
    assert result == REFERENCE
    assert [f"node 3 (x::Y): '{name}' failed" for name in (BAD, WORSE)] == [
        record.getMessage()[: len(f"node 3 (x::Y): '{name}' failed")]
        for record, name in zip(caplog.records, (BAD, WORSE), strict=True)
    ]


def test_each_failure_is_counted_once(chained: Fallback) -> None:
    chained.run((BAD, REFERENCE), failing_on(BAD), what="x")
    assert chained.registry.snapshot().entry(BAD).health.failures == 1
    assert chained.registry.snapshot().entry(WORSE).health.failures == 0


def test_a_backend_that_was_set_aside_is_not_tried(chained: Fallback) -> None:
    tried: list[str] = []

    def attempt(backend: ComputeBackend) -> str:
        tried.append(backend.id)
        return failing_on(BAD)(backend)  # type: ignore[no-any-return]

    for _ in range(5):
        chained.run((BAD, REFERENCE), attempt, what="x")
    assert tried.count(BAD) == 3


@pytest.mark.parametrize("error", [InvalidArgumentError, NodeError, Cancelled])
def test_what_is_the_callers_is_never_retried(chained: Fallback, error: type[Exception]) -> None:
    with pytest.raises(error):
        chained.run((BAD, REFERENCE), failing_on(BAD, error=error), what="x")
    assert chained.registry.snapshot().entry(BAD).health.failures == 0


def test_an_exception_that_no_backend_should_let_out_is_a_failure_of_the_backend(chained: Fallback) -> None:
    assert chained.run((BAD, REFERENCE), failing_on(BAD, error=ZeroDivisionError), what="x") == REFERENCE


def test_an_exception_on_the_reference_is_the_nodes_own(chained: Fallback) -> None:
    with pytest.raises(ZeroDivisionError):
        chained.run((REFERENCE,), failing_on(REFERENCE, error=ZeroDivisionError), what="x")


def test_an_error_of_another_backend_is_not_blamed_on_the_one_that_ran(chained: Fallback) -> None:
    """An input that cannot be read back is lost, whoever wanted it."""

    def attempt(backend: ComputeBackend) -> str:
        raise DeviceLostError("the device that held it is gone", backend=BAD)

    with pytest.raises(DeviceLostError):
        chained.run((WORSE, REFERENCE), attempt, what="x")
    assert chained.registry.snapshot().entry(WORSE).health.failures == 0


def test_the_last_of_the_chain_raises_what_went_wrong(chained: Fallback) -> None:
    with pytest.raises(BackendError, match="'worse' cannot"):
        chained.run((BAD, WORSE), failing_on(BAD, WORSE), what="x")


@pytest.mark.parametrize(("is_strict", "is_bound"), [(True, False), (False, True)])
def test_strict_and_bound_raise_the_first_failure(
    registry: BackendRegistry, *, is_strict: bool, is_bound: bool
) -> None:
    registry.register(FakeBackend(BAD, cost=1))
    fallback = Fallback(registry, is_strict=is_strict)
    with pytest.raises(BackendError, match="'bad' cannot"):
        fallback.run((BAD, REFERENCE), failing_on(BAD), what="x", is_bound=is_bound)


class _Full(FakeBackend):
    """A device that is full until its pool was trimmed."""

    def __init__(self, *, helps: bool) -> None:
        super().__init__("gpu", cost=1)
        self.helps = helps
        self.is_full = True
        self.trims = 0

    def trim(self) -> int:
        self.trims += 1
        self.is_full = not self.helps
        return 100


def out_of_memory_on_gpu(backend: ComputeBackend) -> str:
    if isinstance(backend, _Full) and backend.is_full:
        raise OutOfMemoryError("no room", backend=backend.id)
    return backend.id


def test_out_of_memory_makes_room_and_tries_the_same_backend_once_more(registry: BackendRegistry) -> None:
    gpu = _Full(helps=True)
    registry.register(gpu)
    assert Fallback(registry, is_strict=True).run((gpu.id, REFERENCE), out_of_memory_on_gpu, what="x") == "gpu"
    assert gpu.trims == 1
    assert registry.snapshot().entry(gpu.id).health.failures == 0


def test_out_of_memory_that_stays_goes_to_the_next_backend(registry: BackendRegistry) -> None:
    gpu = _Full(helps=False)
    registry.register(gpu)
    assert Fallback(registry, is_strict=False).run((gpu.id, REFERENCE), out_of_memory_on_gpu, what="x") == REFERENCE
    assert (gpu.trims, registry.snapshot().entry(gpu.id).health.failures) == (1, 1)


def test_out_of_memory_drops_what_the_cache_holds_on_that_device_alone(
    registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    gpu = _Full(helps=True)
    registry.register(gpu)
    cache = ValueCache()
    cache.put(b"there", gpu.upload(photo))
    cache.put(b"here", photo)
    Fallback(registry, is_strict=False, cache=cache).run((gpu.id,), out_of_memory_on_gpu, what="x")
    assert cache.get(b"there", MemorySpace("gpu")) is None
    assert cache.get(b"here") is photo


def graph_of(build: GraphBuilder, nodes: list[Node]) -> int:
    return build.chain(build.photo(), nodes)[-1]


def test_an_error_that_comes_when_somebody_waits_is_found_at_its_step(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    failure = Failure(point=FailurePoint.WAIT, node_type=BoxMean.type_name)
    gpu = FakeBackend("gpu", cost=1, failures=[failure])
    registry.register(gpu)
    end = graph_of(build, [BoxMean(1), Gain(2.0)])
    options = PlanOptions(result_space=MemorySpace("host"))
    evaluator = backend_evaluator("prefer:gpu", registry=registry, options=options)
    result = evaluator.evaluate(build.graph, (end,), ctx, keeps_records=True)
    expected = backend_evaluator("named:cpu", registry=registry).evaluate(build.graph, (end,), ctx)
    assert np.array_equal(np.asarray(expected.outputs[0][0]), np.asarray(result.outputs[0][0]))
    noted = [record for record in result.records if record.notes]
    assert any("'gpu' failed" in note for record in noted for note in record.notes)


def test_values_that_are_lost_with_their_device_are_computed_again(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    """The device is gone with the inputs of the step that failed: what led to them has to run again."""

    class Gone(FakeBackend):
        is_gone = False

        def download(self, value: Any) -> npt.NDArray[Any]:
            if self.is_gone:
                raise DeviceLostError("gone", backend=self.id)
            return super().download(value)

        def compile(self, task: Any) -> Any:
            if isinstance(task.node, Gain):
                self.is_gone = True
                raise DeviceLostError("gone", backend=self.id)
            return super().compile(task)

    gone = Gone("gpu", cost=1)
    registry.register(gone)
    end = graph_of(build, [BoxMean(1), Gain(2.0)])
    expected = backend_evaluator("named:cpu", registry=registry).evaluate(build.graph, (end,), ctx)
    with caplog.at_level(logging.WARNING):
        result = backend_evaluator("prefer:gpu", registry=registry).evaluate(build.graph, (end,), ctx)
    assert np.array_equal(np.asarray(expected.outputs[0][0]), np.asarray(result.outputs[0][0]))
    assert registry.snapshot().entry(gone.id).health.is_set_aside
    assert "what it held is computed again" in caplog.text


def test_a_device_that_takes_no_uploads_is_done_without(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    class Deaf(FakeBackend):
        def upload(self, array: npt.NDArray[Any]) -> Any:
            raise BackendError("no upload", backend=self.id)

    registry.register(Deaf("gpu", cost=1))
    end = graph_of(build, [Gain(2.0)])
    result = backend_evaluator("prefer:gpu", registry=registry).evaluate(build.graph, (end,), ctx, keeps_records=True)
    assert np.array_equal(photo * np.float32(2.0), np.asarray(result.outputs[0][0]))
    assert [("cpu", "'gpu' failed (BackendError: no upload); continued on 'cpu'")] == [
        (record.backend, note) for record in result.records for note in record.notes if "failed" in note
    ]


def test_recovery_gives_up_when_the_same_thing_is_lost_again(registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu", cost=1))
    evaluator = backend_evaluator(registry=registry)
    executor = evaluator.executor
    assert isinstance(executor, BackendNodeExecutor)
    error = DeviceLostError("gone", backend="gpu")
    answers = [executor.recover(error) for _ in range(5)]
    assert answers[0] == MemorySpace("gpu")
    assert answers[-1] is None


@pytest.mark.parametrize("kind", [FailureKind.OUT_OF_MEMORY, FailureKind.COMPILATION, FailureKind.BACKEND])
def test_every_kind_of_failure_gives_the_reference_result(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any], kind: FailureKind
) -> None:
    registry.register(FakeBackend("gpu", cost=1, failures=[Failure(kind=kind)]))
    end = graph_of(build, [Gain(2.0)])
    for _ in range(5):
        evaluator = backend_evaluator("prefer:gpu", registry=registry)
        (result,) = evaluator.evaluate(build.graph, (end,), ctx).outputs[0]
        assert np.array_equal(photo * np.float32(2.0), np.asarray(result))


def test_an_exception_of_the_last_backend_is_not_blamed_on_the_node(chained: Fallback) -> None:
    with pytest.raises(
        BackendError, match=r"x on 'worse': the backend raised ZeroDivisionError: 'worse' cannot"
    ) as caught:
        chained.run((BAD, WORSE), failing_on(BAD, WORSE, error=ZeroDivisionError), what="x")
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
