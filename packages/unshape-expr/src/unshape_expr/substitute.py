"""Substitution of inputs: how pointwise nodes are fused.

The expression of a producer takes the place of the consumer's input; what is computed at a pixel then needs no picture
in between. It takes time in proportion to the consumer's expression, and what was shared stays shared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unshape_expr.errors import ExpressionError, ExpressionTypeError
from unshape_expr.ir import Expr, Fetching, Sampling
from unshape_expr.ops import Op
from unshape_expr.rewrite import rebuilt, rewrite
from unshape_expr.uniformity import require_uniform

_SIZES = {Op.TEXTURE_WIDTH: Op.WIDTH, Op.TEXTURE_HEIGHT: Op.HEIGHT}


def substitute(outputs: Sequence[Expr], replacements: Mapping[str, Expr]) -> tuple[Expr, ...]:
    """Return expressions with inputs replaced by expressions.

    Parameters
    ----------
    outputs : sequence of Expr
        Where inputs are replaced.
    replacements : mapping of str to Expr
        By port. Pictures that are replaced are as large as the result, as pointwise inputs are.

    Raises
    ------
    ExpressionTypeError
        If a replacement is of another type than the input, or varies where a number was.
    ExpressionError
        If an input is read at other pixels: it has to be a picture.
    """

    def rule(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        attr = expr.attr
        if isinstance(attr, Sampling | Fetching):
            if attr.port in replacements:
                msg = f"input {attr.port!r} is read at other pixels, so that it cannot be replaced by an expression"
                raise ExpressionError(msg)
        elif isinstance(attr, str) and attr in replacements:
            if expr.op is Op.INPUT or expr.op is Op.SCALAR_INPUT:
                return _checked(expr, replacements[attr])
            if expr.op in _SIZES:
                return Expr(_SIZES[expr.op], expr.type)
        return rebuilt(expr, args)

    return rewrite(outputs, rule)


def _checked(expr: Expr, replacement: Expr) -> Expr:
    if replacement.type is not expr.type:
        msg = f"input {expr.attr!r}: expected {expr.type.value}, got {replacement.type.value}"
        raise ExpressionTypeError(msg)
    if expr.op is Op.SCALAR_INPUT:
        require_uniform(replacement, where=f"input {expr.attr!r}")
    return replacement


def rename_ports(outputs: Sequence[Expr], names: Mapping[str, str]) -> tuple[Expr, ...]:
    """Return expressions with inputs under other names; those without a new name keep theirs.

    Two inputs may become one; that is how a picture that several fused nodes read is read once.
    """

    def rule(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        attr = expr.attr
        if isinstance(attr, Sampling):
            new = names.get(attr.port, attr.port)
            return Expr(expr.op, expr.type, args, Sampling(new, attr.filter, attr.border))
        if isinstance(attr, Fetching):
            return Expr(expr.op, expr.type, args, Fetching(names.get(attr.port, attr.port), attr.border))
        if isinstance(attr, str) and attr in names and expr.op in _PORT_OPS:
            return Expr(expr.op, expr.type, args, names[attr])
        return rebuilt(expr, args)

    return rewrite(outputs, rule)


_PORT_OPS = frozenset({Op.INPUT, Op.SCALAR_INPUT, Op.TEXTURE_WIDTH, Op.TEXTURE_HEIGHT})
