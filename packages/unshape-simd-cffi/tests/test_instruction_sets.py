"""Each instruction set gives the definition's bits."""

from __future__ import annotations

import pytest

from unshape_backend.case import Case
from unshape_backend.discovery import find_kernels
from unshape_simd_cffi.backend import SimdBackend
from unshape_testing.case import domain_cases
from unshape_testing.laws import numbers
from unshape_testing.own_cases import own_cases
from unshape_testing.special_cases import integer_case, size_cases, special_cases

CASES = (*own_cases(), *special_cases(), integer_case(), *size_cases(), *(case for _, case in domain_cases()))


@pytest.fixture(autouse=True)
def _kernels(backend: SimdBackend) -> None:
    for found in find_kernels("simd"):
        for kernel in found.load():
            backend.register_kernel(kernel)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_instruction_set_equals_the_definition(backend: SimdBackend, case: Case) -> None:
    if backend.supports(numbers.case_job(case).task) is not None:
        pytest.skip("'simd' has no kernel for it")
    numbers.check_equals_definition(backend, case)


def test_the_cases_are_many() -> None:
    assert len(CASES) > 400
