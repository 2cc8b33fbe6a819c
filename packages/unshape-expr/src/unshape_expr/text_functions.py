"""Functions defined by text: ``rotate(p: vec2, angle: f32 = 0.0) = vec2(...)``."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.composition import Composition
from unshape_expr.errors import ExpressionError, ExpressionSyntaxError
from unshape_expr.function_table import FunctionTable, default_functions
from unshape_expr.functions import Function, Parameter
from unshape_expr.leaves import argument
from unshape_expr.ops import Op
from unshape_expr.parser import Parser
from unshape_expr.scope import Scope
from unshape_expr.tokens import Token
from unshape_expr.types import Type


def define_function(text: str, *, functions: FunctionTable | None = None, doc: str = "") -> Function:
    """Define a function by text and register it.

    Parameters
    ----------
    text : str
        ``name(parameter: type = default, ...) = expression``. The type is f32 if it is left out; ``uniform`` before it
        says that the argument must be equal for all pixels. A function of f32 to f32 applies to vectors component by
        component.
    functions : FunctionTable or None
        Where it is registered and where it finds others; the default table if None.
    doc : str
        One sentence.

    Raises
    ------
    ExpressionSyntaxError
        If the text defines no function, with the column and a caret.
    ExpressionError
        If the language has an operation of that name.

    Examples
    --------
    >>> from unshape_expr.text_functions import define_function
    >>> from unshape_expr.function_table import FunctionTable
    >>> table = FunctionTable()
    >>> define_function("twice(x) = x + x", functions=table).name
    'twice'
    """
    table = functions if functions is not None else default_functions()
    parser = Parser(text, scope=Scope(), functions=table)
    name = parser.expect_name("the name of the function")
    parameters = _parameters(parser)
    parser.expect("=")
    parser.scope = Scope(values={p.name: argument(p.name, p.type) for p in parameters})
    result = parser.parse_all()
    is_f32 = result.type is Type.F32 and all(p.type is Type.F32 and not p.is_uniform for p in parameters)
    function = Function(
        name.text,
        parameters,
        result.type,
        Composition(result, tuple(p.name for p in parameters)),
        is_componentwise=is_f32 and bool(parameters),
        doc=doc,
    )
    try:
        return table.register(function)
    except ExpressionSyntaxError:
        raise
    except ExpressionError as error:
        raise ExpressionSyntaxError(str(error), text=text, column=name.column, width=len(name.text)) from error


def _parameters(parser: Parser) -> tuple[Parameter, ...]:
    opening = parser.expect("(")
    found: list[Parameter] = []
    while not parser.is_at(")"):
        if found:
            parser.separator(opening)
        found.append(_parameter(parser, found))
    parser.expect(")", opening)
    return tuple(found)


def _parameter(parser: Parser, before: Sequence[Parameter]) -> Parameter:
    name = parser.expect_name("the name of a parameter")
    if any(p.name == name.text for p in before):
        raise parser.error(f"{name.text!r} is a parameter already", name)
    type_, is_uniform = Type.F32, False
    if parser.is_at(":"):
        parser.advance()
        is_uniform = parser.is_at("uniform")
        if is_uniform:
            parser.advance()
        type_ = _type(parser)
    default: bool | int | float | None = None
    if parser.is_at("="):
        parser.advance()
        default = _default(parser, type_)
    elif before and before[-1].default is not None:
        raise parser.error(f"{name.text!r} needs a default, since the parameter before it has one", name)
    return Parameter(name.text, type_, default, is_uniform)


def _type(parser: Parser) -> Type:
    token = parser.advance()
    for type_ in Type:
        if type_.value == token.text:
            return type_
    raise parser.error(f"expected a type ({', '.join(Type)}), got {token}", token)


def _default(parser: Parser, type_: Type) -> bool | int | float:
    token: Token = parser.token
    value = parser.typed(parser.expression(), token, type_.scalar)
    if value.op is not Op.CONST or not isinstance(value.attr, bool | int | float) or value.type is not type_.scalar:
        raise parser.error(f"expected a number of type {type_.scalar.value} as default", token)
    return value.attr
