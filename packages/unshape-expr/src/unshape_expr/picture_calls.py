"""The calls in text whose first argument is the name of a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from unshape_expr.ir import Border, Expr, Filter
from unshape_expr.pictures import fetch, sample, texture_height, texture_size, texture_width
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.parser import Parser
    from unshape_expr.tokens import Token

_Choice = TypeVar("_Choice", bound=StrEnum)


def _picture(parser: Parser) -> tuple[str, Type]:
    token = parser.expect_name("the name of a picture")
    type_ = parser.scope.textures.get(token.text)
    if type_ is None:
        names = ", ".join(sorted(parser.scope.textures)) or "none"
        raise parser.error(f"{token.text!r} is no picture input; pictures here: {names}", token)
    return token.text, type_


def _option(parser: Parser, opening: Token, name: str, choices: type[_Choice], default: _Choice) -> _Choice:
    """Take ``, name=choice`` if it comes next."""
    if not parser.is_at(",") or parser.peek(1).text != name:
        return default
    parser.separator(opening)
    parser.advance()
    parser.expect("=")
    token = parser.advance()
    for choice in choices:
        if choice.value == token.text:
            return choice
    raise parser.error(f"{name}: expected one of {', '.join(choices)}, got {token}", token)


def _argument(parser: Parser, opening: Token, type_: Type) -> Expr:
    parser.separator(opening)
    token = parser.token
    return parser.typed(parser.expression(), token, type_)


def _sample(parser: Parser, name: Token, opening: Token) -> Expr:
    port, type_ = _picture(parser)
    position = _argument(parser, opening, Type.F32)
    chosen = _option(parser, opening, "filter", Filter, Filter.BILINEAR)
    border = _option(parser, opening, "border", Border, Border.CLAMP)
    parser.expect(")", opening)
    with parser.errors_at(name):
        return sample(port, position, type=type_, filter=chosen, border=border)


def _fetch(parser: Parser, name: Token, opening: Token) -> Expr:
    port, type_ = _picture(parser)
    x = _argument(parser, opening, Type.I32)
    y = _argument(parser, opening, Type.I32)
    border = _option(parser, opening, "border", Border, Border.CLAMP)
    parser.expect(")", opening)
    with parser.errors_at(name):
        return fetch(port, x, y, type=type_, border=border)


def _size(build: Callable[[str], Expr]) -> PictureCall:
    def take(parser: Parser, name: Token, opening: Token) -> Expr:
        port, _ = _picture(parser)
        parser.expect(")", opening)
        with parser.errors_at(name):
            return build(port)

    return take


PictureCall = Callable[["Parser", "Token", "Token"], Expr]

PICTURE_CALLS: Mapping[str, PictureCall] = MappingProxyType(
    {
        "sample": _sample,
        "fetch": _fetch,
        "texture_size": _size(texture_size),
        "texture_width": _size(texture_width),
        "texture_height": _size(texture_height),
    }
)
"""Each takes the rest of the call after its opening parenthesis."""
