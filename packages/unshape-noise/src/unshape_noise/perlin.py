"""Perlin (gradient) noise: definitions.

With gradients ``g`` at the corners of the lattice cell, offsets ``(x, y)`` of the point in its cell and fades ``u`` and
``v`` of them, the order of operations is the one that a grid can share: per lattice column ``k``::

    A_k = lerp(v, gx_k0, gx_k1)        B_k = lerp(v, gy_k0*y, gy_k1*(y - 1))
    D = A_1 - A_0                      E = (B_1 - A_1) - B_0
    noise = (A_0*x + B_0) + u*(D*x + E)

which is the textbook's bilinear interpolation of ``g . d``, written as a polynomial in ``x`` and ``u``: on a row of
pixels A, B, D and E belong to lattice columns. In 3-D, A and B are interpolated along y first and then along z, with
``gy*y + gz*z`` in the place of ``gy*y``. From K. Perlin, "Improving Noise", SIGGRAPH 2002; gradients of one length in
many directions, as in gradients.py, instead of the cube's edges.

The length is ``(1 - 2**-16) / M``, where M is the largest value of the same noise with gradients of length 1: the
largest of ``sum(w_i * max_g(g . d_i))`` over the cell, 0.6953527 at (0.5, 0.4734) in 2-D and 0.8315482 at (0.5, 0.5534,
0.5) in 3-D. So the values reach 0.99998 and never leave [-1, 1]; the tests prove it by branch and bound.
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.build import ExprLike
from unshape_expr.ir import Expr
from unshape_noise.cell import Axis, axes_of
from unshape_noise.gradients import gradient_2d, gradient_3d, table_2d, table_3d
from unshape_noise.interpolation import fade, lerp
from unshape_noise.lattice import point_hash

LENGTH_2D = 1.438097
LENGTH_3D = 1.202557
TABLE_2D = table_2d(LENGTH_2D)
TABLE_3D = table_3d(LENGTH_3D)


def perlin_expression(position: Expr, seed: Expr, periods: Sequence[ExprLike] | None = None) -> Expr:
    """Return Perlin noise at a vec2 or vec3 position, in [-1, 1], 0 at whole coordinates.

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
    columns = [_column_2d(axes, k) if len(axes) == 2 else _column_3d(axes, k) for k in (0, 1)]
    (a0, b0), (a1, b1) = columns
    x, u = axes[0].offset, fade(axes[0].offset)
    return (a0 * x + b0) + u * ((a1 - a0) * x + ((b1 - a1) - b0))


def _column_2d(axes: Sequence[Axis], k: int) -> tuple[Expr, Expr]:
    y = axes[1]
    slopes, heights = [], []
    for j in (0, 1):
        gx, gy = gradient_2d(point_hash((axes[0].hashes[k], y.hashes[j])), TABLE_2D)
        slopes.append(gx)
        heights.append(gy * y.offsets[j])
    v = fade(y.offset)
    return lerp(v, *slopes), lerp(v, *heights)


def _column_3d(axes: Sequence[Axis], k: int) -> tuple[Expr, Expr]:
    y, z = axes[1], axes[2]
    v, w = fade(y.offset), fade(z.offset)
    layers = []
    for layer in (0, 1):
        slopes, heights = [], []
        for j in (0, 1):
            gx, gy, gz = gradient_3d(point_hash((axes[0].hashes[k], y.hashes[j], z.hashes[layer])), TABLE_3D)
            slopes.append(gx)
            heights.append(gy * y.offsets[j] + gz * z.offsets[layer])
        layers.append((lerp(v, *slopes), lerp(v, *heights)))
    (a0, b0), (a1, b1) = layers
    return lerp(w, a0, a1), lerp(w, b0, b1)
