"""Choice among functions of one name by the type of the first argument."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unshape_expr.calls import usage
from unshape_expr.errors import ExpressionTypeError
from unshape_expr.functions import Function
from unshape_expr.ir import Expr
from unshape_expr.literal import ExprLike
from unshape_expr.types import Type


def choose(overloads: Sequence[Function], arguments: Sequence[ExprLike], named: Mapping[str, ExprLike]) -> Function:
    """Return the overload for these arguments.

    An exact match of the first parameter's type wins, then a function that applies to vectors component by component,
    then for a number without a type the one that takes f32.

    Raises
    ------
    ExpressionTypeError
        If none fits, naming all of them.
    """
    if len(overloads) == 1:
        return overloads[0]
    first: ExprLike | None = arguments[0] if arguments else None
    if first is None:
        names = {f.parameters[0].name for f in overloads if f.parameters}
        first = next((named[n] for n in named if n in names), None)
    wanted = first.type if isinstance(first, Expr) else Type.F32
    for function in overloads:
        if function.parameters and function.parameters[0].type is wanted:
            return function
    for function in overloads:
        if function.is_componentwise and wanted.is_vector:
            return function
    if not isinstance(first, Expr):
        return overloads[0]
    options = "; ".join(usage(f.name, f.parameters).removeprefix("usage: ") for f in overloads)
    msg = f"{overloads[0].name}: no variant takes {wanted.value} as first argument; expected one of {options}"
    raise ExpressionTypeError(msg)
