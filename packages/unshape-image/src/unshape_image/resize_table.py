"""Tables for resizing: which texels an output pixel is made of, and how much each weighs.

Pixel centres correspond: output pixel i lies at ``(i + 0.5)*input/output - 0.5`` of the input. Positions are exact
(computed in integers); weights are computed in float64 and rounded to float32 once. Backends share these tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

import numpy as np
import numpy.typing as npt

from unshape_image.held_picture import F32Array, Indices

CUBIC_A = -0.5
"""Keys' parameter; -0.5 (Catmull-Rom) reproduces quadratic functions. OpenCV uses -0.75."""

_F64Array = npt.NDArray[np.float64]


class ResizeMethod(StrEnum):
    """How a picture is brought to another size."""

    NEAREST = "nearest"  # the texel that holds the centre of the output pixel
    BILINEAR = "bilinear"  # between the two nearest texels along each axis
    BICUBIC = "bicubic"  # Keys' cubic convolution with a = -0.5, four texels along each axis; may overshoot
    AREA = "area"  # the mean over what the output pixel covers; for reducing


@dataclass(frozen=True, slots=True)
class ResizeTable:
    """The taps of every output pixel along one axis.

    Taps come in increasing order of texels. Where an output pixel has fewer than others, its last texel is repeated
    with weight 0.

    Parameters
    ----------
    indices : intp[tap, output_px]
        Texels, each within the picture: beyond its edge the edge texel stands.
    weights : float32[tap, output_px]
        Their weights.
    """

    indices: Indices
    weights: F32Array

    def part(self, start: int, stop: int) -> ResizeTable:
        """Return the table of the output pixels in a half-open range."""
        return ResizeTable(self.indices[:, start:stop], self.weights[:, start:stop])

    @property
    def texels(self) -> tuple[int, int]:
        """Half-open range of the texels that take part; empty if there is no output pixel."""
        return (int(self.indices.min()), int(self.indices.max()) + 1) if self.indices.size else (0, 0)


def resize_table(method: ResizeMethod, *, input_px: int, output_px: int) -> ResizeTable:
    """Return the table for one axis.

    Parameters
    ----------
    method : ResizeMethod
        How to resize.
    input_px, output_px : int, at least 1
        Sizes of the whole picture before and after.

    Examples
    --------
    >>> table = resize_table(ResizeMethod.BILINEAR, input_px=2, output_px=4)
    >>> table.indices.tolist()
    [[0, 0, 0, 1], [0, 1, 1, 1]]
    >>> table.weights.tolist()
    [[0.25, 0.75, 0.25, 0.75], [0.75, 0.25, 0.75, 0.25]]
    """
    output = np.arange(output_px, dtype=np.int64)
    if input_px == output_px:
        return ResizeTable(output.astype(np.intp)[None], np.ones((1, output_px), np.float32))
    match method:
        case ResizeMethod.NEAREST:
            nearest = (2 * output + 1) * input_px // (2 * output_px)
            return ResizeTable(nearest.astype(np.intp)[None], np.ones((1, output_px), np.float32))
        case ResizeMethod.BILINEAR:
            base, fraction = _position(output, input_px, output_px)
            return _compact(base + np.arange(2)[:, None], np.stack([1.0 - fraction, fraction]), input_px)
        case ResizeMethod.BICUBIC:
            base, fraction = _position(output, input_px, output_px)
            return _compact(base - 1 + np.arange(4)[:, None], _cubic(fraction), input_px)
        case ResizeMethod.AREA:
            return _compact(*_coverage(output, input_px, output_px), input_px)
        case _:
            assert_never(method)


