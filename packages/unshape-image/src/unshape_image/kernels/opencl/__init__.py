"""Kernels of image nodes for the backend "opencl": what has no expression, in OpenCL C.

The order of the float32 operations is that of the definitions in NumPy, so the bits are the same.
"""
