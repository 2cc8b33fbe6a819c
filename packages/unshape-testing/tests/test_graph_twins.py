"""Every law of whole graphs fails where a backend, an executor or a planner breaks it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from unshape_backend import fallback, health
from unshape_backend.cost import Cost
from unshape_backend.plan.options import PlanOptions
from unshape_backend.plan.plan import Plan
from unshape_backend.protocols import ComputeBackend
from unshape_backend.residency import Residency
from unshape_backend.topology import BackendEntry
from unshape_core import graph_file
from unshape_core.versioned import Versioned
from unshape_testing.failure import Failure, FailurePoint
from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import GraphCase, chain, diamond
from unshape_testing.laws import failures, graphs, placement, plans, process
from unshape_testing.laws.running import plan_of, registry_of
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.nodes import BoxMean, Gain, Ramp
from unshape_testing.sabotage.graph_faults import FicklePrices, SpoilsInputsWhenFailing, WrongWhenAskedAgain
from unshape_testing.sabotage.number_faults import (
    CountsPixelsFromTheWindow,
    FusesWrongly,
    OneUlpOff,
    SharesScratchBetweenThreads,
)

Check = Callable[[tuple[ComputeBackend, ...], GraphCase], None]


def preferred() -> FakeBackend:
    """Return a right backend that every policy chooses."""
    return FakeBackend("subject", cost=1, link_ns=1)


def mixed() -> GraphCase:
    return chain((Ramp(4.0), Gain(2.0), Gain(0.5, 0.25), BoxMean(1)))


@pytest.mark.parametrize(
    ("check", "spoil"),
    [
        pytest.param(graphs.check_repeats_agree, WrongWhenAskedAgain, id="12-wrong-when-asked-again"),
        pytest.param(
            lambda b, c: graphs.check_tiles_agree(b, c, "by-priority"),
            CountsPixelsFromTheWindow,
            id="13-counts-pixels-from-the-window",
        ),
        pytest.param(graphs.check_policies_agree, FusesWrongly, id="14-fuses-wrongly"),
        pytest.param(graphs.check_policies_agree, OneUlpOff, id="14-one-ulp-off"),
        pytest.param(graphs.check_mixtures_agree, OneUlpOff, id="14-one-ulp-off-in-a-mixture"),
        pytest.param(
            lambda b, c: graphs.check_threads_share_a_graph(b, c, policy="by-priority"),
            SharesScratchBetweenThreads,
            id="22-shares-scratch-between-threads",
        ),
        pytest.param(plans.check_plan_is_pure, FicklePrices, id="23-fickle-prices"),
    ],
)
def test_a_wrong_backend_is_noticed_in_graphs(check: Check, spoil: Callable[[ComputeBackend], ComputeBackend]) -> None:
    check((preferred(),), mixed())
    with pytest.raises(AssertionError):
        check((spoil(preferred()),), mixed())


def without_pins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the planner forget what is pinned."""
    right = plan_of

    def forgetful(registry: Any, case: GraphCase, policy: str = "auto", *, options: Any = None) -> Plan:
        return right(registry, case, "auto" if policy.startswith("named") else policy, options=None)

    monkeypatch.setattr(plans, "plan_of", forgetful)


def test_law_05_a_limit_that_is_not_heeded_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plans.check_limits_are_kept_at_planning(preferred())
    monkeypatch.setattr(plans, "why_not", lambda entry, task: None)
    with pytest.raises(AssertionError, match="was not refused"):
        plans.check_limits_are_kept_at_planning(preferred())


def test_law_07_a_transfer_node_that_is_passed_over_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plans.check_transfer_nodes_are_kept(preferred())
    monkeypatch.setattr(plans, "plan_of", lambda registry, case: plan_of(registry, chain((Ramp(1.0), Gain(2.0)))))
    with pytest.raises(AssertionError, match="expected both orders to be kept"):
        plans.check_transfer_nodes_are_kept(preferred())


def test_law_07_a_forgotten_pin_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plans.check_pin_is_kept((preferred(),), mixed())
    without_pins(monkeypatch)
    with pytest.raises(AssertionError, match="pinned to"):
        plans.check_pin_is_kept((preferred(),), mixed())


def test_law_07_an_unavailable_backend_that_is_used_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plans.check_unavailable_changes_nothing((preferred(),), mixed())
    monkeypatch.setattr(BackendEntry, "why_unusable", lambda self: None)
    with pytest.raises(AssertionError):
        plans.check_unavailable_changes_nothing((preferred(),), mixed())


def test_law_18_a_second_upload_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs.check_one_upload(LoopbackBackend())
    bring = Residency.bring

    def twice(self: Residency, *arguments: Any, **named: Any) -> Any:
        bring(self, *arguments, **named)
        return bring(self, *arguments, **named)

    monkeypatch.setattr(Residency, "bring", twice)
    with pytest.raises(AssertionError, match="uploaded 2 times"):
        graphs.check_one_upload(LoopbackBackend())


def test_law_18_a_stale_mirror_is_noticed() -> None:
    with pytest.raises(AssertionError):
        graphs.check_in_place_change_is_seen(LoopbackBackend(), give=lambda array: Versioned(array, "unchanged"))


def test_law_20_spoilt_inputs_are_noticed() -> None:
    def make(failure: Failure) -> FakeBackend:
        return SpoilsInputsWhenFailing(
            failures.FAULTY, cost=1, failures=[replace(failure, node_type=BoxMean.type_name)]
        )

    with pytest.raises(AssertionError, match="expected the same bits"):
        failures.check_falls_back(LoopbackBackend(), Failure(point=FailurePoint.DURING), make=make)


