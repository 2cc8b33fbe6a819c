"""How lattice noise is interpolated between lattice points."""

from __future__ import annotations

from unshape_expr import build as e
from unshape_expr.ir import Expr


def fade(t: Expr) -> Expr:
    """Return Perlin's quintic, ``t*t*t*(t*(t*6 - 15) + 10)``, from 0 at 0 to 1 at 1.

    Its first two derivatives vanish at both ends, so noise is twice continuously differentiable. From K. Perlin,
    "Improving Noise", SIGGRAPH 2002.
    """
    return ((t * t) * t) * (t * (t * 6.0 - 15.0) + 10.0)


def lerp(t: Expr, a: Expr, b: Expr) -> Expr:
    """Return ``a + t*(b - a)``."""
    return e.mix(a, b, t)
