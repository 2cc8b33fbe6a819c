"""A maximum filter for unshape."""

from maximum_filter.node import Maximum

__all__ = ["Maximum"]
