"""Kernels for backends that this package does not depend on; each folder is imported by its backend only."""
