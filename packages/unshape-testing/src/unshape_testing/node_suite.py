"""The suite that the nodes of a domain pass by themselves, on the reference.

::

    from unshape_testing.node_suite import NodeSuite

    class TestNodes(NodeSuite):
        domain = "mine"

The cases are those that the domain lists under the entry point ``mine`` of the group ``unshape.cases``, the node types
those under ``mine`` of ``unshape.nodes``. Both may be given instead, by overriding :meth:`NodeSuite.cases` and
:meth:`NodeSuite.node_types`. That every backend gives the same is up to :mod:`unshape_testing.kernel_suite`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import ClassVar

import pytest

from unshape_backend.case import Case
from unshape_backend.domain_cases import domain_cases
from unshape_core.node_registry import ENTRY_POINT_GROUP, NodeRegistry
from unshape_core.protocols import Node
from unshape_testing.laws import nodes, sliders
from unshape_testing.laws.numbers import case_job


@cache
def _node_types(domain: str) -> tuple[type[Node], ...]:
    return tuple(each for point in entry_points(group=ENTRY_POINT_GROUP, name=domain) for each in point.load())


class NodeSuite:
    """What each node of a domain promises.

    Attributes
    ----------
    domain : str
        Name of the domain's entry points.
    """

    domain: ClassVar[str]

    @classmethod
    def cases(cls) -> Sequence[Case]:
        """Return the cases of the domain."""
        return [case for domain, case in domain_cases() if domain == cls.domain]

    @classmethod
    def node_types(cls) -> Sequence[type[Node]]:
        """Return the node types of the domain."""
        return _node_types(cls.domain)

    @classmethod
    def cases_of(cls, node_type: type[Node]) -> list[Case]:
        """Return the cases of one node type."""
        return [case for case in cls.cases() if type(case.node) is node_type]

    @classmethod
    def registry(cls) -> NodeRegistry:
        """Return a registry that knows the node types of the domain."""
        registry = NodeRegistry(points=tuple)
        for node_type in cls.node_types():
            registry.register(node_type)
        return registry

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each test its cases or node types."""
        if "case" in metafunc.fixturenames:
            metafunc.parametrize("case", [pytest.param(case, id=case.name) for case in self.cases()])
        elif "node_type" in metafunc.fixturenames:
            params = [pytest.param(each, id=each.__qualname__) for each in self.node_types()]
            metafunc.parametrize("node_type", params)

    def test_every_node_type_has_a_case_and_no_case_is_of_another(self) -> None:
        """The inventories are not empty and fit together."""
        types, used = set(self.node_types()), {type(case.node) for case in self.cases()}
        assert types, f"'{self.domain}' lists no node types"
        assert types == used, f"without a case: {types - used}; not listed: {used - types}"

    def test_node_type_is_described(self, node_type: type[Node]) -> None:
        """Each type has a name, a docstring, and is a frozen dataclass."""
        nodes.check_is_described(node_type)

    def test_declared_context_fields_matter(self, node_type: type[Node]) -> None:
        """A declared context field changes some case."""
        nodes.check_declared_fields_matter(self.cases_of(node_type))

    def test_node_has_one_meaning(self, node_type: type[Node]) -> None:
        """Either an expression or NumPy code."""
        for case in self.cases_of(node_type):
            nodes.check_has_one_meaning(case.node)

    def test_node_is_its_parameters(self, node_type: type[Node]) -> None:
        """Hashed, pickled, written and read it is the same."""
        registry = self.registry()
        for case in self.cases_of(node_type):
            nodes.check_is_its_parameters(case.node, registry)

    def test_node_depends_on_what_it_declares(self, node_type: type[Node]) -> None:
        """No other context field changes the result."""
        for case in self.cases_of(node_type):
            nodes.check_depends_on_what_it_declares(case)

    def test_literals_are_read_as_they_are_built(self, node_type: type[Node]) -> None:
        """A moved slider needs no body to be built, or its literals are those of the body."""
        for case in self.cases_of(node_type):
            sliders.check_literals_are_read(case.node, case_job(case).task.input_specs)

    def test_law_03_takes_zero_elements(self, node_type: type[Node]) -> None:
        """Nothing in, nothing out."""
        for case in self.cases_of(node_type):
            nodes.check_takes_zero_elements(case)

    def test_law_12_repeats(self, node_type: type[Node]) -> None:
        """The same again."""
        for case in self.cases_of(node_type):
            nodes.check_repeats(case)

    def test_specs_come_true(self, case: Case) -> None:
        """What was inferred is what comes out."""
        nodes.check_specs_come_true(case)

    def test_law_11_takes_any_layout(self, case: Case) -> None:
        """Inputs of any layout, unchanged; outputs of their own."""
        nodes.check_layouts(case)

    def test_law_13_windows(self, case: Case) -> None:
        """Any window equals the same part of the whole."""
        nodes.check_windows(case)
