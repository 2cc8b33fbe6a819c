"""The kernels of this package for the backend "gpu": the entry point ``unshape.kernels.gpu``."""

from __future__ import annotations

from unshape_backend.kernel import KernelSpec
from unshape_noise.kernels.gpu.perlin import perlin, why_not
from unshape_noise.nodes.perlin import Perlin

KERNELS = (KernelSpec(node_type=Perlin.type_name, backend="gpu", function=perlin, accepts=why_not),)
"""Of nodes whose pixels have much in common."""
