"""Backend "gpu": expressions as WebGPU compute shaders, bit for bit as the definition.

Names are loaded when they are first used: importing this package loads neither wgpu nor a driver.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unshape_backend.nodes.transfer import TransferToCpu, TransferToGpu
    from unshape_gpu.backend import GpuComputeBackend, open_backend
    from unshape_gpu.buffer import GpuBuffer
    from unshape_gpu.device import GpuContext
    from unshape_gpu.future import GpuFuture
    from unshape_gpu.kernel import GpuKernel, KernelCall
    from unshape_gpu.pool import GpuMemoryPool, PoolStatistics
    from unshape_gpu.texture import GpuTexture, TextureFormat, from_texture, to_texture
    from unshape_gpu.timing import KernelTime
    from unshape_gpu.warming import warm_up

_HOMES = {
    "unshape_backend.nodes.transfer": ("TransferToCpu", "TransferToGpu"),
    "unshape_gpu.backend": ("GpuComputeBackend", "open_backend"),
    "unshape_gpu.buffer": ("GpuBuffer",),
    "unshape_gpu.device": ("GpuContext",),
    "unshape_gpu.future": ("GpuFuture",),
    "unshape_gpu.kernel": ("GpuKernel", "KernelCall"),
    "unshape_gpu.pool": ("GpuMemoryPool", "PoolStatistics"),
    "unshape_gpu.texture": ("GpuTexture", "TextureFormat", "from_texture", "to_texture"),
    "unshape_gpu.timing": ("KernelTime",),
    "unshape_gpu.warming": ("warm_up",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "GpuBuffer",
    "GpuComputeBackend",
    "GpuContext",
    "GpuFuture",
    "GpuKernel",
    "GpuMemoryPool",
    "GpuTexture",
    "KernelCall",
    "KernelTime",
    "PoolStatistics",
    "TextureFormat",
    "TransferToCpu",
    "TransferToGpu",
    "from_texture",
    "open_backend",
    "to_texture",
    "warm_up",
]


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        msg = f"module 'unshape_gpu' has no attribute {name!r}"
        raise AttributeError(msg)
    value: object = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
