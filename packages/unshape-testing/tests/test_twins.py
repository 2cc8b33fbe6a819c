"""Every law of a backend fails on its twin, and passes on the backend that the twin was made of."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.errors import BackendError
from unshape_backend.protocols import ComputeBackend
from unshape_backend.transfer import LinkTable
from unshape_testing.laws import memory
from unshape_testing.loopback import LOOPBACK, LoopbackBackend
from unshape_testing.sabotage.memory_faults import FreeLinks
from unshape_testing.sabotage.twins import TWINS, Twin

each_twin = pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
OPEN: dict[str, Callable[[], ComputeBackend]] = {"loopback": LoopbackBackend, "cpu": CpuBackend}


@each_twin
def test_the_check_passes_on_a_right_backend(twin: Twin) -> None:
    twin.check(OPEN[twin.backend])


@each_twin
def test_the_check_fails_on_its_twin(twin: Twin) -> None:
    with pytest.raises((AssertionError, BackendError)):
        twin.check(lambda: twin.spoil(OPEN[twin.backend]()))


def test_free_links_are_noticed() -> None:
    right = LinkTable([LoopbackBackend().capabilities])
    memory.check_link_costs(right, LOOPBACK)
    with pytest.raises(AssertionError, match="expected a price"):
        memory.check_link_costs(FreeLinks([LoopbackBackend().capabilities]), LOOPBACK)


def test_each_law_of_a_backend_has_a_twin() -> None:
    assert {*range(1, 7), *range(8, 14), 15, 16, 17, 19} == {twin.law for twin in TWINS}
