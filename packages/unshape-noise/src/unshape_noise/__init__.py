"""Procedural noise: nodes, expression functions, and their definitions."""

from unshape_noise.fractal import Fractal
from unshape_noise.nodes.domain_warp import DomainWarp, DomainWarpAt
from unshape_noise.nodes.perlin import Perlin, PerlinAt
from unshape_noise.nodes.simplex import Simplex, SimplexAt
from unshape_noise.nodes.value import Value, ValueAt
from unshape_noise.nodes.white import White, WhiteAt
from unshape_noise.nodes.worley import Worley, WorleyAt
from unshape_noise.worley import CellFeature, Metric

__all__ = [
    "CellFeature",
    "DomainWarp",
    "DomainWarpAt",
    "Fractal",
    "Metric",
    "Perlin",
    "PerlinAt",
    "Simplex",
    "SimplexAt",
    "Value",
    "ValueAt",
    "White",
    "WhiteAt",
    "Worley",
    "WorleyAt",
]
