"""The nodes of every installed domain keep the laws of a node."""

from __future__ import annotations

from unshape_backend.domain_cases import domain_cases, domain_names
from unshape_testing.laws import sliders
from unshape_testing.laws.numbers import case_job
from unshape_testing.node_suite import NodeSuite

DOMAINS = domain_names()

for _domain in DOMAINS:
    _name = f"Test{_domain.title()}Nodes"
    globals()[_name] = type(_name, (NodeSuite,), {"domain": _domain, "__module__": __name__})


def test_literals_of_moved_sliders_are_read() -> None:
    """A law about what is read holds of a reader that reads nothing."""
    read: dict[str, int] = {}
    for _, case in domain_cases():
        specs = case_job(case).task.input_specs
        read[case.node.type_name] = read.get(case.node.type_name, 0) + sliders.check_literals_are_read(case.node, specs)
    assert {"noise::Perlin", "image::Levels", "image::Blend", "image::RemapUv", "image::ColorConstant"} <= {
        name for name, count in read.items() if count >= 10
    }


def test_the_domains_of_a_plain_install_are_found() -> None:
    assert {"noise", "image"} <= set(DOMAINS)
