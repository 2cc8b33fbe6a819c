"""Laws 20 and 21: a backend that fails, and what becomes of the evaluation."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from unshape_backend.errors import BackendError, DeviceLostError
from unshape_backend.identity import BackendId
from unshape_backend.plan.options import PlanOptions
from unshape_backend.protocols import ComputeBackend
from unshape_core.errors import InvalidArgumentError, NodeError, UnshapeError
from unshape_core.result import EvalResult
from unshape_testing.failure import Failure, FailureKind, FailurePoint
from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import GraphCase, chain
from unshape_testing.laws.graphs import is_exact
from unshape_testing.laws.running import (
    assert_means,
    definition_of,
    evaluator_of,
    pins_of,
    registry_of,
    run_case,
    values_of,
)
from unshape_testing.nodes import BoxMean, Flip, Gain, Ramp

FAULTY = "faulty"


def failing_case() -> GraphCase:
    """Return four nodes that are not fused, of which the third fails."""
    return chain((Ramp(3.0), Flip(), BoxMean(1), Gain(2.0, 1.0)))


def faulty_backend(failure: Failure) -> FakeBackend:
    """Return a backend that everybody prefers and that fails at the third node."""
    return FakeBackend(FAULTY, cost=1, failures=[replace(failure, node_type=BoxMean.type_name)])


@contextmanager
def warnings_of(name: str = "unshape_backend") -> Iterator[list[str]]:
    """Collect the warnings that a logger is given."""
    found: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: found.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger(name)
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)


def check_falls_back(
    backend: ComputeBackend, failure: Failure, *, make: Callable[[Failure], FakeBackend] = faulty_backend
) -> None:
    """Law 20: the next backend gives the right result from unspoilt inputs; one record and one warning say so.

    Parameters
    ----------
    backend : ComputeBackend
        Comes after the faulty one.
    failure : Failure
        How that one fails.
    make : callable
        Makes the faulty one.
    """
    case, faulty = failing_case(), make(failure)
    registry = registry_of(faulty, backend, priorities={FAULTY: 1000, backend.id: 999})
    evaluator = evaluator_of(registry, "by-priority")
    with warnings_of() as warnings:
        result = run_case(evaluator, case)
    what = f"when '{FAULTY}' fails ({failure.kind}, {failure.point})"
    assert_means(definition_of(case), result, is_exact=is_exact((backend,)), what=what)
    told = [text for text in warnings if FAULTY in text]
    if failure.kind is FailureKind.DEVICE_LOST:
        assert told, f"{what}: nobody said so"
    else:
        assert len(told) == 1, f"{what}: expected one warning, got {warnings}"
    if failure.point is not FailurePoint.WAIT:
        _check_records(result, faulty, what)


def _check_records(result: EvalResult, faulty: FakeBackend, what: str) -> None:
    noted = [record for record in result.records if any(f"'{FAULTY}' failed" in note for note in record.notes)]
    assert len(noted) == 1, f"{what}: expected one record with a note, got {[r.notes for r in result.records]}"
    runs = [name for name in faulty.subjects("run") if name != BoxMean.type_name]
    assert len(runs) == len(set(runs)), f"{what}: what came before was computed again: {runs}"


def check_strict_raises(failure: Failure) -> None:
    """Law 21: with strict, under a named policy and for pins the first failure is raised and nothing else tried."""
    case = failing_case()
    pinned = pins_of(case, case.graph.snapshot().order_for(case.outputs)[2:3], FAULTY)
    for policy, options, is_strict in (
        ("by-priority", PlanOptions(), True),
        (f"named:{FAULTY}", PlanOptions(), False),
        ("auto", pinned, False),
    ):
        other = FakeBackend("other", cost=10)
        registry = registry_of(faulty_backend(failure), other, priorities={FAULTY: 1000})
        evaluator = evaluator_of(registry, policy, options=options, is_strict=is_strict)
        caught: UnshapeError | None = None
        try:
            values_of(run_case(evaluator, case))
        except (BackendError, NodeError) as error:
            caught = error
        assert caught is not None, f"{policy}, strict={is_strict}: expected the failure, got a result"
        assert BoxMean.type_name not in other.subjects("run"), f"{policy}: another backend was tried"


def check_invalid_arguments_are_not_retried(backend: ComputeBackend) -> None:
    """Law 21: a wrong argument is told to the caller at once; no backend is blamed for it."""
    failure = Failure(kind=FailureKind.INVALID_ARGUMENT)
    case, faulty = failing_case(), faulty_backend(failure)
    registry = registry_of(faulty, backend, priorities={FAULTY: 1000, backend.id: 999})
    caught: UnshapeError | None = None
    try:
        run_case(evaluator_of(registry, "by-priority"), case)
    except (InvalidArgumentError, NodeError) as error:
        caught = error
    assert caught is not None, "expected the wrong argument to be told, got a result"
    assert caught.type_name == BoxMean.type_name
    assert faulty.subjects("run").count(BoxMean.type_name) == 1, "a wrong argument was retried"
    assert registry.snapshot().entry(BackendId(FAULTY)).health.failures == 0, "the backend was blamed"


def check_is_set_aside(backend: ComputeBackend) -> None:
    """Law 21: after the third failure, or a lost device, a backend is left alone, and explanations say so."""
    for failure, allowed in ((Failure(), 3), (Failure(kind=FailureKind.DEVICE_LOST), 1)):
        faulty = faulty_backend(failure)
        registry = registry_of(faulty, backend, priorities={FAULTY: 1000, backend.id: 999})
        expected = definition_of(failing_case())
        for _ in range(5):
            result = run_case(evaluator_of(registry, "by-priority"), failing_case())
            assert_means(expected, result, is_exact=is_exact((backend,)), what=f"while '{FAULTY}' fails")
        tries = faulty.subjects("run").count(BoxMean.type_name)
        assert tries == allowed, f"'{FAULTY}' was tried {tries} times, expected {allowed} ({failure.kind})"
        entry = registry.snapshot().entry(BackendId(FAULTY))
        assert entry.health.is_set_aside
        case = failing_case()
        plan = evaluator_of(registry, "by-priority").prepare(case.graph, case.outputs, case.ctx).explanation
        assert plan is not None
        assert "set aside" in plan.explain()


def check_error_names_the_node() -> None:
    """Law 21: what no backend can do is an error that names node, type and backend."""
    case = failing_case()
    registry = registry_of(faulty_backend(Failure(kind=FailureKind.DEVICE_LOST)))
    caught: UnshapeError | None = None
    try:
        run_case(evaluator_of(registry, f"named:{FAULTY}"), case)
    except DeviceLostError as error:
        caught = error
    assert caught is not None
    assert (caught.node_id, caught.type_name) == (2, BoxMean.type_name)
