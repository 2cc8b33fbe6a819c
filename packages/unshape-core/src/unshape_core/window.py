"""Rectangles of a picture, in whole pixels.

A picture is defined over its full size; a :class:`Window` says which part of it is computed or held. Kernels compute
in absolute pixel coordinates, so that any window equals the same part of the whole, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass

from unshape_core.argument_checks import whole_number
from unshape_core.errors import InvalidArgumentError

LARGEST_SIDE_PX = 2**24
"""Pixel coordinates up to here are exact in float32."""


@dataclass(frozen=True, slots=True)
class Window:
    """The half-open rectangle ``[x_px, x_px + width_px) x [y_px, y_px + height_px)``."""

    x_px: int
    y_px: int
    width_px: int
    height_px: int

    def __post_init__(self) -> None:
        if not type(self.x_px) is type(self.y_px) is type(self.width_px) is type(self.height_px) is int:
            for name in ("x_px", "y_px", "width_px", "height_px"):
                object.__setattr__(self, name, whole_number(f"window: {name}", getattr(self, name)))
        if self.width_px < 0 or self.height_px < 0:
            msg = f"window: expected a width and height of at least 0, got {self.width_px} x {self.height_px}"
            raise InvalidArgumentError(msg)

    @classmethod
    def whole(cls, *, width_px: int, height_px: int) -> Window:
        """Return the window that covers a picture of that size."""
        return cls(0, 0, width_px, height_px)

    @property
    def right_px(self) -> int:
        """First column to the right of the window."""
        return self.x_px + self.width_px

    @property
    def bottom_px(self) -> int:
        """First row below the window."""
        return self.y_px + self.height_px

    @property
    def is_empty(self) -> bool:
        """Whether the window holds no pixel."""
        return self.width_px == 0 or self.height_px == 0

    def expand(self, *, x_px: int, y_px: int) -> Window:
        """Return the window grown by a reach on each side; it may leave the picture."""
        return Window(self.x_px - x_px, self.y_px - y_px, self.width_px + 2 * x_px, self.height_px + 2 * y_px)

    def intersect(self, other: Window) -> Window:
        """Return the part that both windows cover; empty if there is none."""
        x, y = max(self.x_px, other.x_px), max(self.y_px, other.y_px)
        width = min(self.right_px, other.right_px) - x
        height = min(self.bottom_px, other.bottom_px) - y
        return Window(x, y, max(width, 0), max(height, 0))

    def union(self, other: Window) -> Window:
        """Return the smallest window that covers both."""
        if self.is_empty:
            return other
        if other.is_empty:
            return self
        x, y = min(self.x_px, other.x_px), min(self.y_px, other.y_px)
        return Window(x, y, max(self.right_px, other.right_px) - x, max(self.bottom_px, other.bottom_px) - y)

    def contains(self, other: Window) -> bool:
        """Return whether every pixel of ``other`` lies in this window."""
        return other.is_empty or self.intersect(other) == other

    def slices_in(self, holder: Window) -> tuple[slice, slice]:
        """Return the row and column slices of this window in an array that holds ``holder``."""
        top, left = self.y_px - holder.y_px, self.x_px - holder.x_px
        return slice(top, top + self.height_px), slice(left, left + self.width_px)
