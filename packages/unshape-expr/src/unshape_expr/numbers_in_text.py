"""Numbers in text: which type each has.

Whole numbers without a suffix take the type that fits where they stand (f32 if nothing says otherwise); ``3i`` is an
i32, ``3u`` and ``0xff`` are u32, ``3f`` and everything with a point or an exponent is f32; ``inf`` and ``nan`` are f32.
"""

from __future__ import annotations

import re

from unshape_expr.errors import ExpressionSyntaxError, ExpressionTypeError
from unshape_expr.ir import Expr
from unshape_expr.literal import literal
from unshape_expr.tokens import Token
from unshape_expr.types import Type

_HEX = re.compile(r"0[xX]([0-9a-fA-F]+)u?")
_INTEGER = re.compile(r"([0-9]+)([iuf]?)")
_FLOAT = re.compile(r"((?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?)f?")
NUMBER_NAMES = frozenset({"inf", "nan"})


def number(token: Token, *, text: str, is_negative: bool = False) -> Expr | int:
    """Return the value of a number: an untyped whole number as an int, any other as a literal.

    Raises
    ------
    ExpressionSyntaxError
        If it is written wrongly or does not fit its type.
    """
    sign = -1 if is_negative else 1
    word = token.text
    try:
        if word in NUMBER_NAMES:
            return literal(sign * float(word))
        if match := _HEX.fullmatch(word):
            return literal(sign * int(match[1], 16), Type.U32)
        if match := _INTEGER.fullmatch(word):
            value = sign * int(match[1])
            match match[2]:
                case "i":
                    return literal(value, Type.I32)
                case "u":
                    return literal(value, Type.U32)
                case "f":
                    return literal(sign * float(match[1]))
                case _:
                    # An untyped zero has no sign, so "-0" is an f32.
                    return literal(-0.0) if is_negative and value == 0 else value
        if match := _FLOAT.fullmatch(word):
            return literal(sign * float(match[1]))
    except ExpressionTypeError as error:
        raise ExpressionSyntaxError(str(error), text=text, column=token.column, width=len(word)) from error
    msg = f"{word!r} is no number; write 1, 1.5, 1e-3, 3i (i32), 3u or 0xff (u32)"
    raise ExpressionSyntaxError(msg, text=text, column=token.column, width=len(word))
