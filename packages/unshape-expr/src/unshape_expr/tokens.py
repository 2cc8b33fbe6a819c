"""The words of the expression language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from unshape_expr.errors import ExpressionSyntaxError

MAX_TEXT_LENGTH = 65536
"""Longest text of an expression, in characters."""
MAX_WORD_LENGTH = 64
"""Longest number or name, in characters."""


class Kind(Enum):
    """Kind of a word."""

    NUMBER = "number"
    NAME = "name"
    SYMBOL = "symbol"
    END = "end"


@dataclass(frozen=True, slots=True)
class Token:
    """One word and where it begins, columns counted from 1."""

    kind: Kind
    text: str
    column: int

    def __str__(self) -> str:
        return "the end of the text" if self.kind is Kind.END else repr(self.text)


_WORD = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<number>(?:0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[A-Za-z_0-9]*)
  | (?P<name>[A-Za-z_][A-Za-z_0-9]*)
  | (?P<symbol>\*\*|//|<<|>>|<=|>=|==|!=|&&|\|\||->|[-+*/%<>=!&|^~?:;,.()\[\]{}])
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=8)
def tokenize(text: str) -> tuple[Token, ...]:
    """Return the words of a text, the last one being its end.

    Raises
    ------
    ExpressionSyntaxError
        If the text or a word is too long, or a character has no meaning.
    """
    if len(text) > MAX_TEXT_LENGTH:
        msg = f"expected at most {MAX_TEXT_LENGTH} characters, got {len(text)}"
        raise ExpressionSyntaxError(msg, text=text, column=MAX_TEXT_LENGTH + 1)
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _WORD.match(text, position)
        if match is None:
            msg = f"the character {text[position]!r} has no meaning here"
            raise ExpressionSyntaxError(msg, text=text, column=position + 1)
        word = match.group()
        if match.lastgroup != "space":
            if len(word) > MAX_WORD_LENGTH:
                msg = f"expected a number or name of at most {MAX_WORD_LENGTH} characters, got {len(word)}"
                raise ExpressionSyntaxError(msg, text=text, column=position + 1, width=len(word))
            tokens.append(Token(Kind(match.lastgroup), word, position + 1))
        position = match.end()
    tokens.append(Token(Kind.END, "", len(text) + 1))
    return tuple(tokens)
