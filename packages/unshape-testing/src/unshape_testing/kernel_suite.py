"""The suite that holds a backend's numbers to the definition, for all cases of all installed domains.

::

    from unshape_testing.kernel_suite import KernelSuite

    class TestMine(KernelSuite):
        backend_id = "mine"

The cases are those of this package (every kind of node, random expressions over all operations and functions, special
values, awkward sizes) and those under the entry-point group ``unshape.cases``. A case that the backend rejects at
planning time is skipped with the reason; the suite fails if it rejects too many.
"""

from __future__ import annotations

from functools import cache
from typing import ClassVar

import pytest

from unshape_backend.candidates import why_not
from unshape_backend.capabilities import DeviceLimits
from unshape_backend.case import Case
from unshape_backend.domain_cases import domain_cases
from unshape_backend.protocols import ComputeBackend
from unshape_backend.task import Task
from unshape_core.context import EvalContext
from unshape_testing.backend_suite import BackendTests
from unshape_testing.laws import numbers
from unshape_testing.laws.expect import picture
from unshape_testing.laws.running import registry_of
from unshape_testing.nodes import Gain, Ramp, Wobble
from unshape_testing.own_cases import node_cases, own_cases
from unshape_testing.special_cases import integer_case, size_cases, special_cases
from unshape_testing.tasks import make_job

EMULATED_LIMITS = {
    "workgroups": DeviceLimits(max_workgroup_size=8, max_workgroup_shape=(8, 1, 1)),
    "groups": DeviceLimits(max_groups_per_axis=2),
    "buffers": DeviceLimits(max_buffer_bytes=1024, max_binding_bytes=1024),
    "bindings": DeviceLimits(max_bindings=3),
    "memory": DeviceLimits(memory_budget_bytes=8192),
}
"""Limits so low that small pictures exceed them."""

CaseTable = tuple[tuple[str, Case], ...]
"""Cases, each with the name of the domain that it belongs to."""


@cache
def own_table() -> CaseTable:
    """Return the cases of this package."""
    cases = (*own_cases(), *special_cases(), integer_case(), *size_cases())
    return tuple(("testing", case) for case in cases)


def _params(cases: CaseTable) -> list[object]:
    return [pytest.param(case, id=f"{domain}/{case.name}") for domain, case in cases]


class KernelSuite(BackendTests):
    """Laws 8 to 13 for one backend.

    Attributes
    ----------
    least_supported : float
        Share of the cases that the backend has to support; a backend that rejects everything proves nothing.
    """

    least_supported: ClassVar[float] = 0.5

    @classmethod
    def open_limited(cls, _limits: DeviceLimits) -> ComputeBackend | None:
        """Open the backend as if its device had those limits where they are given; None if it cannot."""
        return None

    @classmethod
    def cases(cls) -> CaseTable:
        """Return the cases that the backend is held to: this package's and those of all installed domains."""
        return (*own_table(), *domain_cases())

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each test its cases."""
        if "case" in metafunc.fixturenames:
            metafunc.parametrize("case", _params(self.cases()))
        elif "windowed_case" in metafunc.fixturenames:
            metafunc.parametrize("windowed_case", _params(tuple(each for each in self.cases() if each[1].windows)))
        elif "node_case" in metafunc.fixturenames:
            metafunc.parametrize("node_case", _params(tuple(("testing", case) for case in node_cases())))

    def test_law_08_supports_enough_to_be_held_to_anything(self, backend: ComputeBackend) -> None:
        """The set of cases is not empty, and the backend takes a fair share of it."""
        cases = self.cases()
        supported = sum(backend.supports(numbers.job_for(backend, case).task) is None for _, case in cases)
        assert supported >= self.least_supported * len(cases) > 0, (
            f"'{backend.id}' supports {supported} of {len(cases)}"
        )

    def test_law_08_equals_the_definition(self, backend: ComputeBackend, case: Case) -> None:
        """Bit for bit where EXACT_F32 is claimed; special values (9) and awkward shapes (10) are among the cases."""
        _skip_unsupported(backend, case)
        numbers.check_equals_definition(backend, case)

    def test_law_08_fast_is_within_its_bound(self, backend: ComputeBackend, node_case: Case) -> None:
        """With precision="fast" within the bound that the case states."""
        _skip_unsupported(backend, node_case)
        numbers.check_fast_is_within_its_bound(backend, node_case)

    @pytest.mark.parametrize("nodes", [(Gain(2.0, 1.0), Gain(-0.3, 7.0)), (Wobble(0.1), Wobble(0.45))], ids=str)
    def test_law_08_parameters_are_not_compiled_in(self, backend: ComputeBackend, nodes: tuple[Gain, Gain]) -> None:
        """A compiled task runs nodes that differ in parameters."""
        ctx, inputs = EvalContext(resolution=(21, 17)), (picture(17, 21, 3),)
        _skip_unsupported_task(backend, make_job(nodes[0], inputs, ctx).task)
        numbers.check_parameters_are_not_compiled_in(backend, *nodes, inputs, ctx)

    def test_law_08_context_is_not_compiled_in(self, backend: ComputeBackend) -> None:
        """A compiled task follows the time and the seed."""
        for ctx in (EvalContext(resolution=(21, 17), time_s=time_s, seed=int(time_s)) for time_s in (0.0, 2.5, 9.0)):
            numbers.check_equals_definition(backend, Case(name="Ramp", node=Ramp(), ctx=ctx))

    @pytest.mark.parametrize("limits", EMULATED_LIMITS.values(), ids=EMULATED_LIMITS)
    def test_law_10_works_within_small_limits(self, limits: DeviceLimits) -> None:
        """Larger than every limit, emulated small: every size is split, run elsewhere or refused, never wrong."""
        limited = self.open_limited(limits)
        if limited is None:
            pytest.skip(f"'{self.backend_id}' cannot be opened with lower limits; override open_limited()")
        try:
            entry = registry_of(limited).snapshot().entry(limited.id)
            fitting = [c for c in size_cases() if why_not(entry, numbers.job_for(limited, c).task) is None]
            assert fitting, f"within {limits} '{limited.id}' runs nothing"
            for case in fitting:
                numbers.check_equals_definition(limited, case)
        finally:
            limited.close()

    def test_law_11_takes_any_layout(self, backend: ComputeBackend, node_case: Case) -> None:
        """Inputs of any layout, unchanged afterwards; outputs own their memory."""
        _skip_unsupported(backend, node_case)
        numbers.check_layouts(backend, node_case)

    def test_law_11_outputs_are_values_of_their_own(self, backend: ComputeBackend, node_case: Case) -> None:
        """A run changes neither its inputs nor earlier outputs."""
        _skip_unsupported(backend, node_case)
        numbers.check_outputs_are_values_of_their_own(backend, node_case)

    def test_law_12_repeatable(self, backend: ComputeBackend, node_case: Case) -> None:
        """The same bits each time, from any number of threads."""
        _skip_unsupported(backend, node_case)
        numbers.check_repeatable(backend, node_case)

    def test_law_13_windows(self, backend: ComputeBackend, windowed_case: Case) -> None:
        """Any window equals the same part of the whole."""
        _skip_unsupported(backend, windowed_case)
        numbers.check_windows(backend, windowed_case)


def _skip_unsupported(backend: ComputeBackend, case: Case) -> None:
    _skip_unsupported_task(backend, numbers.job_for(backend, case).task)


def _skip_unsupported_task(backend: ComputeBackend, task: Task) -> None:
    why = backend.supports(task)
    if why is not None:
        pytest.skip(f"'{backend.id}' does not run it: {why}")
