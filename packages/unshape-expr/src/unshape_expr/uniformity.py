"""Whether a value is equal for all pixels, as loop counts and uniform parameters must be."""

from __future__ import annotations

from unshape_expr.errors import ExpressionTypeError
from unshape_expr.ir import Expr
from unshape_expr.ops import Op
from unshape_expr.traverse import postorder

_PIXEL_LEAVES = {
    Op.PIXEL_X: "the pixel's column",
    Op.PIXEL_Y: "the pixel's row",
    Op.INPUT: "a picture input at this pixel",
}


def require_uniform(value: Expr, *, where: str) -> None:
    """Check that a value does not depend on the pixel.

    The states of loops and the arguments of functions are taken to be uniform here, since neither is known while an
    expression is built; lowering knows and checks them.

    Raises
    ------
    ExpressionTypeError
        If it does, naming what it depends on.
    """
    for expr in postorder((value,)):
        if expr.op in _PIXEL_LEAVES:
            msg = (
                f"{where}: expected a value that is equal for all pixels, got one that depends on "
                f"{_PIXEL_LEAVES[expr.op]}; use a literal, a uniform such as time(), or an input that is a number"
            )
            raise ExpressionTypeError(msg)
