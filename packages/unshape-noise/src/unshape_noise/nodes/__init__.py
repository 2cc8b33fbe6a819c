"""The node types of this package; the entry point ``unshape.nodes`` names :data:`NODES`."""

from __future__ import annotations

from unshape_noise.nodes.perlin import Perlin, PerlinAt

NODES = (Perlin, PerlinAt)

__all__ = ["NODES", "Perlin", "PerlinAt"]
