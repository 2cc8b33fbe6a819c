"""Pictures in memory as C kernels take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def with_adjacent_channels(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return native float32 pixels whose channels lie side by side and whose strides are whole floats.

    That is the array itself if it is such, else a copy.
    """
    if not array.dtype.isnative:
        return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    row, column, channel = array.strides
    is_fit = (channel == 4 or array.shape[2] == 1) and row % 4 == 0 and column % 4 == 0 and array.flags.aligned
    return array if is_fit else np.ascontiguousarray(array)
