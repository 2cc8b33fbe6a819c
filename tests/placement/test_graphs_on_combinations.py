"""Whole graphs on the combination of backends that is installed, beside stand-ins for devices.

Which backends take part follows from the environment: the matrix of combinations runs this in each.
"""

from __future__ import annotations

import pytest

from unshape_backend.case import Case
from unshape_backend.domain_cases import domain_cases
from unshape_backend.identity import REFERENCE
from unshape_backend.protocols import ComputeBackend
from unshape_core import Graph, GraphInput, Node
from unshape_core.memory_space import MemorySpace
from unshape_core.value_type import TEXTURE
from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import GraphCase, graph_cases
from unshape_testing.laws import graphs, plans
from unshape_testing.laws.running import plan_of, registry_of
from unshape_testing.nodes import Gain
from unshape_testing.plugin import backends_of

CASES = graph_cases()
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.fixture(scope="module")
def backends(pytestconfig: pytest.Config) -> tuple[ComputeBackend, ...]:
    """Return every backend that opens here but the reference, and a fake with a memory of its own."""
    topology = backends_of(pytestconfig).registry.snapshot()
    opened = [entry.backend for entry in topology.entries if entry.id != REFERENCE and entry.why_unusable() is None]
    return (*opened, FakeBackend("companion", space=MemorySpace("companion"), cost=5_000))


@each_case
def test_law_14_policies_agree(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    graphs.check_policies_agree(backends, case)


@each_case
def test_law_14_mixtures_agree(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    for seed in (1, 2):
        graphs.check_mixtures_agree(backends, case, seed=seed)


@each_case
def test_law_07_pins_are_kept(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    plans.check_pin_is_kept(backends, case)


@each_case
def test_law_25_explanation_is_complete(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    plan = plan_of(registry_of(*backends), case)
    plans.check_explanation_is_complete(plan)
    plans.check_cost_is_the_sum(plan)


def one_node_graph(case: Case) -> GraphCase:
    """Return the node of a case between two nodes of another package, given what the case gives."""
    graph = Graph()
    node_id = graph.add_node(case.node)
    values = dict(zip((port.name for port in case.node.inputs), case.values(), strict=True))
    for port in case.node.inputs:
        source = graph.add_node(GraphInput(port.name, port.value_type))
        graph.connect(source, 0, node_id, port.name)
    output = node_id
    if case.node.outputs[0].value_type == TEXTURE:
        after: Node = Gain(0.5, 0.25)
        output = graph.add_node(after)
        graph.connect(node_id, 0, output, 0)
    ctx = case.ctx.__class__(
        resolution=case.ctx.resolution, time_s=case.ctx.time_s, frame=case.ctx.frame, seed=case.ctx.seed, inputs=values
    )
    return GraphCase(name=case.name, graph=graph, outputs=(output,), ctx=ctx)


def one_case_of_each_node() -> list[tuple[str, Case]]:
    """Return the first case of every node type of every installed domain."""
    first: dict[str, tuple[str, Case]] = {}
    for domain, case in domain_cases():
        first.setdefault(case.node.type_name, (domain, case))
    return list(first.values())


EACH_NODE = one_case_of_each_node()


def test_domains_take_part() -> None:
    assert len(EACH_NODE) >= 20


@pytest.mark.parametrize("case", [case for _, case in EACH_NODE], ids=[case.node.type_name for _, case in EACH_NODE])
def test_law_14_every_node_of_a_domain_in_a_graph(backends: tuple[ComputeBackend, ...], case: Case) -> None:
    graphs.check_mixtures_agree(backends, one_node_graph(case), seed=3)
