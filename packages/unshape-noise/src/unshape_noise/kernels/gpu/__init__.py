"""Kernels of noise nodes for the backend "gpu": the expressions again, in WGSL that shares work between pixels."""
