"""The suites that every backend passes, on the first OpenCL device of this machine.

Once as the device is, and once with the code and the transfers of GPUs, so that these are tested where there is none.
"""

from __future__ import annotations

from dataclasses import fields, replace

from unshape_backend.capabilities import DeviceLimits
from unshape_backend.kernel_library import KernelLibrary
from unshape_backend.protocols import ComputeBackend
from unshape_opencl.discovery import list_devices, open_device
from unshape_testing.backend_suite import BackendSuite
from unshape_testing.graph_suite import GraphSuite
from unshape_testing.kernel_suite import KernelSuite


def open_as_gpu() -> ComputeBackend:
    """Open the first device as if it were a GPU, with the kernels of the installed domains."""
    backend = open_device(list_devices()[0], as_gpu=True)
    KernelLibrary().give(backend, "opencl")
    return backend


def open_limited(limits: DeviceLimits, *, as_gpu: bool) -> ComputeBackend:
    """Open the first device as if it had those limits where they are given."""
    known = {field.name: getattr(limits, field.name) for field in fields(limits)}
    given = {name: value for name, value in known.items() if value != getattr(DeviceLimits(), name)}
    backend = open_device(list_devices()[0], as_gpu=as_gpu, lower=lambda found: replace(found, **given))
    KernelLibrary().give(backend, "opencl")
    return backend


class TestBackend(BackendSuite):
    backend_id = "opencl"


class TestBackendAsGpu(BackendSuite):
    backend_id = "opencl"
    opens = 20

    @classmethod
    def open_backend(cls) -> ComputeBackend:
        return open_as_gpu()


class TestKernels(KernelSuite):
    backend_id = "opencl"
    least_supported = 0.9

    @classmethod
    def open_limited(cls, limits: DeviceLimits) -> ComputeBackend:
        return open_limited(limits, as_gpu=False)


class TestKernelsAsGpu(KernelSuite):
    backend_id = "opencl"
    least_supported = 0.9

    @classmethod
    def open_limited(cls, limits: DeviceLimits) -> ComputeBackend:
        return open_limited(limits, as_gpu=True)

    @classmethod
    def open_backend(cls) -> ComputeBackend:
        return open_as_gpu()


class TestGraphs(GraphSuite):
    backend_id = "opencl"
