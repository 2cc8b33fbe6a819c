"""The kernels of this package for the backend "gpu": the entry point ``unshape.kernels.gpu``."""

from __future__ import annotations

from unshape_backend.kernel import KernelSpec
from unshape_image.kernels.gpu.box_blur import box_blur
from unshape_image.kernels.gpu.convolve import convolve
from unshape_image.kernels.gpu.copy import crop, pad
from unshape_image.kernels.gpu.gaussian_blur import gaussian_blur
from unshape_image.kernels.gpu.resize import resize
from unshape_image.nodes.box_blur import BoxBlur
from unshape_image.nodes.convolve import Convolve
from unshape_image.nodes.crop import Crop
from unshape_image.nodes.gaussian_blur import GaussianBlur
from unshape_image.nodes.pad import Pad
from unshape_image.nodes.resize import Resize

KERNELS = (
    KernelSpec(node_type=BoxBlur.type_name, backend="gpu", function=box_blur),
    KernelSpec(node_type=Convolve.type_name, backend="gpu", function=convolve),
    KernelSpec(node_type=Crop.type_name, backend="gpu", function=crop),
    KernelSpec(node_type=GaussianBlur.type_name, backend="gpu", function=gaussian_blur),
    KernelSpec(node_type=Pad.type_name, backend="gpu", function=pad),
    KernelSpec(node_type=Resize.type_name, backend="gpu", function=resize),
)
"""One for each node whose meaning is NumPy code."""
