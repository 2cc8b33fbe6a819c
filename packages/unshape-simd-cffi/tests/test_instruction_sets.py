"""Each instruction set gives the definition's bits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unshape_backend.case import Case
from unshape_backend.discovery import find_kernels
from unshape_backend.domain_cases import domain_cases
from unshape_simd_cffi.backend import SimdBackend
from unshape_simd_cffi.isa import usable_isas
from unshape_testing.laws.numbers import case_job, definition
from unshape_testing.own_cases import own_cases
from unshape_testing.special_cases import integer_case, size_cases, special_cases
from unshape_testing.tasks import run_job
from unshape_testing.tolerance import assert_same_bits

CASES = (*own_cases(), *special_cases(), integer_case(), *size_cases(), *(case for _, case in domain_cases()))


@pytest.fixture(scope="module")
def backends() -> Iterator[list[SimdBackend]]:
    opened = [SimdBackend(isa, threads=2) for isa in usable_isas()]
    for found in find_kernels("simd"):
        for kernel in found.load():
            for backend in opened:
                backend.register_kernel(kernel)
    yield opened
    for backend in opened:
        backend.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_instruction_set_equals_the_definition(backends: list[SimdBackend], case: Case) -> None:
    job = case_job(case)
    if backends[0].supports(job.task) is not None:
        pytest.skip("'simd' has no kernel for it")
    expected = definition(job)
    for backend in backends:
        assert_same_bits(expected, run_job(backend, job), what=f"{case.name} with {backend.isa.name}")


def test_the_cases_are_many() -> None:
    assert len(CASES) > 400
