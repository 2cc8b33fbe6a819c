"""Kernels of image nodes for the backend "simd"."""
