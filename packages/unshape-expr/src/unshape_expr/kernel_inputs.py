"""Which inputs and uniforms expressions read, and how."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.errors import ExpressionTypeError
from unshape_expr.ir import Expr, Fetching, Sampling
from unshape_expr.kernel import InputUse
from unshape_expr.ops import Op
from unshape_expr.types import Type

_READS = frozenset({Op.INPUT, Op.SCALAR_INPUT, Op.SAMPLE, Op.FETCH, Op.TEXTURE_WIDTH, Op.TEXTURE_HEIGHT})


def input_uses(order: Sequence[Expr]) -> tuple[InputUse, ...]:
    """Return how each input is used, in the order of first use.

    Raises
    ------
    ExpressionTypeError
        If one input is used with two types.
    """
    uses: dict[str, dict[str, bool]] = {}
    types: dict[str, Type] = {}
    for expr in order:
        if expr.op not in _READS:
            continue
        match expr.op, expr.attr:
            case Op.INPUT, str(port):
                use = "is_pixel"
            case Op.SCALAR_INPUT, str(port):
                use = "is_scalar"
            case _, Sampling(port=port) | Fetching(port=port):
                use = "is_sampled"
            case ((Op.TEXTURE_WIDTH | Op.TEXTURE_HEIGHT), str(port)):
                uses.setdefault(port, {})
                continue
            case _:
                continue
        uses.setdefault(port, {})[use] = True
        if types.setdefault(port, expr.type) is not expr.type:
            msg = f"input {port!r}: expected one type, got {types[port].value} and {expr.type.value}"
            raise ExpressionTypeError(msg)
    return tuple(InputUse(port, types.get(port, Type.F32), **use) for port, use in uses.items())


def uniforms_of(order: Sequence[Expr]) -> tuple[tuple[str, Type], ...]:
    """Return the uniforms that are read, in the order of first use.

    Raises
    ------
    ExpressionTypeError
        If one uniform is used with two types.
    """
    found: dict[str, Type] = {}
    for expr in order:
        if expr.op is Op.UNIFORM and isinstance(expr.attr, str):
            name = expr.attr
            if found.setdefault(name, expr.type) is not expr.type:
                msg = f"uniform {name!r}: expected one type, got {found[name].value} and {expr.type.value}"
                raise ExpressionTypeError(msg)
    return tuple(found.items())
