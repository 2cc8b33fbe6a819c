"""Value noise in NumPy: the operations of value.py."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unshape_noise.fast.arrays import F32Array, U32Array, as_f32, mix32
from unshape_noise.fast.axis import axis_hashes, axis_of, point_hash
from unshape_noise.fast.grid import Columns, Rows, grid_of, is_grid, row_slices
from unshape_noise.fast.interpolation import fade, lerp
from unshape_noise.value import VALUE_BITS

_UNIT = np.float32(2.0**-VALUE_BITS)


def value(position: Sequence[npt.ArrayLike], seed: int, periods: Sequence[int] | None = None) -> F32Array:
    """Return value noise at positions; the parameters are those of ``fast.perlin.perlin``."""
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
    u = fade(columns.offset)
    above = ((),) if len(rows.hashes) == 1 else ((rows.hashes[1][0],), (rows.hashes[1][1],))
    corners = [_point_values((rows.columns, y, *z)) for z in above for y in rows.hashes[0]]
    out = np.empty((height, width), np.float32)
    for part in row_slices(height, width):
        fades = [fade(offset[part]) for offset in rows.offsets]
        lattice = _interpolated([corner[rows.which[part]] for corner in corners], fades)
        rise = lattice[:, 1:] - lattice[:, :-1]
        result = np.multiply(rise.take(columns.which, axis=1, mode="clip"), u, out=out[part])
        result += lattice.take(columns.which, axis=1, mode="clip")
        result *= _UNIT
    return out


def _anywhere(components: Sequence[F32Array], hashed_seed: int, periods: Sequence[int] | None) -> F32Array:
    axes = [axis_of(number, c) for number, c in enumerate(components)]
    hashes = [axis_hashes(axis, hashed_seed, periods) for axis in axes]
    fades = [fade(axis.offset) for axis in axes[1:]]
    above = ((),) if len(axes) == 2 else ((hashes[2][0],), (hashes[2][1],))
    left, right = (
        _interpolated([_point_values((column, y, *z)) for z in above for y in hashes[1]], fades) for column in hashes[0]
    )
    result = lerp(fade(axes[0].offset), left, right)
    result *= _UNIT
    return result


def _interpolated(values: Sequence[F32Array], fades: Sequence[F32Array]) -> F32Array:
    """Return the values of lattice columns, interpolated along y and z."""
    if len(fades) == 1:
        return lerp(fades[0], *values)
    return lerp(fades[1], lerp(fades[0], *values[:2]), lerp(fades[0], *values[2:]))


def _point_values(hashes: Sequence[U32Array]) -> F32Array:
    signed = point_hash(hashes).view(np.int32)
    signed >>= np.int32(31 - VALUE_BITS)
    signed |= np.int32(1)
    return signed.astype(np.float32)
