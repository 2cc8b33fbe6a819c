"""The form of a formula: its words without the values of its numbers.

Two texts of one form are parsed alike but for what the parser makes of the values. That is a literal, except for whole
numbers without a suffix, which may count something.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from unshape_expr.numbers_in_text import read_number
from unshape_expr.tokens import Kind, tokenize
from unshape_expr.types import Type

_KEPT = 8  # whoever makes a node of a text, looks at it, and runs it, asks one after the other


class TextForm(NamedTuple):
    """What a text consists of.

    Parameters
    ----------
    words : tuple of (str, or tuple of (Type or None))
        Every word; for a number its type alone, None for whole numbers without a suffix.
    numbers : tuple of int or float
        The values of the numbers.
    """

    words: tuple[str | tuple[Type | None], ...]
    numbers: tuple[int | float, ...]

    @property
    def counts(self) -> tuple[int | float, ...]:
        """The values that may be more than literals."""
        types = [word for word in self.words if not isinstance(word, str)]
        return tuple([number for number, (type_,) in zip(self.numbers, types, strict=True) if type_ is None])


@lru_cache(maxsize=_KEPT)
def form_of(text: str) -> TextForm:
    """Return the form of a text and its numbers.

    Raises
    ------
    ExpressionSyntaxError
        If it does not consist of words of the language.
    """
    words: list[str | tuple[Type | None]] = []
    numbers: list[int | float] = []
    for word in tokenize(text):
        read = read_number(word.text) if word.kind is Kind.NUMBER else None
        if read is None:
            words.append(word.text)
        else:
            words.append((read[0],))
            numbers.append(read[1])
    return TextForm(tuple(words), tuple(numbers))
