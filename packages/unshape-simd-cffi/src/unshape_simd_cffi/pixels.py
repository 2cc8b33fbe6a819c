"""Pictures in memory as C kernels take them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_core.notes import note_copy


def with_adjacent_channels(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return native float32 pixels whose channels lie side by side and whose strides are whole floats.

    That is the array itself if it is such, else a copy, which the record of the step counts.
    """
    if array.dtype.isnative and _is_fit(array):
        return array
    copy = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    note_copy(copy.nbytes)
    return copy


def _is_fit(array: npt.NDArray[Any]) -> bool:
    row, column, channel = array.strides
    return (channel == 4 or array.shape[2] == 1) and row % 4 == 0 and column % 4 == 0 and array.flags.aligned
