"""The cube root, in primitive operations."""

from __future__ import annotations

from unshape_expr import operators as o
from unshape_expr.horner import horner
from unshape_expr.ir import Expr
from unshape_expr.polynomials import CBRT

_INF = float("inf")


def define_cbrt(x: Expr) -> Expr:
    """Return the cube root."""
    bits = o.bitcast_u32(x)
    magnitude = o.to_i32(bits & 0x7FFFFFFF)
    subnormal = o.to_i32(o.bitcast_u32(o.to_f32(magnitude))) - (149 << 23)
    magnitude = o.select(o.lt(magnitude, 0x00800000), subnormal, magnitude)
    exponent = (magnitude >> 23) + 23  # 0 for the smallest subnormal number, at most 277
    third = (exponent * 171) >> 9
    t = o.bitcast_f32(o.to_u32(magnitude - ((third * 3 - 150) << 23)))  # in [1, 8)
    y = horner(CBRT, t)
    cube = (y * y) * y
    y = y - y * ((cube - t) / (cube + (cube + t)))
    result = o.bitcast_f32((o.bitcast_u32(y) + o.to_u32((third - 50) << 23)) | (bits & 0x80000000))
    return o.select(o.lt(o.abs(x), _INF) & o.ne(x, 0.0), result, x + x)
