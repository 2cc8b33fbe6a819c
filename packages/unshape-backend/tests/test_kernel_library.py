from __future__ import annotations

import sys

import pytest

from unshape_backend.identity import REFERENCE
from unshape_backend.kernel import KernelSpec
from unshape_backend.kernel_library import KernelLibrary
from unshape_backend.registry import BackendRegistry
from unshape_testing.fake import FakeBackend
from unshape_testing.installation import Installation

_TABLE = """
from unshape_backend.kernel import KernelSpec
TABLE = [KernelSpec(node_type="test::AddOne", backend="fpga", function=len, priority={priority})]
"""


def _install(site: Installation, name: str, source: str) -> None:
    site.install(
        f"unshape-{name}",
        entry_points={"unshape.kernels.fpga": {name: f"{name}_kernels:TABLE"}},
        modules={f"{name}_kernels": source},
    )


def test_kernels_are_imported_when_a_backend_of_their_family_opens_and_not_before(
    site: Installation, registry: BackendRegistry
) -> None:
    _install(site, "domain", _TABLE.format(priority=0))
    registry.snapshot()
    assert "domain_kernels" not in sys.modules
    backend = FakeBackend("fpga:1")
    registry.register(backend)
    assert "domain_kernels" not in sys.modules
    registry.snapshot()
    assert backend.subjects("register_kernel") == ["test::AddOne"]


def test_a_kernel_knows_which_distribution_brought_it(site: Installation) -> None:
    _install(site, "domain", _TABLE.format(priority=0))
    library = KernelLibrary()
    assert [kernel.origin for kernel in library.load("fpga")] == ["unshape-domain"]
    assert [kernel.origin for kernel in library.load("fpga")] == ["unshape-domain"]


def test_a_script_comes_before_a_distribution(site: Installation, registry: BackendRegistry) -> None:
    _install(site, "domain", _TABLE.format(priority=0).replace('"fpga"', '"cpu"'))
    kernel = registry.register_kernel("test::AddOne", backend="cpu", function=max)
    backend = registry.snapshot().backend(REFERENCE)
    assert kernel.priority > 0
    assert list(getattr(backend, "kernels"))[0] == kernel  # noqa: B009, RUF015


def test_a_third_claim_does_not_win_because_the_first_two_were_removed(
    site: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("one", "three", "two"):
        _install(site, name, _TABLE.format(priority=3))
    assert not list(KernelLibrary().load("fpga"))
    assert len(caplog.records) == 2


def test_two_distributions_with_equal_claims_cost_one_warning_that_names_both_and_neither_is_used(
    site: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    _install(site, "one", _TABLE.format(priority=3))
    _install(site, "two", _TABLE.format(priority=3))
    _install(site, "zero", _TABLE.format(priority=0))
    kernels = list(KernelLibrary().load("fpga"))
    assert [kernel.origin for kernel in kernels] == ["unshape-zero"]
    warnings = [record.getMessage() for record in caplog.records]
    assert len(warnings) == 1
    assert "'unshape-one' and 'unshape-two'" in warnings[0]


@pytest.mark.parametrize(
    "source",
    ["raise ImportError('x')", "TABLE = 3", "TABLE = [3]", "nothing = 1"],
    ids=["import", "type", "item", "name"],
)
def test_a_broken_table_costs_one_warning_and_the_rest_works(
    site: Installation, caplog: pytest.LogCaptureFixture, source: str
) -> None:
    _install(site, "broken", source)
    _install(site, "domain", _TABLE.format(priority=0))
    assert [kernel.origin for kernel in KernelLibrary().load("fpga")] == ["unshape-domain"]
    assert len(caplog.records) == 1
    assert "'unshape-broken'" in caplog.text


def test_a_table_with_a_kernel_for_another_family_costs_one_warning(
    site: Installation, caplog: pytest.LogCaptureFixture
) -> None:
    _install(site, "domain", _TABLE.format(priority=0).replace('"fpga"', '"simd"'))
    assert not list(KernelLibrary().load("fpga"))
    assert "expected one for backend 'fpga', got 'simd'" in caplog.text


def test_a_backend_with_a_kernel_of_its_own_of_equal_priority_keeps_it(
    site: Installation, registry: BackendRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    site.install(
        "unshape-domain",
        entry_points={"unshape.kernels.cpu": {"domain": "domain_kernels:TABLE"}},
        modules={"domain_kernels": _TABLE.format(priority=0).replace('"fpga"', '"cpu"')},
    )
    own = KernelSpec(node_type="test::AddOne", backend="cpu", function=max, origin="unshape-backend")
    backend = BackendRegistry.with_cpu(settings=registry.settings)
    cpu = next(iter(backend._entries.values())).backend
    cpu.register_kernel(own)
    backend.snapshot()
    assert list(getattr(cpu, "kernels")) == [own]  # noqa: B009
    assert "'unshape-backend' and 'unshape-domain'" in caplog.text
