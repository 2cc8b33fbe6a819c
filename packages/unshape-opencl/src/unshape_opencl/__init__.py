"""Backend "opencl": graphs on any device that speaks OpenCL, with the bits of the definition."""

from unshape_opencl.backend import OpenClBackend
from unshape_opencl.buffer import ClArray
from unshape_opencl.discovery import open_backends
from unshape_opencl.kernel_device import KernelDevice, KernelFunction

__all__ = ["ClArray", "KernelDevice", "KernelFunction", "OpenClBackend", "open_backends"]
