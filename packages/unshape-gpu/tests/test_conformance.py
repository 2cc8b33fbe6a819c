"""The suites of unshape-testing on the first device that there is, with the kernels of all installed domains."""

from __future__ import annotations

from dataclasses import fields, replace

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.kernel_library import KernelLibrary
from unshape_backend.protocols import ComputeBackend
from unshape_gpu.backend import GpuComputeBackend
from unshape_gpu.device import contexts
from unshape_testing.backend_suite import BackendSuite
from unshape_testing.graph_suite import GraphSuite
from unshape_testing.kernel_suite import KernelSuite


class TestBackend(BackendSuite):
    backend_id = "gpu"


class TestKernels(KernelSuite):
    backend_id = "gpu"

    least_supported = 0.9

    @classmethod
    def open_limited(cls, limits: DeviceLimits) -> ComputeBackend:
        known = {field.name: getattr(limits, field.name) for field in fields(limits)}
        given = {name: value for name, value in known.items() if value != getattr(DeviceLimits(), name)}
        context = contexts().open()[0]
        backend = GpuComputeBackend(context, limits=replace(context.limits, **given))
        KernelLibrary().give(backend, "gpu")
        return backend


class TestGraphs(GraphSuite):
    backend_id = "gpu"
