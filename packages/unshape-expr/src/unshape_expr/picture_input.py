"""A picture as kernels read it: the array at hand, and where in the whole picture it lies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_core.errors import InvalidArgumentError
from unshape_core.notes import note_copy
from unshape_core.window import Window

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class PictureInput:
    """A picture, or a window of one.

    Parameters
    ----------
    array : float32[height_px, width_px, channel]
        The pixels of ``window``; any strides, may be read-only. Another byte order is converted,
        which the record of the step counts.
    window : Window
        Which part of the whole picture the array covers.
    width_px, height_px : int
        Size of the whole picture, in which coordinates and borders are meant.
    """

    array: Array
    window: Window
    width_px: int
    height_px: int

    def __post_init__(self) -> None:
        array = self.array
        if array.ndim != 3 or array.dtype.kind != "f" or array.dtype.itemsize != 4 or not 1 <= array.shape[2] <= 4:
            msg = (
                f"picture: expected float32[height, width, 1 to 4 channels], got {array.dtype}{list(array.shape)}; "
                f'use .astype("float32") and .reshape(height, width, channels)'
            )
            raise InvalidArgumentError(msg)
        if array.shape[:2] != (self.window.height_px, self.window.width_px):
            msg = (
                f"picture: expected an array of the window's {self.window.width_px} x {self.window.height_px} pixels, "
                f"got {array.shape[1]} x {array.shape[0]}"
            )
            raise InvalidArgumentError(msg)
        if not array.dtype.isnative:
            object.__setattr__(self, "array", array.astype(np.float32))
            note_copy(array.nbytes)

    @classmethod
    def whole(cls, array: Array) -> PictureInput:
        """Return an array as a whole picture."""
        height, width = array.shape[:2]
        return cls(array, Window.whole(width_px=width, height_px=height), width, height)

    @property
    def channels(self) -> int:
        """Number of channels."""
        return int(self.array.shape[2])

    @cached_property
    def contiguous(self) -> Array:
        """The pixels in C order, copied if they are not."""
        return np.ascontiguousarray(self.array)

    @cached_property
    def rows(self) -> Array | None:
        """The pixels as ``float32[height_px, width_px * channel]``, None where that would need a copy."""
        height, width, channels = self.array.shape
        row, column, channel = self.array.strides
        if channel == 4 and column == 4 * channels:
            return np.lib.stride_tricks.as_strided(self.array, (height, width * channels), (row, 4), writeable=False)
        return None
