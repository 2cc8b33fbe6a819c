"""Numbers in text: which type each has.

Whole numbers without a suffix take the type that fits where they stand (f32 if nothing says otherwise); ``3i`` is an
i32, ``3u`` and ``0xff`` are u32, ``3f`` and everything with a point or an exponent is f32; ``inf`` and ``nan`` are f32.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unshape_expr.errors import ExpressionSyntaxError, ExpressionTypeError
from unshape_expr.ir import Expr
from unshape_expr.literal import literal
from unshape_expr.tokens import Token
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.traced_text import TracedText

_HEX = re.compile(r"0[xX]([0-9a-fA-F]+)u?")
_INTEGER = re.compile(r"([0-9]+)([iuf]?)")
_FLOAT = re.compile(r"((?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)?)f?")
_SUFFIXES = {"": None, "i": Type.I32, "u": Type.U32, "f": Type.F32}
NUMBER_NAMES = frozenset({"inf", "nan"})


def read_number(word: str) -> tuple[Type | None, int | float] | None:
    """Return type and value of a number as it is written, None if it is none; untyped whole numbers have no type."""
    if match := _HEX.fullmatch(word):
        return Type.U32, int(match[1], 16)
    if match := _INTEGER.fullmatch(word):
        return _SUFFIXES[match[2]], float(match[1]) if match[2] == "f" else int(match[1])
    if match := _FLOAT.fullmatch(word):
        return Type.F32, float(match[1])
    return None


def number(token: Token, *, text: str, traced: TracedText | None = None, is_negative: bool = False) -> Expr | int:
    """Return the value of a number: an untyped whole number as an int, any other as a literal.

    ``traced`` is the text, if what is done with its numbers is written down.

    Raises
    ------
    ExpressionSyntaxError
        If it is written wrongly or does not fit its type.
    """
    sign = -1 if is_negative else 1
    word = token.text
    if word in NUMBER_NAMES:
        return literal(sign * float(word))
    read = read_number(word)
    if read is None:
        msg = f"{word!r} is no number; write 1, 1.5, 1e-3, 3i (i32), 3u or 0xff (u32)"
        raise ExpressionSyntaxError(msg, text=text, column=token.column, width=len(word))
    type_, value = read
    signed: Any = sign * (value if traced is None else traced.number(token, value))
    try:
        if type_ is not None:
            return literal(signed, type_)
        # An untyped zero has no sign, so "-0" is an f32.
        return literal(-0.0) if is_negative and signed == 0 else signed
    except ExpressionTypeError as error:
        raise ExpressionSyntaxError(str(error), text=text, column=token.column, width=len(word)) from error
