"""The reference backend."""

from unshape_backend.cpu.backend import CpuBackend

__all__ = ["CpuBackend"]
