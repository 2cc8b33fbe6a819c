"""Checks of what a filter is given, before C reads it: whatever C takes for granted is asked for here."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_core.errors import InvalidArgumentError

MAX_ROWS = 63
"""Rows of weights that ``csrc/kernels/dense.inc`` has room for."""
MAX_RADIUS_PX = 2**16 - 1
"""Reach of a mean for which ``csrc/kernels/box.inc`` has levels enough."""
MAX_ROW_FLOATS = 2**30
"""Floats of a padded row that C counts with 32 bits."""

Array = npt.NDArray[Any]


def check_dense_weights(weights: Array) -> None:
    """Raise InvalidArgumentError unless there is a middle, and no more rows than C has room for."""
    if weights.ndim != 2 or any(side % 2 == 0 for side in weights.shape) or len(weights) > MAX_ROWS:
        raise _error(f"weights[odd, odd] of at most {MAX_ROWS} rows", f"weights{list(weights.shape)}")


def check_distance_weights(weights: Array) -> None:
    """Raise InvalidArgumentError unless there is one weight for each distance from 0 on."""
    if weights.ndim != 1 or not len(weights):
        raise _error("weights[radius + 1]", f"weights{list(weights.shape)}")


def check_radius(radius_px: int) -> None:
    """Raise InvalidArgumentError unless a mean may reach so far."""
    if not 0 <= radius_px <= MAX_RADIUS_PX:
        raise _error(f"a radius in [0, {MAX_RADIUS_PX}]", str(radius_px))


def check_places(pixels: Array, columns: Array, rows: Array, *, reach_px: tuple[int, int]) -> None:
    """Raise InvalidArgumentError unless each place of a padded column and row is a pixel, or -1 for zeros."""
    _check_pixels(pixels)
    for indices, size, reach in ((columns, pixels.shape[1], reach_px[0]), (rows, pixels.shape[0], reach_px[1])):
        if indices.ndim != 1 or len(indices) < 2 * reach:
            raise _error(f"indices[at least {2 * reach}]", f"indices{list(indices.shape)}")
        _check_indices(indices, low=-1, size=size, channels=pixels.shape[2])


def check_taps(pixels: Array, columns: Array, column_weights: Array, rows: Array, row_weights: Array) -> None:
    """Raise InvalidArgumentError unless each tap is a pixel with a weight and C can keep all rows of one result."""
    _check_pixels(pixels)
    for indices, weights, size in ((columns, column_weights, pixels.shape[1]), (rows, row_weights, pixels.shape[0])):
        if indices.ndim != 2 or not len(indices):
            raise _error("indices[tap, n]", f"indices{list(indices.shape)}")
        if weights.shape != indices.shape:
            raise _error(f"weights{list(indices.shape)}, as many as indices", f"weights{list(weights.shape)}")
        _check_indices(indices, low=0, size=size, channels=pixels.shape[2])
    span = 1 + int((rows.max(axis=0) - rows.min(axis=0)).max(initial=0))
    if span > len(rows):
        raise _error(f"the taps of a row within {len(rows)} rows", f"{span} rows")


def _check_pixels(pixels: Array) -> None:
    is_float32 = pixels.dtype.kind == "f" and pixels.dtype.itemsize == 4
    if not is_float32 or pixels.ndim != 3 or not 1 <= pixels.shape[2] <= 4:
        raise _error("float32[height, width, 1 to 4 channels]", f"{pixels.dtype}{list(pixels.shape)}")


def _check_indices(indices: Array, *, low: int, size: int, channels: int) -> None:
    if not np.issubdtype(indices.dtype, np.integer):
        raise _error("indices as whole numbers", str(indices.dtype))
    if indices.shape[-1] > MAX_ROW_FLOATS // channels:
        raise _error(f"at most {MAX_ROW_FLOATS // channels} indices along an axis", str(indices.shape[-1]))
    if indices.size and not (low <= int(indices.min()) and int(indices.max()) < size):
        raise _error(f"indices in [{low}, {size})", f"{int(indices.min())} to {int(indices.max())}")


def _error(expected: str, got: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"filter: expected {expected}, got {got}")
