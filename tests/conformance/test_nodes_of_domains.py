"""The nodes of every installed domain keep the laws of a node."""

from __future__ import annotations

from unshape_backend.domain_cases import domain_names
from unshape_testing.node_suite import NodeSuite

DOMAINS = domain_names()

for _domain in DOMAINS:
    _name = f"Test{_domain.title()}Nodes"
    globals()[_name] = type(_name, (NodeSuite,), {"domain": _domain, "__module__": __name__})


def test_the_domains_of_a_plain_install_are_found() -> None:
    assert {"noise", "image"} <= set(DOMAINS)
