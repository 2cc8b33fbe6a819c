"""The suites of unshape-testing on the first device that there is, with the kernels of all installed domains."""

from __future__ import annotations

from unshape_backend.discovery import find_kernels
from unshape_backend.protocols import ComputeBackend
from unshape_testing.backend_suite import BackendSuite, open_by_entry_point
from unshape_testing.graph_suite import GraphSuite
from unshape_testing.kernel_suite import KernelSuite


class TestBackend(BackendSuite):
    backend_id = "gpu"


class TestKernels(KernelSuite):
    backend_id = "gpu"

    @classmethod
    def open_backend(cls) -> ComputeBackend:
        backend = open_by_entry_point(cls.backend_id)
        for found in find_kernels("gpu"):
            for kernel in found.load():
                backend.register_kernel(kernel)
        return backend


class TestGraphs(GraphSuite):
    backend_id = "gpu"
