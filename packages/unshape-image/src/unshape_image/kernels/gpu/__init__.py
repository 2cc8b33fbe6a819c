"""Kernels of image nodes for the backend "gpu": what has no expression, in WGSL.

The order of the float32 operations is that of the definitions in NumPy, so the bits are the same.
"""
