"""Laws that every decision keeps, whoever is there and whatever is wanted."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unshape_backend.config import Settings
from unshape_backend.cost import Cost
from unshape_backend.cpu import CpuBackend
from unshape_backend.decision import Decision
from unshape_backend.identity import CPU_SIMD, GPU, REFERENCE, BackendId
from unshape_backend.policy import (
    Auto,
    ByPriority,
    ExecutionPolicy,
    LocalFirst,
    MinimizeCost,
    Named,
    PreferKind,
)
from unshape_backend.registry import BackendRegistry
from unshape_backend.scheduler import Scheduler
from unshape_backend.task import Rejection, RejectionCode
from unshape_backend.topology import Topology
from unshape_core.memory_space import HOST, MemorySpace
from unshape_testing.fake import FakeBackend
from unshape_testing.sample_task import picture_task

_SPACES = [HOST, MemorySpace("gpu"), MemorySpace("opencl")]
_POLICIES: list[ExecutionPolicy] = [
    Auto(),
    PreferKind(GPU),
    PreferKind(CPU_SIMD),
    LocalFirst(),
    MinimizeCost(),
    ByPriority(),
    Named(REFERENCE),
]


@st.composite
def _backends(draw: st.DrawFn) -> list[tuple[FakeBackend, int | None]]:
    names = draw(st.lists(st.sampled_from(["simd", "gpu", "gpu:1", "opencl"]), unique=True, max_size=4))
    refusal = Rejection(RejectionCode.NO_KERNEL, "told so")
    return [
        (
            FakeBackend(
                name,
                kind=CPU_SIMD if name == "simd" else GPU,
                space=draw(st.sampled_from(_SPACES)),
                cost=draw(st.none() | st.integers(0, 10_000)),
                link_ns=draw(st.none() | st.integers(0, 10_000)),
                is_software=draw(st.booleans()),
                supports=(lambda task: refusal) if draw(st.integers(0, 4)) == 0 else None,
            ),
            draw(st.none() | st.integers(-200, 300)),
        )
        for name in names
    ]


def _topology(backends: list[tuple[FakeBackend, int | None]]) -> BackendRegistry:
    registry = BackendRegistry(settings=Settings())
    registry.register(CpuBackend())
    for backend, priority in backends:
        registry.register(backend, priority=priority)
    return registry


@given(_backends(), st.sampled_from(_POLICIES), st.lists(st.frozensets(st.sampled_from(_SPACES)), max_size=2))
def test_every_decision_keeps_the_laws(
    backends: list[tuple[FakeBackend, int | None]],
    policy: ExecutionPolicy,
    residency: list[frozenset[MemorySpace]],
) -> None:
    scheduler = Scheduler(_topology(backends), policy)
    topology = scheduler.topology()
    task = picture_task(input_count=2)
    decision = scheduler.decide(task, topology, residency)
    check_decision_laws(topology, policy, decision)
    assert scheduler.decide(task, topology, residency) == decision


def check_decision_laws(topology: Topology, policy: ExecutionPolicy, decision: Decision) -> None:
    """Everyone has a place or a reason, and the pick is the one that the policy wants."""
    chain, pick = decision.chain, decision.pick
    assert len(set(chain)) == len(chain)
    assert set(decision.rejected) == set(topology.ids) - {pick}
    assert REFERENCE not in chain[1:-1]
    assert set(chain) <= set(decision.costs)
    assert decision.reason
    entries = {each: topology.entry(each) for each in decision.costs}
    match policy:
        case Named(name):
            assert chain == (name,)
        case ByPriority():
            assert entries[pick].priority == max(entry.priority for entry in entries.values())
        case MinimizeCost():
            _check_least(pick, decision.costs)
        case Auto():
            real = {each: decision.costs[each] for each, entry in entries.items() if not entry.is_software}
            _check_least(pick, real or decision.costs)
        case PreferKind(kind):
            wanted = {
                each: decision.costs[each]
                for each, entry in entries.items()
                if entry.capabilities.kind == kind and not entry.is_software
            }
            if wanted:
                _check_least(pick, wanted)
            else:
                check_decision_laws(topology, Auto(), decision)
        case LocalFirst():
            pass  # which bytes are where is not in the decision: test_scheduler holds it to that


def _check_least(pick: BackendId, costs: Mapping[BackendId, Cost | None]) -> None:
    known = [cost.total_ns for cost in costs.values() if cost is not None]
    assert pick in costs
    cost = costs[pick]
    assert cost is None if not known else cost is not None
    assert cost is None or cost.total_ns == min(known)


def test_sabotage_decisions_that_break_a_law_are_found() -> None:
    backends: list[tuple[FakeBackend, int | None]] = [
        (FakeBackend("gpu", cost=100, space=HOST), None),
        (FakeBackend("gpu:1", cost=None, space=HOST), None),
        (FakeBackend("opencl", cost=1, space=HOST, is_software=True), None),
    ]
    scheduler = Scheduler(_topology(backends), Auto())
    topology = scheduler.topology()
    right = scheduler.decide(picture_task(), topology)
    check_decision_laws(topology, Auto(), right)
    why = Rejection(RejectionCode.COST)
    everyone = set(topology.ids)
    wrong: list[tuple[ExecutionPolicy, dict[str, Any]]] = [
        # an unknown time wins
        (Auto(), {"chain": ("gpu:1", "gpu", "cpu"), "rejected": dict.fromkeys(everyone - {"gpu:1"}, why)}),
        # a software device wins
        (Auto(), {"chain": ("opencl", "gpu", "cpu"), "rejected": dict.fromkeys(everyone - {"opencl"}, why)}),
        # somebody is left out without a reason
        (Auto(), {"rejected": {}}),
        # no reason for the pick
        (Auto(), {"reason": ""}),
        # the reference is not last
        (Auto(), {"chain": ("gpu", "cpu", "opencl")}),
        # what failed is tried again
        (Auto(), {"chain": ("gpu", "gpu", "cpu")}),
        # a named backend has a substitute
        (Named(BackendId("gpu")), {}),
        # the dearer one wins
        (MinimizeCost(), {}),
        # another kind wins
        (PreferKind(CPU_SIMD), {"chain": ("cpu",), "rejected": dict.fromkeys(everyone - {"cpu"}, why)}),
    ]
    for policy, changes in wrong:
        with pytest.raises(AssertionError):
            check_decision_laws(topology, policy, dataclasses.replace(right, **changes))
