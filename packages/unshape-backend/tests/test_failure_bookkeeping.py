"""The law of failures: two are forgiven, the third sets a backend aside, the reference never is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from unshape_backend.config import Settings
from unshape_backend.health import Health
from unshape_backend.identity import REFERENCE, BackendId
from unshape_backend.registry import BackendRegistry
from unshape_backend.selection import SelectionRequest
from unshape_testing.fake import FakeBackend

Report: TypeAlias = Callable[[BackendRegistry, BackendId, Exception], Health]
_GPU = BackendId("gpu")


def check_bookkeeping(report: Report) -> None:
    """Every failure counts once; who is set aside is chosen no more, and who is not still is."""
    registry = BackendRegistry.with_cpu(settings=Settings())
    registry.register(FakeBackend("gpu"))
    registry.register(FakeBackend("opencl"), priority=300)
    for count in (1, 2, 3, 4):
        before = registry.snapshot()
        health = report(registry, _GPU, RuntimeError(f"failure {count}"))
        after = registry.snapshot()
        assert (health.failures, health.last_error) == (count, f"failure {count}")
        assert after.entry(_GPU).health == health
        assert after.number > before.number
        assert before.entry(_GPU).health.failures == count - 1
        is_in_chain = "gpu" in registry.fallback_chain(SelectionRequest.any())
        assert is_in_chain == (count < 3)
        assert after.entry(BackendId("opencl")).health == Health()
    for _ in range(4):
        report(registry, REFERENCE, RuntimeError("even so"))
    assert registry.fallback_chain(SelectionRequest.any())[-1] == REFERENCE


def test_failures_are_kept_count_of() -> None:
    check_bookkeeping(BackendRegistry.report_failure)


def _forgets(registry: BackendRegistry, backend_id: BackendId, error: Exception) -> Health:
    registry.set_available(backend_id, True)
    return BackendRegistry.report_failure(registry, backend_id, error)


def _counts_twice(registry: BackendRegistry, backend_id: BackendId, error: Exception) -> Health:
    BackendRegistry.report_failure(registry, backend_id, error)
    return BackendRegistry.report_failure(registry, backend_id, error)


def _blames_another(registry: BackendRegistry, backend_id: BackendId, error: Exception) -> Health:
    BackendRegistry.report_failure(registry, BackendId("opencl"), error)
    return BackendRegistry.report_failure(registry, backend_id, error)


def _only_says_so(registry: BackendRegistry, backend_id: BackendId, error: Exception) -> Health:
    return Health(failures=1, last_error=str(error))


@pytest.mark.parametrize("report", [_forgets, _counts_twice, _blames_another, _only_says_so])
def test_sabotage_wrong_bookkeeping_is_found(report: Report) -> None:
    with pytest.raises(AssertionError):
        check_bookkeeping(report)
