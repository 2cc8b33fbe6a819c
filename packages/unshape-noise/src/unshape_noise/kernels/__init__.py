"""Kernels of noise nodes for backends that this package does not depend on, a folder for each."""
