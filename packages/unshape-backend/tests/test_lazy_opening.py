"""Backends that a policy cannot choose stay closed: opening is what a user waits for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from unshape_backend.availability import UnavailableReason
from unshape_backend.config import Settings
from unshape_backend.errors import SelectionError
from unshape_backend.executor import backend_evaluator
from unshape_backend.identity import BackendId
from unshape_backend.nodes.transfer import TransferToGpu
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.registry import BackendRegistry
from unshape_core.context import EvalContext
from unshape_core.memory_space import MemorySpace
from unshape_testing.graph_builder import GraphBuilder
from unshape_testing.installation import Installation
from unshape_testing.nodes import Gain, Ramp

_OPENS = """
from unshape_testing.fake import FakeBackend
def open_backend():
    return FakeBackend({name!r})
"""
_NAMES = ("gizmo", "widget")
CTX = EvalContext(resolution=(8, 6))


@pytest.fixture
def registry(site: Installation, tmp_path: Path) -> BackendRegistry:
    """Two installed backends, both closed."""
    for name in _NAMES:
        site.install(
            f"unshape-{name}",
            entry_points={"unshape.backends": {name: f"{name}_plugin:open_backend"}},
            modules={f"{name}_plugin": _OPENS.format(name=name)},
        )
    return BackendRegistry.with_defaults(settings=Settings(cache_dir=tmp_path / "cache", backends=_NAMES))


def _opened() -> set[str]:
    return {name for name in _NAMES if f"{name}_plugin" in sys.modules}


def _chain() -> tuple[GraphBuilder, int]:
    build = GraphBuilder()
    return build, build.chain(build.add(Ramp()), [Gain(2.0)])[-1]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("named:cpu", set()),
        ("named:widget", {"widget"}),
        ("auto", {"gizmo", "widget"}),
        ("prefer:gpu", {"gizmo", "widget"}),
        ("by-priority", {"gizmo", "widget"}),
    ],
)
def test_an_evaluation_opens_whom_its_policy_may_choose(
    registry: BackendRegistry, policy: str, expected: set[str]
) -> None:
    build, end = _chain()
    evaluator = backend_evaluator(policy, registry=registry)
    for _ in range(2):
        evaluator.cache.clear()
        evaluator.evaluate(build.graph, (end,), CTX)
    assert expected == _opened()


def test_a_plan_says_who_was_not_opened(registry: BackendRegistry) -> None:
    build, end = _chain()
    plan = backend_evaluator("named:cpu", registry=registry).evaluate(build.graph, (end,), CTX).plan
    assert isinstance(plan, Plan)
    assert {UnavailableReason.NOT_OPENED} == {plan.topology.unopened[name].reason for name in _NAMES}
    assert "gizmo: not opened" in plan.explain()


def test_pins_and_places_open_the_backends_that_they_name(registry: BackendRegistry) -> None:
    build, end = _chain()
    options = PlanOptions(pins={end: BackendId("gizmo")})
    backend_evaluator("named:cpu", registry=registry, options=options).evaluate(build.graph, (end,), CTX)
    assert {"gizmo"} == _opened()


@pytest.mark.parametrize("by", ["node", "wish"])
def test_whoever_names_a_memory_opens_all_who_may_have_it(registry: BackendRegistry, by: str) -> None:
    build, end = _chain()
    options = PlanOptions()
    if by == "node":
        end = build.add(TransferToGpu(), end)
    else:
        options = PlanOptions(result_space=MemorySpace("elsewhere"))
    try:
        backend_evaluator("named:cpu", registry=registry, options=options).evaluate(build.graph, (end,), CTX)
    except SelectionError:
        assert by == "wish"  # nobody computes there
    assert set(_NAMES) == _opened()


def test_a_wider_policy_opens_the_rest_and_a_narrow_one_stays_right(registry: BackendRegistry) -> None:
    build, end = _chain()
    narrow, wide = backend_evaluator("named:cpu", registry=registry), backend_evaluator("auto", registry=registry)
    first = narrow.evaluate(build.graph, (end,), CTX).plan
    before = registry.current()
    wide.evaluate(build.graph, (end,), CTX)
    assert before is not registry.current()
    narrow.cache.clear()
    again = narrow.evaluate(build.graph, (end,), CTX).plan
    assert first is not again, "a plan of an older topology is made anew"
    assert again is narrow.evaluate(build.graph, (end,), CTX).plan
    assert set(_NAMES).isdisjoint(registry.current().unopened)


def test_what_is_known_now_opens_nothing(registry: BackendRegistry) -> None:
    assert registry.current().ids == ("cpu",)
    assert not _opened()
    assert registry.current() is registry.current()
    assert set(registry.snapshot().ids) == {"cpu", *_NAMES}
    assert registry.snapshot() is registry.current()
