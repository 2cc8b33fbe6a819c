"""Backend "gpu": expressions as WebGPU compute shaders, bit for bit as the definition.

Importing this package loads neither wgpu nor a driver; opening the backend does.
"""

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
