"""Procedural noise: nodes, expression functions and kernels."""
