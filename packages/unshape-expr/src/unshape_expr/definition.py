"""Building and checking the definition of a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unshape_expr.errors import ExpressionError
from unshape_expr.ir import Expr
from unshape_expr.leaves import argument
from unshape_expr.literal import lift
from unshape_expr.ops import OUTSIDE_OPS
from unshape_expr.traverse import postorder

if TYPE_CHECKING:
    from unshape_expr.functions import Function


def define_once(function: Function) -> Expr:
    """Return the definition of a function over its arguments.

    Raises
    ------
    ExpressionError
        If it uses anything but its arguments, literals and other functions, or is of another type than stated.
    """
    result = lift(
        function.define(*[argument(p.name, p.type) for p in function.parameters]),
        function.returns,
        where=f"function {function.name!r}: result",
    )
    for expr in postorder((result,)):
        if expr.op in OUTSIDE_OPS:
            msg = f"function {function.name!r}: expected parameters only, got {expr.op.value!r}; pass it in"
            raise ExpressionError(msg)
    return result
