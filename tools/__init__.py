"""Scripts for working on unshape; run each as ``python -m tools.NAME --help``."""
