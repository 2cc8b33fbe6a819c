"""Perlin noise in NumPy: the operations of perlin.py, shared by all pixels that need the same ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unshape_noise import perlin as definition
from unshape_noise.fast.arrays import F32Array, as_f32, mix32
from unshape_noise.fast.axis import axis_hashes, axis_of, point_hash
from unshape_noise.fast.gradients import full_table_2d, full_table_3d, look_up
from unshape_noise.fast.grid import Columns, Rows, grid_of, is_grid, row_slices
from unshape_noise.fast.interpolation import fade, lerp

_TABLES = {2: full_table_2d(definition.TABLE_2D), 3: full_table_3d(definition.TABLE_3D)}
_ONE = np.float32(1.0)


def perlin(position: Sequence[npt.ArrayLike], seed: int, periods: Sequence[int] | None = None) -> F32Array:
    """Return Perlin noise at positions.

    Parameters
    ----------
    position : two or three arrays that broadcast against each other
        Components.
    seed : u32
        Which noise.
    periods : sequence of int, optional
        For each axis the number of cells after which the lattice repeats.
    """
    components = as_f32(position)
    hashed_seed = mix32(int(seed))
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        if is_grid(components):
            grid = grid_of(components, hashed_seed, periods)
            if grid is not None:
                shape = np.broadcast_shapes(*(c.shape for c in components))
                return _on_grid(*grid).reshape(shape)
        return _anywhere(components, hashed_seed, periods)


def _on_grid(rows: Rows, columns: Columns) -> F32Array:
    height, width = rows.which.size, columns.which.size
    x, u = columns.offset, fade(columns.offset)
    corners = _corner_gradients(rows)
    out = np.empty((height, width), np.float32)
    for part in row_slices(height, width):
        offsets = [(offset[part], offset[part] - _ONE) for offset in rows.offsets]
        gradients = [tuple(g[rows.which[part]] for g in corner) for corner in corners]
        a, b = _interpolated(gradients, offsets, [fade(low) for low, _ in offsets])
        a0, b0, a1, b1 = a[:, :-1], b[:, :-1], a[:, 1:], b[:, 1:]
        d = a1 - a0
        e = b1 - a1
        e -= b0
        # (a0*x + b0) + u*(d*x + e) of each pixel, from the values of its lattice column.
        slope = d.take(columns.which, axis=1, mode="clip")
        slope *= x
        slope += e.take(columns.which, axis=1, mode="clip")
        slope *= u
        result = out[part]
        np.multiply(a0.take(columns.which, axis=1, mode="clip"), x, out=result)
        result += b0.take(columns.which, axis=1, mode="clip")
        result += slope
    return out


def _corner_gradients(rows: Rows) -> list[tuple[F32Array, ...]]:
    """Return the gradients of every lattice column at the corners of each row of cells, y changing fastest."""
    tables = _TABLES[len(rows.hashes) + 1]
    above = ((),) if len(rows.hashes) == 1 else ((rows.hashes[1][0],), (rows.hashes[1][1],))
    return [look_up(point_hash((rows.columns, y, *z)), tables) for z in above for y in rows.hashes[0]]


def _anywhere(components: Sequence[F32Array], hashed_seed: int, periods: Sequence[int] | None) -> F32Array:
    axes = [axis_of(number, c) for number, c in enumerate(components)]
    hashes = [axis_hashes(axis, hashed_seed, periods) for axis in axes]
    offsets = [(axis.offset, axis.offset - _ONE) for axis in axes[1:]]
    fades = [fade(low) for low, _ in offsets]
    above = ((),) if len(axes) == 2 else ((hashes[2][0],), (hashes[2][1],))
    columns = []
    for column in hashes[0]:
        gradients = [look_up(point_hash((column, y, *z)), _TABLES[len(axes)]) for z in above for y in hashes[1]]
        columns.append(_interpolated(gradients, offsets, fades))
    (a0, b0), (a1, b1) = columns
    x = axes[0].offset
    return (a0 * x + b0) + fade(x) * ((a1 - a0) * x + ((b1 - a1) - b0))


def _interpolated(
    gradients: Sequence[tuple[F32Array, ...]],
    offsets: Sequence[tuple[F32Array, F32Array]],
    fades: Sequence[F32Array],
) -> tuple[F32Array, F32Array]:
    """Return A and B of lattice columns, as perlin.py defines them."""
    if len(offsets) == 1:
        (gx0, gy0), (gx1, gy1) = gradients
        low, high = offsets[0]
        return lerp(fades[0], gx0, gx1), lerp(fades[0], gy0 * low, gy1 * high)
    layers = []
    for z, ends in zip(offsets[1], (gradients[:2], gradients[2:]), strict=True):
        heights = [gy * y + gz * z for y, (_, gy, gz) in zip(offsets[0], ends, strict=True)]
        layers.append((lerp(fades[0], ends[0][0], ends[1][0]), lerp(fades[0], *heights)))
    (a0, b0), (a1, b1) = layers
    return lerp(fades[1], a0, a1), lerp(fades[1], b0, b1)
