"""Dense convolution in NumPy."""

from __future__ import annotations

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.window import Window
from unshape_expr.ir import Border
from unshape_image.held_picture import F32Array, HeldPicture, PaddedRows

_TILE_FLOATS = 32 * 1024
_STRIP_FLOATS = 4096


def convolve(source: HeldPicture, kernel: F32Array, *, output: Window, border: Border, ctx: EvalContext) -> F32Array:
    """Return the weighted sums over the neighbourhoods of a window's pixels.

    The order: the product of the upper left tap, then the other products added one by one, row by row from left to
    right. Taps of weight zero take part like all others (infinity times zero is NaN).

    Parameters
    ----------
    source : HeldPicture
        Covers what the window needs.
    kernel : float32[odd, odd]
        ``kernel[0, 0]`` weighs the upper left neighbour (no mirroring).
    output : Window
        What to compute.
    border : Border
        What lies outside the whole picture.
    ctx : EvalContext
        Asked for cancellation.

    Returns
    -------
    float32[output.height_px, output.width_px, channel]
    """
    channels = source.pixels.shape[2]
    result = np.empty((output.height_px, output.width_px, channels), np.float32)
    if result.size == 0:
        return result
    flat = result.reshape(output.height_px, -1)
    kernel_height, kernel_width = kernel.shape
    rows = PaddedRows.around(source, output, reach_px=(kernel_width // 2, kernel_height // 2), border=border)
    strip = min(_STRIP_FLOATS, flat.shape[1])
    tile_rows = min(output.height_px, max(1, _TILE_FLOATS // strip))
    padded = np.empty((tile_rows + kernel_height - 1, rows.row_floats), np.float32)
    scratch = np.empty(tile_rows * strip, np.float32)
    with np.errstate(all="ignore"):
        for top in range(0, output.height_px, tile_rows):
            stop = min(top + tile_rows, output.height_px)
            rows.load(top, stop + kernel_height - 1, padded[: stop - top + kernel_height - 1])
            for left in range(0, flat.shape[1], strip):
                ctx.raise_if_cancelled()
                tile = flat[top:stop, left : left + strip]
                _sum_products(padded[:, left:], kernel, tile, scratch[: tile.size].reshape(tile.shape), step=channels)
    return result


def _sum_products(source: F32Array, kernel: F32Array, out: F32Array, product: F32Array, *, step: int) -> None:
    height, width = out.shape
    target = out
    for row, weights in enumerate(kernel):
        lines = source[row : row + height]
        for column, weight in enumerate(weights):
            np.multiply(lines[:, column * step : column * step + width], weight, target)
            if target is product:
                np.add(out, product, out)
            target = product
