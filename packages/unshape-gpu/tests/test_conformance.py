"""The suites of unshape-testing on the first device that there is."""

from __future__ import annotations

from unshape_testing.backend_suite import BackendSuite
from unshape_testing.kernel_suite import KernelSuite


class TestBackend(BackendSuite):
    backend_id = "gpu"


class TestKernels(KernelSuite):
    backend_id = "gpu"
