"""A median filter for unshape."""

from median_filter.node import Median

__all__ = ["Median"]
