"""The suites of a backend pass on the reference and on the loopback."""

from __future__ import annotations

from unshape_testing.backend_suite import BackendSuite
from unshape_testing.kernel_suite import KernelSuite


class TestCpu(BackendSuite):
    backend_id = "cpu"


class TestCpuKernels(KernelSuite):
    backend_id = "cpu"


class TestLoopback(BackendSuite):
    backend_id = "loopback"


class TestLoopbackKernels(KernelSuite):
    backend_id = "loopback"
