"""Calls of functions: arguments bound to parameters, defaults, component-by-component application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from unshape_expr.errors import ExpressionTypeError
from unshape_expr.ir import Expr
from unshape_expr.literal import ExprLike, lift
from unshape_expr.operators import FLOATS, unify
from unshape_expr.ops import Op
from unshape_expr.uniformity import require_uniform

if TYPE_CHECKING:
    from unshape_expr.functions import Function, Parameter


def bind(
    name: str, parameters: Sequence[Parameter], arguments: Sequence[ExprLike], named: Mapping[str, ExprLike]
) -> list[ExprLike]:
    """Return one argument for each parameter, from positions, names and defaults.

    Raises
    ------
    ExpressionTypeError
        If there are too many, an unknown or doubled name, or one is missing.
    """
    if len(arguments) > len(parameters):
        msg = f"{name}: expected at most {len(parameters)} arguments, got {len(arguments)}; {usage(name, parameters)}"
        raise ExpressionTypeError(msg)
    known = {p.name for p in parameters}
    unknown = [n for n in named if n not in known]
    if unknown:
        msg = f"{name}: no parameter is called {unknown[0]!r}; {usage(name, parameters)}"
        raise ExpressionTypeError(msg)
    bound: list[ExprLike] = list(arguments)
    for position, parameter in enumerate(parameters):
        if position < len(arguments):
            if parameter.name in named:
                msg = f"{name}: {parameter.name!r} is given twice; {usage(name, parameters)}"
                raise ExpressionTypeError(msg)
        elif parameter.name in named:
            bound.append(named[parameter.name])
        elif parameter.default is not None:
            bound.append(parameter.default)
        else:
            msg = f"{name}: {parameter.name!r} is missing; {usage(name, parameters)}"
            raise ExpressionTypeError(msg)
    return bound


def usage(name: str, parameters: Sequence[Parameter]) -> str:
    """Return how a function is called, for error messages."""
    parts = [
        f"{p.name}: {p.type.value}" + ("" if p.default is None else f" = {str(p.default).lower()}") for p in parameters
    ]
    return f"usage: {name}({', '.join(parts)})"


def call(function: Function, arguments: Sequence[ExprLike], named: Mapping[str, ExprLike] | None = None) -> Expr:
    """Return the call of a function.

    Parameters
    ----------
    function : Function
        What is called. A component-by-component function takes vectors and then gives a vector.
    arguments : sequence of Expr or number
        By position.
    named : mapping of str to Expr or number
        By name.
    """
    bound = bind(function.name, function.parameters, arguments, named or {})
    if function.is_componentwise:
        args, common = unify(function.name, bound, FLOATS)
        return Expr(Op.CALL, common, args, function)
    lifted: list[Expr] = []
    for parameter, value in zip(function.parameters, bound, strict=True):
        where = f"{function.name}: {parameter.name}"
        argument = lift(value, parameter.type, where=where)
        if parameter.is_uniform:
            require_uniform(argument, where=where)
        lifted.append(argument)
    return Expr(Op.CALL, function.returns, tuple(lifted), function)