def test_law_20_a_silent_fallback_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fallback.Fallback, "_tell", lambda *arguments: None)
    with pytest.raises(AssertionError, match="expected one warning"):
        failures.check_falls_back(LoopbackBackend(), Failure())


def test_law_21_strictness_that_is_ignored_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    run = fallback.Fallback.run

    def lenient(self: fallback.Fallback, chain: Any, attempt: Any, **named: Any) -> Any:
        self.is_strict = False
        return run(
            self, (*chain, *(e.id for e in self.registry.snapshot().entries)), attempt, **(named | {"is_bound": False})
        )

    monkeypatch.setattr(fallback.Fallback, "run", lenient)
    with pytest.raises(AssertionError, match="expected the failure, got a result"):
        failures.check_strict_raises(Failure())


def test_law_21_a_retried_argument_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    failures.check_invalid_arguments_are_not_retried(LoopbackBackend())
    monkeypatch.setattr(fallback, "UnshapeError", KeyboardInterrupt)
    with pytest.raises(AssertionError, match="expected the wrong argument to be told"):
        failures.check_invalid_arguments_are_not_retried(LoopbackBackend())


def test_law_21_a_backend_that_is_never_set_aside_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "FAILURES_UNTIL_SET_ASIDE", 1_000)
    with pytest.raises(AssertionError, match="was tried 5 times"):
        failures.check_is_set_aside(LoopbackBackend())


def test_law_22_a_cancel_that_is_not_heeded_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs.check_cancel_stops_a_hanging_kernel()
    monkeypatch.setattr(graphs, "CANCEL_LIMIT_S", 0.5)
    with pytest.raises(AssertionError):
        graphs.check_cancel_stops_a_hanging_kernel(lambda: FakeBackend("hanging", latency_ns=700_000_000))


@dataclass(frozen=True)
class Forgetful(Gain):
    """A node that loses its parameters when it is pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Gain, ()


def test_law_22_a_node_that_loses_its_parameters_is_noticed() -> None:
    with pytest.raises(AssertionError):
        graphs.check_pickled_graph_is_the_same(chain((Ramp(1.0), Forgetful(5.0))))


def open_wrong() -> ComputeBackend:
    """Open a backend that is wrong for all threads but the first."""
    return SharesScratchBetweenThreads(LoopbackBackend())


def open_and_never_end() -> ComputeBackend:
    """Open a backend that keeps the interpreter from ending."""
    threading.Thread(target=time.sleep, args=(30,)).start()
    return LoopbackBackend()


def test_law_22_a_wrong_result_in_threads_is_noticed() -> None:
    with pytest.raises(AssertionError, match="exit code"):
        process.check_program("threads", open_wrong)


def test_law_22_an_interpreter_that_does_not_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "LIMIT_S", 4)
    with pytest.raises(AssertionError, match="still running"):
        process.check_program("exit-with-work-in-flight", open_and_never_end)


def test_law_23_a_sum_that_is_wrong_is_noticed() -> None:
    plan = plan_of(registry_of(preferred()), mixed())
    plans.check_cost_is_the_sum(plan)
    plan.__dict__["cost"] = Cost(compute_ns=1)
    with pytest.raises(AssertionError):
        plans.check_cost_is_the_sum(plan)


def test_law_24_a_plan_that_is_dearer_than_one_backend_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    backends = (preferred(), FakeBackend("dear", cost=10**9))
    plans.check_never_worse_than_one_backend(backends, diamond(2))
    right = plan_of

    def wasteful(registry: Any, case: GraphCase, policy: str = "auto", *, options: PlanOptions | None = None) -> Plan:
        return right(registry, case, "named:dear" if policy == "minimize-cost" else policy, options=options)

    monkeypatch.setattr(plans, "plan_of", wasteful)
    with pytest.raises(AssertionError):
        plans.check_never_worse_than_one_backend(backends, diamond(2))


def test_law_24_a_cheaper_placement_is_noticed() -> None:
    backends = (preferred(), FakeBackend("dear", cost=10**9))
    (case, *_) = placement.small_trees()
    placement.check_no_placement_is_cheaper(backends, case)
    with pytest.raises(AssertionError, match=r"planned .* takes"):
        placement.check_no_placement_is_cheaper(
            backends, case, planner=lambda c, options: plan_of(registry_of(*backends), c, "named:dear", options=options)
        )


def test_law_23_a_tie_that_goes_away_is_noticed() -> None:
    placement.check_ties_stay_local()
    with pytest.raises(AssertionError, match="expected 'near', got far"):
        placement.check_ties_stay_local(lambda backends, case: plan_of(registry_of(*backends), case, "named:far"))


def test_law_25_a_missing_reason_is_noticed() -> None:
    plan = plan_of(registry_of(preferred(), FakeBackend("other", cost=5)), mixed())
    plans.check_explanation_is_complete(plan)
    step = plan.tasks[0]
    poorer = replace(step, decision=replace(step.decision, rejected={}))
    steps = tuple(poorer if each is step else each for each in plan.steps)
    with pytest.raises(AssertionError, match="expected reasons for"):
        plans.check_explanation_is_complete(replace(plan, steps=steps))


def test_law_26_a_file_that_loses_a_parameter_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    plans.check_graph_file((preferred(),), mixed())
    monkeypatch.setattr(
        plans,
        "graph_from_json",
        lambda text, **named: graph_file.graph_from_json(text.replace(b"0.25", b"0.5"), **named),
    )
    with pytest.raises(AssertionError):
        plans.check_graph_file((preferred(),), mixed())
