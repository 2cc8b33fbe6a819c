"""The suite that every backend passes: opening and closing, errors, claims, memory, processes.

A backend package subclasses it in a few lines::

    from unshape_testing.backend_suite import BackendSuite

    class TestMine(BackendSuite):
        backend_id = "mine"

The backend is found by its entry point. One without an entry point, or one with lowered limits, overrides
:meth:`BackendSuite.open_backend`. Where the backend is not available the tests are skipped with the reason, or fail if
the run requires it. :mod:`unshape_testing.kernel_suite` holds its numbers to the definition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import pytest

from unshape_backend.case import Case
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.discovery import find_backends
from unshape_backend.errors import BackendUnavailableError
from unshape_backend.identity import REFERENCE, BackendId, family
from unshape_backend.kernel_library import KernelLibrary
from unshape_backend.protocols import ComputeBackend
from unshape_testing.expectations import unknown_backend
from unshape_testing.laws import capabilities, lifecycle, memory, process, timing
from unshape_testing.laws.numbers import case_job
from unshape_testing.own_cases import node_cases
from unshape_testing.plugin import give_up
from unshape_testing.strategies import Layout


class BackendTests:
    """What the suites of one backend share: how it is opened.

    Attributes
    ----------
    backend_id : str
        Its id; the family is the name of its entry point.
    """

    backend_id: ClassVar[str]

    @classmethod
    def open_backend(cls) -> ComputeBackend:
        """Open the backend anew.

        Raises
        ------
        BackendUnavailableError
            If it cannot be opened, with reason and remedy.
        """
        return open_by_entry_point(cls.backend_id)

    @pytest.fixture(scope="class")
    @classmethod
    def backend(cls, pytestconfig: pytest.Config) -> Iterator[ComputeBackend]:
        """Open the backend once for the tests of a class."""
        try:
            backend = cls.open_backend()
        except BackendUnavailableError as error:
            give_up(pytestconfig, cls.backend_id, error.availability)
        yield backend
        backend.close()


def open_by_entry_point(backend_id: str) -> ComputeBackend:
    """Open a backend that an installed distribution declares, with the kernels that distributions bring for it.

    So a registry opens it for a user.

    Raises
    ------
    BackendUnavailableError
        If it says that it cannot be opened, or if nobody declares it.
    """
    devices = {backend.id: backend for backend in _open_family(backend_id)}
    wanted = devices.pop(BackendId(backend_id), None)
    for other in devices.values():
        other.close()
    if wanted is None:
        raise BackendUnavailableError(backend=backend_id, availability=unknown_backend(backend_id))
    KernelLibrary().give(wanted, family(wanted.id))
    return wanted


def _open_family(backend_id: str) -> Sequence[ComputeBackend]:
    if backend_id == REFERENCE:
        return [CpuBackend()]
    for found in find_backends():
        if found.name == family(BackendId(backend_id)):
            opened = found.load()()
            return opened if isinstance(opened, Sequence) else [opened]
    return []


class BackendSuite(BackendTests):
    """Laws 1 to 6, 11, 15 to 17, 19 and 22 for one backend.

    Attributes
    ----------
    opens : int
        How often it is opened to find leaks; lower it for a device that takes long to open.
    """

    opens: ClassVar[int] = 100

    def test_law_01_opens_and_runs_a_tiny_kernel(self) -> None:
        """Probing never raises anything but a reason, and available means that a kernel ran."""
        lifecycle.check_opens_and_runs(self.open_backend)

    @pytest.mark.usefixtures("backend")
    def test_law_01_opens_twice(self) -> None:
        """Two open backends do not disturb each other."""
        lifecycle.check_opens_twice(self.open_backend)

    @pytest.mark.usefixtures("backend")
    def test_law_01_is_closed_after_close(self) -> None:
        """Closing twice is no error; use after it is a typed one."""
        lifecycle.check_is_closed_after_close(self.open_backend)

    def test_law_02_refuses_foreign_values(self, backend: ComputeBackend) -> None:
        """Foreign values are refused by name."""
        lifecycle.check_refuses_foreign_values(backend)

    def test_law_02_refuses_wrong_inputs(self, backend: ComputeBackend) -> None:
        """Wrong types and sizes are refused by name."""
        lifecycle.check_refuses_wrong_inputs(backend)

    def test_law_03_does_nothing_for_zero_elements(self, backend: ComputeBackend) -> None:
        """Zero elements give zero elements and take no memory."""
        lifecycle.check_does_nothing_for_zero_elements(backend)

    def test_law_04_leaks_nothing_in_runs(self, backend: ComputeBackend) -> None:
        """100 runs leave nothing behind."""
        lifecycle.check_leaks_nothing_in_runs(backend)

    def test_law_04_leaks_nothing_in_failing_runs(self, backend: ComputeBackend) -> None:
        """100 failing runs leave nothing behind."""
        lifecycle.check_leaks_nothing_in_failing_runs(backend)

    @pytest.mark.usefixtures("backend")
    def test_law_04_leaks_nothing_when_opened_often(self) -> None:
        """Opening and closing leaves nothing behind."""
        lifecycle.check_leaks_nothing_when_opened_often(self.open_backend, runs=self.opens)

    def test_law_04_memory_follows_use(self, backend: ComputeBackend) -> None:
        """What is uploaded is accounted for until it is dropped."""
        memory.check_memory_follows_use(backend)

    @pytest.mark.parametrize("case", node_cases(), ids=lambda case: case.name)
    def test_law_05_runs_what_it_supports(self, backend: ComputeBackend, case: Case) -> None:
        """What is advertised runs; what is refused has a reason."""
        capabilities.check_runs_what_it_supports(backend, case_job(case))

    def test_law_05_refuses_a_node_without_meaning(self, backend: ComputeBackend) -> None:
        """A node without a definition is refused at planning time."""
        capabilities.check_refuses_a_node_without_meaning(backend)

    def test_law_06_exact_arithmetic(self, backend: ComputeBackend) -> None:
        """EXACT_F32 is claimed only where it is true."""
        capabilities.check_exact_arithmetic(backend)

    def test_law_06_denormals(self, backend: ComputeBackend) -> None:
        """DENORMALS is claimed only where it is true."""
        capabilities.check_denormals(backend)

    def test_law_06_float64(self, backend: ComputeBackend) -> None:
        """F64 is claimed only where it is true."""
        capabilities.check_float64(backend)

    def test_law_06_device_times(self, backend: ComputeBackend) -> None:
        """Times that the device measured are true, and told only where TIMESTAMPS is claimed."""
        timing.check_device_times(backend)

    @pytest.mark.parametrize("layout", list(Layout))
    def test_law_11_takes_any_layout(self, backend: ComputeBackend, layout: Layout) -> None:
        """Arrays of any layout go up by their elements."""
        memory.check_layout(backend, layout)

    @pytest.mark.parametrize("dtype", memory.DTYPES)
    def test_law_15_round_trip(self, backend: ComputeBackend, dtype: str) -> None:
        """Upload then download is the identity."""
        memory.check_round_trip(backend, dtype)

    def test_law_16_sharing(self, backend: ComputeBackend) -> None:
        """Equal spaces share without a copy, different ones refuse without one."""
        memory.check_sharing(backend)

    def test_law_17_upload_is_a_copy(self, backend: ComputeBackend) -> None:
        """An upload is seen by the next kernel, a changed host array is not."""
        memory.check_upload_is_a_copy(backend)

    def test_law_17_stays_within_its_buffers(self, backend: ComputeBackend) -> None:
        """Nothing beside an array is written."""
        memory.check_stays_within_its_buffers(backend)

    def test_law_19_transfer_costs(self, backend: ComputeBackend) -> None:
        """Transfers are free within a space only."""
        memory.check_transfer_costs(backend)

    def test_law_19_memory_answers(self, backend: ComputeBackend) -> None:
        """Unknown memory is None."""
        memory.check_memory_answers(backend)

    @pytest.mark.parametrize("program", process.PROGRAMS)
    @pytest.mark.usefixtures("backend")
    def test_law_22_processes(self, program: str) -> None:
        """Fork, spawn, threads and exit give right results or typed errors, in seconds."""
        process.check_program(program, self.open_backend)
