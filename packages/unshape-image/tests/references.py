"""Outside references: scipy's borders, and filters written once more, one float32 operation at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_image import Border

Array = npt.NDArray[Any]

SCIPY_MODES = {Border.CLAMP: "nearest", Border.REPEAT: "wrap", Border.MIRROR: "reflect", Border.ZERO: "constant"}
"""What scipy.ndimage calls our borders."""
NUMPY_MODES = {Border.CLAMP: "edge", Border.REPEAT: "wrap", Border.MIRROR: "symmetric", Border.ZERO: "constant"}
"""What numpy.pad calls them."""

Filter = Callable[[list[np.float32]], np.float32]


def padded(picture: Array, reach: int, border: Border) -> Array:
    """Return a picture with a border, by numpy.pad."""
    widths = ((reach, reach), (reach, reach), (0, 0))
    return np.pad(picture, widths, mode=NUMPY_MODES[border])  # type: ignore[call-overload,no-any-return]


def separable(picture: Array, radius: int, filter_row: Filter, border: Border) -> Array:
    """Apply a filter of ``2*radius + 1`` neighbours along rows, then along columns, pixel by pixel."""
    height, width, channels = picture.shape
    source = padded(picture, radius, border)
    across = np.empty((height + 2 * radius, width, channels), np.float32)
    for y, x, c in np.ndindex(across.shape):
        across[y, x, c] = filter_row(list(source[y, x : x + 2 * radius + 1, c]))
    result = np.empty_like(picture)
    for y, x, c in np.ndindex(result.shape):
        result[y, x, c] = filter_row(list(across[y : y + 2 * radius + 1, x, c]))
    return result


def symmetric_sum(weights: Array) -> Filter:
    """Return the weighted sum from the centre outward, pairs added first."""

    def apply(x: list[np.float32]) -> np.float32:
        centre = len(x) // 2
        total = weights[0] * x[centre]
        for d in range(1, centre + 1):
            total = total + weights[d] * (x[centre - d] + x[centre + d])
        return np.float32(total)

    return apply


def box_mean(x: list[np.float32]) -> np.float32:
    """Return the mean of neighbours: blocks by the binary digits of their number, each block a balanced tree."""

    def tree(values: list[np.float32]) -> np.float32:
        half = len(values) // 2
        return values[0] if half == 0 else np.float32(tree(values[:half]) + tree(values[half:]))

    sizes = [1 << k for k in range(len(x).bit_length()) if len(x) >> k & 1]
    total, start = tree(x[: sizes[0]]), sizes[0]
    for size in sizes[1:]:
        total = np.float32(total + tree(x[start : start + size]))
        start += size
    return np.float32(total * np.float32(1.0 / len(x)))


def convolved(picture: Array, kernel: Array, border: Border) -> Array:
    """Apply a kernel row by row, tap by tap."""
    height, width = kernel.shape
    reach = max(height, width) // 2
    source = padded(picture, reach, border)
    top, left = reach - height // 2, reach - width // 2
    result = np.empty_like(picture)
    for y, x, c in np.ndindex(result.shape):
        total: np.float32 | None = None
        for j, i in np.ndindex(kernel.shape):
            product = kernel[j, i] * source[top + y + j, left + x + i, c]
            total = product if total is None else total + product
        assert total is not None
        result[y, x, c] = total
    return result


def hdr_patch(channels: int = 4) -> Array:
    """Return 17 x 33 pixels of 0, 1 and 1000."""
    rng = np.random.default_rng(17)
    return rng.choice(np.array([0.0, 1.0, 1000.0], np.float32), (33, 17, channels))


def layouts(picture: Array) -> dict[str, Array]:
    """Return arrays of other memory layouts that hold the same numbers, by name."""
    wide = np.repeat(np.repeat(picture, 2, 0), 3, 1)
    read_only = picture.copy()
    read_only.flags.writeable = False
    return {
        "strided": wide[::2, 1::3],
        "transposed": np.ascontiguousarray(picture.transpose(1, 0, 2)).transpose(1, 0, 2),
        "reversed": np.ascontiguousarray(picture[::-1, ::-1])[::-1, ::-1],
        "fortran": np.asfortranarray(picture),
        "big-endian": picture.astype(">f4"),
        "read-only": read_only,
    }
