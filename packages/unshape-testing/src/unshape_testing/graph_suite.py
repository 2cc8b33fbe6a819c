"""The suite that runs whole graphs with a backend among others: plans, fusion, transfers, fallback, files.

::

    from unshape_testing.graph_suite import GraphSuite

    class TestMine(GraphSuite):
        backend_id = "mine"

The backend takes part beside the reference; :attr:`GraphSuite.companions` adds further ones, so that values travel from
device to device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest

from unshape_backend.identity import REFERENCE
from unshape_backend.protocols import ComputeBackend
from unshape_core.memory_space import HOST, MemorySpace
from unshape_testing.backend_suite import BackendTests
from unshape_testing.failure import Failure, FailureKind, FailurePoint
from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import GraphCase, graph_cases
from unshape_testing.laws import failures, graphs, placement, plans
from unshape_testing.laws.running import plan_of, registry_of

CASES = graph_cases()
TILED = ("pointwise-chain", "mixed-chain", "diamond", "whole-inputs", "random-3", "random-6")
FAILURES = (
    *(Failure(point=point) for point in (FailurePoint.COMPILE, FailurePoint.BEFORE, FailurePoint.DURING)),
    *(Failure(point=point) for point in (FailurePoint.AFTER, FailurePoint.WAIT)),
    *(Failure(kind=kind) for kind in (FailureKind.OUT_OF_MEMORY, FailureKind.DEVICE_LOST, FailureKind.BUG)),
)

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
each_failure = pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: f"{failure.kind}-{failure.point}")


class GraphSuite(BackendTests):
    """Laws 7, 12 to 14, 18 and 20 to 26 for one backend beside the reference and its companions."""

    with_companion: ClassVar[bool] = True
    """Whether a second device, with a memory of its own, takes part."""

    @pytest.fixture
    def backends(self, backend: ComputeBackend) -> tuple[ComputeBackend, ...]:
        """Return those that take part beside the reference."""
        companions: Sequence[ComputeBackend] = (
            [FakeBackend("companion", space=MemorySpace("companion"), cost=5_000)] if self.with_companion else []
        )
        return (*companions,) if backend.id == REFERENCE else (backend, *companions)

    def test_law_05_limits_are_kept_at_planning(self, backend: ComputeBackend) -> None:
        """At the limit a task is placed, one beyond it is refused."""
        plans.check_limits_are_kept_at_planning(backend)

    def test_law_07_transfer_nodes_are_kept(self, backend: ComputeBackend) -> None:
        """A transfer node is an order."""
        if backend.id == REFERENCE or backend.capabilities.space == HOST:
            pytest.skip(f"'{backend.id}' has no memory of its own")
        plans.check_transfer_nodes_are_kept(backend)

    @each_case
    def test_law_07_pins_are_kept(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """Pinned and named backends are never substituted."""
        plans.check_pin_is_kept(backends, case)

    @each_case
    def test_law_07_unavailable_changes_nothing(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """A backend that is switched off changes no decision."""
        plans.check_unavailable_changes_nothing(backends, case)

    @each_case
    def test_law_12_repeats_agree(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """Warm, cold and after a failure: the same bits."""
        graphs.check_repeats_agree(backends, case)

    @pytest.mark.parametrize("case", [case for case in CASES if case.name in TILED], ids=lambda case: case.name)
    def test_law_13_tiles_agree(
        self, backend: ComputeBackend, backends: tuple[ComputeBackend, ...], case: GraphCase
    ) -> None:
        """Tiles equal the whole, wherever they are computed."""
        for policy in (f"prefer:{backend.capabilities.kind}", "auto"):
            graphs.check_tiles_agree(backends, case, policy)

    @each_case
    def test_law_14_policies_agree(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """Every policy, fused or not, gives what the nodes mean."""
        graphs.check_policies_agree(backends, case)

    @each_case
    def test_law_14_mixtures_agree(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """Nodes scattered over all backends give what the nodes mean."""
        graphs.check_mixtures_agree(backends, case)

    def test_law_18_one_upload(self, backend: ComputeBackend) -> None:
        """One upload however many readers."""
        graphs.check_one_upload(backend)

    def test_law_18_in_place_change_is_seen(self, backend: ComputeBackend) -> None:
        """A changed input is no old one."""
        graphs.check_in_place_change_is_seen(backend)

    @each_failure
    def test_law_20_falls_back(self, backend: ComputeBackend, failure: Failure) -> None:
        """The next backend gives the right result from unspoilt inputs."""
        failures.check_falls_back(backend, failure)

    @each_failure
    def test_law_21_strict_raises(self, failure: Failure) -> None:
        """Strict, named and pinned raise."""
        failures.check_strict_raises(failure)

    def test_law_21_invalid_arguments_are_not_retried(self, backend: ComputeBackend) -> None:
        """A wrong argument is the caller's."""
        failures.check_invalid_arguments_are_not_retried(backend)

    def test_law_21_is_set_aside(self, backend: ComputeBackend) -> None:
        """After the third failure a backend is left alone."""
        failures.check_is_set_aside(backend)

    def test_law_21_error_names_the_node(self) -> None:
        """What nobody can do names the node."""
        failures.check_error_names_the_node()

    @pytest.mark.parametrize("case", CASES[:5], ids=lambda case: case.name)
    def test_law_22_threads_share_a_graph(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """Eight threads, one graph."""
        graphs.check_threads_share_a_graph(backends, case)

    @each_case
    def test_law_22_pickled_graph_is_the_same(self, case: GraphCase) -> None:
        """A pickled graph is the same graph."""
        graphs.check_pickled_graph_is_the_same(case)

    def test_law_22_cancel_stops_a_hanging_kernel(self) -> None:
        """A cancel is heeded within seconds."""
        graphs.check_cancel_stops_a_hanging_kernel()

    @each_case
    def test_law_23_plan_is_pure(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """The same five give the same plan."""
        plans.check_plan_is_pure(backends, case)

    @each_case
    def test_law_23_cost_is_the_sum(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """A plan costs what its steps cost."""
        plans.check_cost_is_the_sum(plan_of(registry_of(*backends), case))

    def test_law_23_ties_stay_local(self) -> None:
        """At equal cost a task runs where its data is."""
        placement.check_ties_stay_local()

    @pytest.mark.parametrize("case", placement.small_trees(), ids=lambda case: case.name)
    def test_law_24_no_placement_is_cheaper(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """All placements of a small tree are tried."""
        if not backends:
            pytest.skip("the reference alone leaves nothing to choose")
        placement.check_no_placement_is_cheaper(backends, case)

    @each_case
    def test_law_24_never_worse_than_one_backend(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """No backend alone is faster by the plan's estimate."""
        plans.check_never_worse_than_one_backend(backends, case)

    @each_case
    def test_law_25_explanation_is_complete(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """Every node has a pick, a reason, and a reason for everyone else."""
        plans.check_explanation_is_complete(plan_of(registry_of(*backends), case))

    @each_case
    def test_law_26_graph_file(self, backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
        """A graph that was written and read is the same graph."""
        plans.check_graph_file(backends, case)
