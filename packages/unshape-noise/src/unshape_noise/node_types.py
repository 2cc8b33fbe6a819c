"""The node types of this package: what the entry point ``unshape.nodes`` names."""

from __future__ import annotations

from unshape_noise.nodes.domain_warp import DomainWarp, DomainWarpAt
from unshape_noise.nodes.perlin import Perlin, PerlinAt
from unshape_noise.nodes.simplex import Simplex, SimplexAt
from unshape_noise.nodes.value import Value, ValueAt
from unshape_noise.nodes.white import White, WhiteAt
from unshape_noise.nodes.worley import Worley, WorleyAt

NODES = (
    DomainWarp,
    DomainWarpAt,
    Perlin,
    PerlinAt,
    Simplex,
    SimplexAt,
    Value,
    ValueAt,
    White,
    WhiteAt,
    Worley,
    WorleyAt,
)
