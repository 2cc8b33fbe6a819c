"""Simplex noise: definitions.

2-D. The triangles are equilateral, with rows of lattice points along the x axis, so that a row of pixels crosses one
row of triangles and nothing is lost to a skew far from the origin: everything after the first two lines is computed
from offsets within a cell. With the triangle's side as the unit, lattice point ``(i, j)`` lies at ``(i - j/2,
j*sqrt(3)/2)``::

    v = y*sqrt(2)        u = x*sqrt(3/2) + v/2        cell (i, j) = floor(u, v), offsets (u, v) in it
    d0 = (u - v/2, v*sqrt(3)/2)                       from (i, j)
    d1 = d0 - (1, 0)  or  d0 - (-1/2, sqrt(3)/2)      from (i+1, j) if u > v, else from (i, j+1)
    d2 = d0 - (1/2, sqrt(3)/2)                        from (i+1, j+1)
    noise = (c(d0) + c(d1)) + c(d2),   c(d) = max((3/4 - d.x*d.x) - d.y*d.y, 0)**4 * (g.x*d.x + g.y*d.y)

The factors make triangles as large as K. Perlin's ("Noise hardware", 2001; S. Gustavson, "Simplex noise demystified",
2005), whose lattice is this one turned by 15 degrees.

3-D. The lattice is the body-centred cubic one, as Perlin's is: two cubic lattices, one shifted by half a cell along
each axis. In each, the nearest point and the next one along the axis of the largest offset are all that come closer
than ``sqrt(1/2)``; each contributes ``max(1/2 - |d|**2, 0)**4 * (g . d)``. The position is turned first, so that planes
of constant z cut the lattice across its threefold axis, where it looks the same along x, y and the diagonals (as K.
Spencer's OpenSimplex2 does).

Gradients have the length ``(1 - 2**-16) / M``, M the largest value with gradients of length 1, as in perlin.py.

Repeating. In 2-D the factors become whole numbers of lattice points in a period (even ones of rows), nearest to those
above, so that triangles are stretched by some percent where a period is short. In 3-D the position is not turned.
"""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.build import ExprLike
from unshape_expr.ir import Expr
from unshape_expr.vectors import components
from unshape_noise.simplex_2d import simplex_2d
from unshape_noise.simplex_3d import simplex_3d


def simplex_expression(position: Expr, seed: Expr, periods: Sequence[ExprLike] | None = None) -> Expr:
    """Return simplex noise at a vec2 or vec3 position, in [-1, 1], 0 at lattice points.

    Parameters
    ----------
    position : vec2 or vec3
        In units about as wide as a cell of Perlin noise.
    seed : u32
        Which noise.
    periods : sequence of i32, optional
        For each axis the number of units after which the noise repeats, at least 1.
    """
    parts = components(position)
    return simplex_2d(parts, seed, periods) if len(parts) == 2 else simplex_3d(parts, seed, periods)
