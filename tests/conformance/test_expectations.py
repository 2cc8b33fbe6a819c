"""Every backend that an installed distribution declares opens here, or says why not; a required one has to open."""

from __future__ import annotations

import pytest

from unshape_backend.availability import Available, Unavailable
from unshape_backend.protocols import ComputeBackend
from unshape_testing.expectations import declared_backends
from unshape_testing.plugin import backends_of


@pytest.mark.parametrize("name", sorted(declared_backends()))
def test_a_declared_backend_opens_or_says_why_not(pytestconfig: pytest.Config, name: str) -> None:
    match backends_of(pytestconfig).availability()[name]:
        case Unavailable() as why:
            assert why.detail
            assert not backends_of(pytestconfig).expectations.is_required(name), str(why)
            pytest.skip(str(why))
        case Available():
            pass


def test_every_known_backend_can_be_asked_for_its_facts(unshape_backend: ComputeBackend) -> None:
    facts = unshape_backend.capabilities
    assert facts.id == unshape_backend.id
    assert facts.device.name
