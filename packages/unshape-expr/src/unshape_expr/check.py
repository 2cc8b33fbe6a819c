"""The validity checker: what builders guarantee, proved for expressions from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unshape_expr.blocks import assign_blocks
from unshape_expr.dependence import dependence
from unshape_expr.errors import ExpressionError
from unshape_expr.ir import Expr, LoopScope, LoopState
from unshape_expr.kernel import Varies
from unshape_expr.op_table import OPS
from unshape_expr.ops import Op
from unshape_expr.traverse import postorder
from unshape_expr.types import Type


def check(outputs: Expr | Sequence[Expr], *, arguments: Mapping[str, Varies] | None = None) -> None:
    """Check that expressions are valid.

    Parameters
    ----------
    outputs : Expr or sequence of Expr
        Checked together.
    arguments : mapping of str to Varies
        For the definition of a function, how its parameters vary.

    Raises
    ------
    ExpressionError
        Naming the operation, what it expected and what it got.
    """
    order = postorder((outputs,) if isinstance(outputs, Expr) else outputs)
    position = {expr: number for number, expr in enumerate(order)}
    for expr in order:
        late = [a for a in expr.args if position[a] >= position[expr]]
        problem = "an operation needs its own result" if late else operation_problem(expr)
        if problem is not None:
            msg = f"{expr.op.value}: {problem}"
            raise ExpressionError(msg)
        if expr.op is Op.ARGUMENT and str(expr.attr) not in (arguments or {}):
            msg = f"argument: expected no parameter outside of a function's definition, got {expr.attr!r}"
            raise ExpressionError(msg)
    assign_blocks(order)
    dependence(order, arguments)


def operation_problem(expr: Expr) -> str | None:
    """Return what is wrong with one operation whose arguments are right, None if nothing is."""
    info = OPS[expr.op]
    least, most = info.arity
    if not least <= len(expr.args) <= most:
        wanted = str(least) if least == most else f"{least} to {most}"
        return f"expected {wanted} arguments, got {len(expr.args)}"
    types = [a.type for a in expr.args]
    return info.attr(expr.attr, expr.type) or info.types(expr.type, types) or _structure_problem(expr, types)


def _structure_problem(expr: Expr, types: Sequence[Type]) -> str | None:
    match expr.op:
        case Op.COMPONENT:
            is_there = isinstance(expr.attr, int) and expr.attr < types[0].components
            return None if is_there else f"{types[0].value} has no component {expr.attr!r}"
        case Op.CALL:
            return _call_problem(expr, types)
        case Op.LOOP:
            return _loop_problem(expr, types)
        case Op.LOOP_RESULT:
            return _loop_result_problem(expr)
        case Op.LOOP_STATE:
            # The initial value belongs to the LOOP, which is checked when it is reached.
            scope = expr.attr.scope if isinstance(expr.attr, LoopState) else None
            index = expr.attr.index if isinstance(expr.attr, LoopState) else 0
            is_known = scope is not None and 0 <= index < len(scope.results)
            if not is_known or scope is None:
                return f"the loop carries no value of number {index}"
            return None if scope.results[index].type is expr.type else "its type differs from the carried value's"
        case _:
            return None


def _call_problem(expr: Expr, types: Sequence[Type]) -> str | None:
    from unshape_expr.functions import Function

    function = expr.attr
    if not isinstance(function, Function):
        return "expected a function"
    if len(types) != len(function.parameters):
        return f"{function.name} takes {len(function.parameters)} arguments, got {len(types)}"
    if function.is_componentwise:
        is_right = expr.type.is_float and all(t is expr.type for t in types)
        return None if is_right else f"{function.name} expects arguments of the type of the result, {expr.type.value}"
    if expr.type is not function.returns:
        return f"{function.name} gives {function.returns.value}, got {expr.type.value}"
    for parameter, type_ in zip(function.parameters, types, strict=True):
        if parameter.type is not type_:
            return f"{function.name}: {parameter.name} expects {parameter.type.value}, got {type_.value}"
    return None


def _loop_problem(expr: Expr, types: Sequence[Type]) -> str | None:
    from unshape_expr.loops import MAX_LOOP_COUNT

    scope = expr.attr
    if not isinstance(scope, LoopScope):
        return "expected a loop"
    if not 0 <= scope.max_count <= MAX_LOOP_COUNT:
        return f"expected max_count in [0, {MAX_LOOP_COUNT}], got {scope.max_count}"
    results = [r.type for r in scope.results]
    if results != list(types[1:]):
        got = ", ".join(t.value for t in results) or "none"
        return f"expected an iteration to give {', '.join(t.value for t in types[1:])}, got {got}"
    return None if expr.type is types[1] else f"expected the type of the first carried value, got {expr.type.value}"


def _loop_result_problem(expr: Expr) -> str | None:
    whole = expr.args[0]
    if whole.op is not Op.LOOP or not isinstance(expr.attr, int) or not 0 <= expr.attr < len(whole.args) - 1:
        return "expected a loop that carries a value of that number"
    wanted = whole.args[1 + expr.attr].type
    return None if expr.type is wanted else f"expected the type {wanted.value}, got {expr.type.value}"
