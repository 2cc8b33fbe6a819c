"""The operator ``**``."""

from __future__ import annotations

from unshape_expr.ir import Expr
from unshape_expr.literal import ExprLike


def power(base: ExprLike, exponent: ExprLike) -> Expr:
    """Return ``base ** exponent`` by the function ``pow``, of f32 and vectors."""
    from unshape_expr import math_functions

    return math_functions.pow(base, exponent)
