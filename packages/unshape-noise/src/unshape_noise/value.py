"""Value noise: definitions.

Every lattice point has a value, an odd multiple of ``2**-20`` in (-1, 1) from the upper 21 bits of its hash; values are
interpolated with Perlin's quintic, along y first, then z, then x::

    C_k = lerp(v, n_k0, n_k1)        noise = (C_0 + u*(C_1 - C_0)) * 2**-20

Here ``n`` are the odd integers themselves, as f32: products with a power of two are exact, so that a table may hold
either. The values are symmetric about 0 and stay ``2**-20`` away from -1 and 1, more than all roundings amount to.
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr import build as e
from unshape_expr.build import ExprLike
from unshape_expr.ir import Expr
from unshape_noise.cell import Axis, axes_of
from unshape_noise.interpolation import fade, lerp
from unshape_noise.lattice import point_hash

VALUE_BITS = 20
"""Values are odd multiples of ``2**-VALUE_BITS``."""


def value_expression(position: Expr, seed: Expr, periods: Sequence[ExprLike] | None = None) -> Expr:
    """Return value noise at a vec2 or vec3 position, in (-1, 1).

    Parameters
    ----------
    position : vec2 or vec3
        In lattice cells.
    seed : u32
        Which noise.
    periods : sequence of i32, optional
        For each axis the number of cells after which the lattice repeats, at least 1.
    """
    axes = axes_of(position, seed, periods)
    left, right = (_column(axes, k) for k in (0, 1))
    return lerp(fade(axes[0].offset), left, right) * 2.0**-VALUE_BITS


def _column(axes: Sequence[Axis], k: int) -> Expr:
    x, y, *rest = axes
    layers = []
    for above in zip(*(z.hashes for z in rest), strict=True) if rest else [()]:
        low, high = (_point_value((x.hashes[k], y.hashes[j], *above)) for j in (0, 1))
        layers.append(lerp(fade(y.offset), low, high))
    return layers[0] if not rest else lerp(fade(rest[0].offset), *layers)


def _point_value(hashes: Sequence[Expr]) -> Expr:
    signed = e.to_i32(point_hash(hashes))
    return e.to_f32((signed >> (31 - VALUE_BITS)) | 1)
