"""The suites of a backend pass on the reference, on the loopback, on the stub and on the fake."""

from __future__ import annotations

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.protocols import ComputeBackend
from unshape_testing.backend_suite import BackendSuite
from unshape_testing.fake import FakeBackend
from unshape_testing.kernel_suite import CaseTable, KernelSuite, own_table
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.stub import StubBackend, open_backend


class TestCpu(BackendSuite):
    backend_id = "cpu"


class TestCpuKernels(KernelSuite):
    backend_id = "cpu"

    @classmethod
    def cases(cls) -> CaseTable:
        return own_table()


class TestLoopback(BackendSuite):
    backend_id = "loopback"


class TestLoopbackKernels(KernelSuite):
    backend_id = "loopback"

    @classmethod
    def open_limited(cls, limits: DeviceLimits) -> ComputeBackend:
        return LoopbackBackend(limits=limits)

    @classmethod
    def cases(cls) -> CaseTable:
        return own_table()


class TestStub(BackendSuite):
    backend_id = "stub"

    @classmethod
    def open_backend(cls) -> StubBackend:
        return open_backend()


class TestStubKernels(KernelSuite):
    backend_id = "stub"

    @classmethod
    def open_backend(cls) -> StubBackend:
        return open_backend()

    @classmethod
    def cases(cls) -> CaseTable:
        return tuple(each for each in own_table() if not each[1].name.startswith("expression/"))


class TestFake(BackendSuite):
    backend_id = "fake"

    @classmethod
    def open_backend(cls) -> ComputeBackend:
        return FakeBackend()
