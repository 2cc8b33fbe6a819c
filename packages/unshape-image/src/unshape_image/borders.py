"""Borders: which texel stands for a coordinate outside the picture.

The coordinate is absolute, so that a border lies at the picture's edge and never at a window's. Kernels in other
languages follow :func:`border_index`; its modes are those of :class:`unshape_expr.ir.Border`.
"""

from __future__ import annotations

from typing import assert_never

import numpy as np
import numpy.typing as npt

from unshape_expr.ir import Border


def border_indices(start: int, stop: int, size: int, border: Border) -> npt.NDArray[np.intp]:
    """Return for each coordinate the texel that stands for it, along one axis.

    Parameters
    ----------
    start, stop : int
        The half-open range of coordinates; may leave the picture on both sides, by any distance.
    size : int
        Texels of the whole picture along the axis, at least 1.
    border : Border
        What lies outside.

    Returns
    -------
    intp[stop - start], in [0, size)
        With ``Border.ZERO``, -1 stands for coordinates outside.
    """
    coordinates = np.arange(start, stop, dtype=np.intp)
    match border:
        case Border.CLAMP:
            return np.clip(coordinates, 0, size - 1)
        case Border.REPEAT:
            return coordinates % size
        case Border.MIRROR:
            folded = coordinates % (2 * size)
            return np.minimum(folded, 2 * size - 1 - folded)
        case Border.ZERO:
            return np.where((coordinates >= 0) & (coordinates < size), coordinates, -1)
        case _:
            assert_never(border)


def border_range(start: int, stop: int, size: int, border: Border) -> tuple[int, int]:
    """Return the half-open range of texels that stand for a range of coordinates; empty if there are none.

    Examples
    --------
    >>> border_range(-3, 4, 100, Border.CLAMP)
    (0, 4)
    >>> border_range(-3, 4, 100, Border.REPEAT)
    (0, 100)
    """
    if stop <= start or size == 0:
        return 0, 0
    indices = border_indices(start, stop, size, border)
    inside = indices[indices >= 0]
    return (int(inside.min()), int(inside.max()) + 1) if inside.size else (0, 0)
