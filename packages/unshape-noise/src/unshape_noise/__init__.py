"""Procedural noise: nodes, expression functions, and their definitions."""

from unshape_noise.fractal import Fractal
from unshape_noise.nodes.perlin import Perlin, PerlinAt

__all__ = ["Fractal", "Perlin", "PerlinAt"]
