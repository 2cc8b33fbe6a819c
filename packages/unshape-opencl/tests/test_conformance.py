"""The suites that every backend passes, on the first OpenCL device of this machine."""

from __future__ import annotations

from unshape_testing.backend_suite import BackendSuite
from unshape_testing.graph_suite import GraphSuite
from unshape_testing.kernel_suite import KernelSuite


class TestBackend(BackendSuite):
    backend_id = "opencl"


class TestKernels(KernelSuite):
    backend_id = "opencl"


class TestGraphs(GraphSuite):
    backend_id = "opencl"
