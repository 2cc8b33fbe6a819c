"""Resizing in NumPy: a horizontal pass, a float32 intermediate, a vertical pass.

The order in each pass: the product of the first tap, then the other products added one by one as the table lists them.
"""

from __future__ import annotations

import numpy as np

from unshape_core.context import EvalContext
from unshape_core.window import Window
from unshape_image.held_picture import F32Array, HeldPicture, Indices
from unshape_image.resize_table import ResizeTable

_TILE_FLOATS = 32 * 1024
_BAND_FLOATS = 256 * 1024


def resize(
    source: HeldPicture, columns: ResizeTable, rows: ResizeTable, *, output: Window, ctx: EvalContext
) -> F32Array:
    """Return the pixels of a window of the resized picture.

    Parameters
    ----------
    source : HeldPicture
        Covers what the window needs.
    columns, rows : ResizeTable
        Of the whole picture.
    output : Window
        What to compute.
    ctx : EvalContext
        Asked for cancellation.

    Returns
    -------
    float32[output.height_px, output.width_px, channel]
    """
    result = np.empty((output.height_px, output.width_px, source.pixels.shape[2]), np.float32)
    if result.size == 0:
        return result
    across = columns.part(output.x_px, output.right_px)
    down = rows.part(output.y_px, output.bottom_px)
    band_rows = max(1, _BAND_FLOATS // result[0].size)
    with np.errstate(all="ignore"):
        for top in range(0, output.height_px, band_rows):
            part = down.part(top, top + band_rows)
            first, stop = part.texels
            block = source.pixels[first - source.window.y_px : stop - source.window.y_px]
            band = _across(block, across, source.window.x_px, ctx)
            _down(band, ResizeTable(part.indices - first, part.weights), result[top : top + band_rows], ctx)
    return result


def _across(block: F32Array, table: ResizeTable, left_px: int, ctx: EvalContext) -> F32Array:
    height, _, channels = block.shape
    width = table.indices.shape[1]
    out = np.empty((height, width, channels), np.float32)
    weights = np.repeat(table.weights[:, None, :, None], channels, axis=3)
    tile_rows = min(height, max(1, _TILE_FLOATS // (width * channels)))
    product = np.empty((tile_rows, width, channels), np.float32)
    for top in range(0, height, tile_rows):
        ctx.raise_if_cancelled()
        lines, tile = block[top : top + tile_rows], out[top : top + tile_rows]
        _accumulate(lines, table.indices - left_px, weights, tile, product[: len(lines)], axis=1)
    return out


def _down(band: F32Array, table: ResizeTable, out: F32Array, ctx: EvalContext) -> None:
    weights = table.weights[:, :, None, None]
    tile_rows = min(len(out), max(1, _TILE_FLOATS // out[0].size))
    product = np.empty((tile_rows, *out.shape[1:]), np.float32)
    for top in range(0, len(out), tile_rows):
        ctx.raise_if_cancelled()
        tile = out[top : top + tile_rows]
        rows = slice(top, top + tile_rows)
        _accumulate(band, table.indices[:, rows], weights[:, rows], tile, product[: len(tile)], axis=0)


def _accumulate(
    source: F32Array, indices: Indices, weights: F32Array, out: F32Array, product: F32Array, *, axis: int
) -> None:
    if len(indices) == 1 and bool(np.all(weights == 1.0)):
        np.take(source, indices[0], axis, out, mode="clip")
        return
    target = out
    for texels, weight in zip(indices, weights, strict=True):
        np.multiply(_gather(source, texels, product, axis), weight, target)
        if target is product:
            np.add(out, product, out)
        target = product


def _gather(source: F32Array, indices: Indices, out: F32Array, axis: int) -> F32Array:
    """Return texels along an axis: a view where that leaves rows in one piece, else copied to ``out``."""
    steps = np.diff(indices)
    step = int(steps[0]) if steps.size else 1
    if bool(np.all(steps == step)) and (step == 1 or (axis == 0 and step > 0)):
        every = slice(int(indices[0]), int(indices[-1]) + 1, step)
        return source[every] if axis == 0 else source[:, every]
    return np.take(source, indices, axis, out, mode="clip")
