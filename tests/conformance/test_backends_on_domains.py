"""Every installed backend gives the reference's results for every case of every installed domain.

The cases of unshape-testing itself are what each backend's own tests are about.
"""

from __future__ import annotations

from unshape_backend.identity import REFERENCE
from unshape_testing.case import domain_cases
from unshape_testing.expectations import declared_backends
from unshape_testing.kernel_suite import CaseTable, KernelSuite

BACKENDS = tuple(sorted(declared_backends()))


class DomainCases(KernelSuite):
    """A backend on the cases of the installed domains."""

    least_supported = 0.3

    @classmethod
    def cases(cls) -> CaseTable:
        return domain_cases()


for _backend in BACKENDS:
    _name = f"Test{_backend.title()}"
    globals()[_name] = type(_name, (DomainCases,), {"backend_id": _backend, "__module__": __name__})


def test_a_backend_other_than_the_reference_is_declared() -> None:
    assert set(BACKENDS) - {REFERENCE}