def texel_range(method: ResizeMethod, *, input_px: int, output_px: int, start: int, stop: int) -> tuple[int, int]:
    """Return a half-open range of texels that holds all that some output pixels are made of.

    Needs no table, so that the size of a result can be judged before anything of that size is made.

    Parameters
    ----------
    method : ResizeMethod
        How to resize.
    input_px, output_px : int, at least 1
        Sizes of the whole picture before and after.
    start, stop : int
        The output pixels, a half-open range that is not empty.

    Examples
    --------
    >>> texel_range(ResizeMethod.BILINEAR, input_px=2, output_px=4, start=1, stop=2)
    (0, 2)
    """
    if input_px == output_px:
        return start, stop
    first, last = start, stop - 1
    match method:
        case ResizeMethod.NEAREST:
            low, high = (2 * first + 1) * input_px // (2 * output_px), (2 * last + 1) * input_px // (2 * output_px)
        case ResizeMethod.BILINEAR | ResizeMethod.BICUBIC:
            before, after = (0, 1) if method is ResizeMethod.BILINEAR else (1, 2)
            low = ((2 * first + 1) * input_px - output_px) // (2 * output_px) - before
            high = ((2 * last + 1) * input_px - output_px) // (2 * output_px) + after
        case ResizeMethod.AREA:
            low, high = first * input_px // output_px, -(-stop * input_px // output_px) - 1
        case _:
            assert_never(method)
    return min(max(low, 0), input_px - 1), min(max(high, 0), input_px - 1) + 1


def tap_count(method: ResizeMethod, *, input_px: int, output_px: int) -> int:
    """Return about how many texels an output pixel is made of along one axis; needs no table.

    Parameters
    ----------
    method : ResizeMethod
        How to resize.
    input_px, output_px : int, at least 1
        Sizes of the whole picture before and after.

    Examples
    --------
    >>> tap_count(ResizeMethod.AREA, input_px=90, output_px=30)
    3
    """
    if input_px == output_px:
        return 1
    match method:
        case ResizeMethod.NEAREST:
            return 1
        case ResizeMethod.BILINEAR:
            return min(2, input_px)
        case ResizeMethod.BICUBIC:
            return min(4, input_px)
        case ResizeMethod.AREA:
            return -(-input_px // output_px)
        case _:
            assert_never(method)


def _position(output: npt.NDArray[np.int64], input_px: int, output_px: int) -> tuple[npt.NDArray[np.int64], _F64Array]:
    """Return the texel at or to the left of each output pixel's centre, and the distance from it in [0, 1)."""
    base, rest = np.divmod((2 * output + 1) * input_px - output_px, 2 * output_px)
    return base, rest / (2.0 * output_px)


def _cubic(t: _F64Array) -> _F64Array:
    def near(d: _F64Array) -> _F64Array:
        return ((CUBIC_A + 2.0) * d - (CUBIC_A + 3.0)) * d * d + 1.0

    def far(d: _F64Array) -> _F64Array:
        return ((CUBIC_A * d - 5.0 * CUBIC_A) * d + 8.0 * CUBIC_A) * d - 4.0 * CUBIC_A

    return np.stack([far(1.0 + t), near(t), near(1.0 - t), far(2.0 - t)])


def _coverage(output: npt.NDArray[np.int64], input_px: int, output_px: int) -> tuple[npt.NDArray[np.int64], _F64Array]:
    """Return the texels that each output pixel covers, and which share of the output pixel each one fills."""
    start, stop = output * input_px, (output + 1) * input_px
    texel = start // output_px + np.arange(-(-input_px // output_px) + 1)[:, None]
    covered = np.minimum(stop, (texel + 1) * output_px) - np.maximum(start, texel * output_px)
    return texel, np.maximum(covered, 0) / float(input_px)


def _compact(texels: npt.NDArray[np.int64], weights: _F64Array, input_px: int) -> ResizeTable:
    """Return the table without taps of weight zero: moved to the end, and cut off where no output pixel needs them."""
    indices = np.clip(texels, 0, input_px - 1)
    rounded = weights.astype(np.float32)
    order = np.argsort(rounded == 0.0, axis=0, kind="stable")
    indices, rounded = np.take_along_axis(indices, order, 0), np.take_along_axis(rounded, order, 0)
    used = np.count_nonzero(rounded, axis=0)
    last = np.take_along_axis(indices, np.maximum(used - 1, 0)[None], 0)
    taps = int(used.max())
    indices = np.where(np.arange(len(indices))[:, None] < used, indices, last)[:taps]
    return ResizeTable(np.ascontiguousarray(indices, np.intp), np.ascontiguousarray(rounded[:taps]))
