"""A definition that exists already, as something that gives it over any arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.rewrite import rebuilt, rewrite


@dataclass(frozen=True, slots=True)
class Composition:
    """A definition that exists already, as something to call.

    Parameters
    ----------
    result : Expr
        The definition over ``ARGUMENT`` expressions.
    names : tuple of str
        Names of the parameters in order.
    """

    result: Expr
    names: tuple[str, ...]

    def __call__(self, *arguments: Expr) -> Expr:
        """Return the definition over those arguments."""
        values: Mapping[str, Expr] = dict(zip(self.names, arguments, strict=True))

        def rule(expr: Expr, args: tuple[Expr, ...]) -> Expr:
            return values[str(expr.attr)] if expr.op is Op.ARGUMENT else rebuilt(expr, args)

        return rewrite((self.result,), rule)[0]
