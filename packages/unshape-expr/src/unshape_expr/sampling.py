"""Reading pictures at positions, in NumPy: the definition of ``SAMPLE`` and ``FETCH``.

With ``W`` the width of the whole picture in pixels, and likewise in y, all in float32:

- nearest: column ``to_i32(floor(u*W))``;
- bilinear: ``x = u*W - 0.5``, bounded by the border as below; columns ``i = to_i32(floor(x))`` and ``i + 1``, weight
  ``t = x - floor(x)``. The two texels above each other are mixed first, by the weight in y, then the two results by the
  weight in x: ``lerp(tx, lerp(ty, p00, p01), lerp(ty, p10, p11))`` with ``lerp(t, a, b) = a + t*(b - a)`` and ``p_xy``.
  In this order a pixel of four channels costs two loads of two neighbours and two operations on whole registers.

A column ``i`` outside of the picture is, by the border,

- CLAMP: the nearest one (bilinear: ``x`` is bounded by ``[0, W - 1]`` before anything else);
- REPEAT: ``i mod W``, floored;
- MIRROR: ``m = i mod 2W``, then ``m`` or ``2W - 1 - m``;
- ZERO: zero in every channel (bilinear: ``x`` is bounded by ``[-1, W]`` first).

``to_i32`` saturates and is 0 for NaN, so every float32 is a valid position: NaN reads column 0 when nearest and gives
NaN when bilinear; an infinite position gives NaN when bilinear and repeated or mirrored. An empty picture is zero
everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_expr.ir import Border, Fetching, Filter, Sampling
from unshape_expr.picture_input import PictureInput

Array = npt.NDArray[Any]

_ITEMS: dict[int, np.dtype[Any]] = {1: np.dtype(np.float32), 2: np.dtype(np.complex64), 4: np.dtype(np.complex128)}


class Axis:
    """Positions along one axis: indices into the array at hand, and which of them lie in the picture."""

    __slots__ = ("index", "is_inside")

    def __init__(self, index: Array, is_inside: Array | None) -> None:
        self.index = index
        self.is_inside = is_inside


def to_i32(x: Array) -> Array:
    """Return float32 numbers toward zero, at most the limits of i32, 0 of NaN."""
    if x.size and x.min() >= -(2.0**31) and x.max() < 2.0**31:
        return x.astype(np.int32)
    wide = np.where(np.isnan(x), np.float32(0.0), x).astype(np.float64)
    return np.clip(wide, -(2**31), 2**31 - 1).astype(np.int32)


def place(index: Array, border: Border, *, size: int, start: int, held: int) -> Axis:
    """Return where i32 picture coordinates are found in an array that holds ``[start, start + held)`` of the axis."""
    is_inside = None
    inside = index.size == 0 or (index.min() >= 0 and index.max() < size)
    if not inside:
        match border:
            case Border.CLAMP:
                index = np.clip(index, 0, size - 1)
            case Border.REPEAT:
                index = np.remainder(index, size)
            case Border.MIRROR:
                index = np.remainder(index.astype(np.int64), 2 * size)
                index = np.minimum(index, 2 * size - 1 - index)
            case Border.ZERO:
                is_inside = (index >= 0) & (index < size)
                index = np.clip(index, 0, size - 1)
    if start or held < size:
        index = np.clip(index.astype(np.int64) - start, 0, held - 1)
    return Axis(index.astype(np.intp, copy=False), is_inside)


def _bilinear(u: Array, border: Border, *, size: int, start: int, held: int) -> tuple[Axis, Axis, Array]:
    x = u * np.float32(size) - np.float32(0.5)
    if border is Border.CLAMP:
        x = np.clip(x, np.float32(0.0), np.float32(size - 1))
    elif border is Border.ZERO:
        x = np.clip(x, np.float32(-1.0), np.float32(size))
    base = np.floor(x)
    index = to_i32(base)
    after = index + np.int32(1)
    first = place(index, border, size=size, start=start, held=held)
    return first, place(after, border, size=size, start=start, held=held), x - base


def sample(picture: PictureInput, sampling: Sampling, u: Array, v: Array) -> Array:
    """Return a picture at positions.

    Parameters
    ----------
    picture : PictureInput
        What is read.
    sampling : Sampling
        Filter and border.
    u, v : float32 arrays that broadcast against each other, of two dimensions
        Positions in [0, 1] from the upper left corner of the whole picture.

    Returns
    -------
    float32[height, width, channel]
        Of the broadcast shape of the positions.
    """
    shape = np.broadcast_shapes(u.shape, v.shape)
    if picture.width_px == 0 or picture.height_px == 0 or picture.array.size == 0:
        return np.zeros((*shape, picture.channels), np.float32)
    window = picture.window
    along_x = {"size": picture.width_px, "start": window.x_px, "held": window.width_px}
    along_y = {"size": picture.height_px, "start": window.y_px, "held": window.height_px}
    border = sampling.border
    if sampling.filter is Filter.NEAREST:
        x = place(to_i32(np.floor(u * np.float32(picture.width_px))), border, **along_x)
        y = place(to_i32(np.floor(v * np.float32(picture.height_px))), border, **along_y)
        return _gather(picture, x, y, shape)
    left, right, tx = _bilinear(u, border, **along_x)
    above, below, ty = _bilinear(v, border, **along_y)
    ty_wide = _spread(ty, picture.channels)
    first = _lerp(ty_wide, _gather(picture, left, above, shape), _gather(picture, left, below, shape))
    second = _lerp(ty_wide, _gather(picture, right, above, shape), _gather(picture, right, below, shape))
    return _lerp(_spread(tx, picture.channels), first, second)


def fetch(picture: PictureInput, fetching: Fetching, x: Array, y: Array) -> Array:
    """Return texels at i32 coordinates of the whole picture, as :func:`sample` does."""
    shape = np.broadcast_shapes(x.shape, y.shape)
    if picture.array.size == 0:
        return np.zeros((*shape, picture.channels), np.float32)
    window = picture.window
    column = place(x, fetching.border, size=picture.width_px, start=window.x_px, held=window.width_px)
    row = place(y, fetching.border, size=picture.height_px, start=window.y_px, held=window.height_px)
    return _gather(picture, column, row, shape)


def _lerp(t: Array, a: Array, b: Array) -> Array:
    """Return ``a + t*(b - a)``; ``b`` is overwritten."""
    np.subtract(b, a, out=b)
    np.multiply(t, b, out=b)
    return np.add(a, b, out=b)


def _spread(t: Array, channels: int) -> Array:
    """Return one weight for each channel, in the memory order of texels."""
    if channels == 1 or t.shape[1] == 1:
        return t[..., None]
    wide = np.empty((t.shape[0], t.shape[1], channels), np.float32)
    for k in range(channels):
        wide[..., k] = t
    return wide


def _gather(picture: PictureInput, x: Axis, y: Axis, shape: tuple[int, ...]) -> Array:
    pixels = picture.contiguous
    height, width, channels = pixels.shape
    index = y.index * width + x.index
    texels = np.empty((*shape, channels), np.float32)
    if index.shape != shape:
        index = np.broadcast_to(index, shape)
    item = _ITEMS.get(channels)
    if item is not None:
        flat = pixels.reshape(height, width * channels).view(item).reshape(-1)
        np.take(flat, index, out=texels.reshape(shape[0], shape[1] * channels).view(item), mode="clip")
    else:
        flat = pixels.reshape(-1)
        start = index * channels
        for k in range(channels):
            texels[..., k] = np.take(flat, start + k if k else start, mode="clip")
    for axis in (x, y):
        if axis.is_inside is not None:
            texels[np.broadcast_to(~axis.is_inside, shape)] = 0.0
    return texels
