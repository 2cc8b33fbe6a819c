"""Formulas whose numbers write down what is done with them."""

from __future__ import annotations

from typing import Any

from unshape_expr.text_form import form_of
from unshape_expr.tokens import Kind, Token, tokenize
from unshape_expr.traced_number import Trace, TracedNumber


class TracedText:
    """A text on which a body depends: as a formula, of which other numbers make another one of the same form.

    Parsing it yields traced numbers. Whatever else is done with it is done with the text itself, which must stay the
    same then; what cannot be noticed is refused with TypeError, as no text is at hand.

    Parameters
    ----------
    trace : Trace
        Where to write.
    text : str
        What it is now.
    place : int
        Where the numbers in it are among the leaves.
    """

    __slots__ = ("_is_parsed", "_is_read", "_numbers", "_place", "_text", "_trace")

    def __init__(self, trace: Trace, text: str, place: int) -> None:
        self._trace, self._text, self._place = trace, text, place
        self._is_parsed = self._is_read = False
        self._numbers: dict[int, int] = {}

    @property  # type: ignore[misc]  # object's may be set as well
    def __class__(self) -> type:  # isinstance() takes it for a text, type() does not
        return str

    def parsed(self) -> str:
        """Return the text for a parser, which is to ask :meth:`number` for every number in it."""
        words = [word for word in tokenize(self._text) if word.kind is Kind.NUMBER]
        self._numbers = {word.column: k for k, word in enumerate(words)}
        self._is_parsed = True
        return self._text

    def number(self, word: Token, value: float) -> TracedNumber:
        """Return a number of the text, traced."""
        place, k = self._place, self._numbers[word.column]
        return TracedNumber(self._trace, value, lambda leaves: leaves[place][k])

    def leaf(self, text: str) -> tuple[int | float, ...] | None:
        """Return the numbers in another text, which stand for it, None if it is not one of the same form."""
        if not self._is_parsed or self._is_read:
            return () if text == self._text else None
        form = form_of(text)
        return form.numbers if form.words == form_of(self._text).words else None

    def __eq__(self, other: object) -> bool:
        self._is_read = True
        return self._text == other

    def __hash__(self) -> int:
        self._is_read = True
        return hash(self._text)

    def __getattr__(self, name: str) -> Any:
        self._is_read = True
        return getattr(self._text, name)
