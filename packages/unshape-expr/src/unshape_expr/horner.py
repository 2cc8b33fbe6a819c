"""Polynomials as expressions."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.ir import Expr


def horner(coefficients: Sequence[float], x: Expr) -> Expr:
    """Return ``c0 + x*(c1 + x*(c2 + ...))``, constant term first, two or more coefficients.

    The innermost operation is ``c[n-1] + x*c[n]``; each product and each sum is rounded.
    """
    result: Expr | float = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        result = coefficient + x * result
    assert isinstance(result, Expr)
    return result
