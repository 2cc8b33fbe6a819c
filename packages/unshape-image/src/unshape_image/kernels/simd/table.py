"""The kernels of this package for the backend "simd": the entry point ``unshape.kernels.simd``."""

from __future__ import annotations

from unshape_backend.kernel import KernelSpec
from unshape_image.kernels.simd.box_blur import box_blur
from unshape_image.kernels.simd.convolve import convolve
from unshape_image.kernels.simd.gaussian_blur import gaussian_blur
from unshape_image.kernels.simd.resize import resize
from unshape_image.nodes.box_blur import BoxBlur
from unshape_image.nodes.convolve import Convolve
from unshape_image.nodes.gaussian_blur import GaussianBlur
from unshape_image.nodes.resize import Resize

KERNELS = (
    KernelSpec(node_type=BoxBlur.type_name, backend="simd", function=box_blur),
    KernelSpec(node_type=Convolve.type_name, backend="simd", function=convolve),
    KernelSpec(node_type=GaussianBlur.type_name, backend="simd", function=gaussian_blur),
    KernelSpec(node_type=Resize.type_name, backend="simd", function=resize),
)
"""One for each node of neighbourhoods; crops and pads are copies, which NumPy makes as fast."""
