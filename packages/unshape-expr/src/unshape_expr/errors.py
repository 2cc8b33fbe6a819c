"""The errors of expressions.

::

    UnshapeError
    └── ExpressionError (ValueError)          an expression that cannot be built
        ├── ExpressionTypeError (TypeError)   an operation on types that it does not take
        ├── ExpressionSyntaxError             a text that is no expression; carries the column
        └── ExpressionFileError               JSON that is no expression; carries a JSON path
"""

from __future__ import annotations

from unshape_core.errors import UnshapeError


class ExpressionError(UnshapeError, ValueError):
    """An expression cannot be built that way."""


class ExpressionTypeError(ExpressionError, TypeError):
    """An operation was given arguments of types that it does not take."""


class ExpressionSyntaxError(ExpressionError):
    """A text is no expression.

    Attributes
    ----------
    reason : str
        What is wrong, in one sentence without the place.
    text : str
        The text.
    column : int
        Where, from 1.
    width : int
        How many characters are concerned, at least 1.
    """

    def __init__(self, reason: str, *, text: str, column: int, width: int = 1) -> None:
        self.reason = reason
        self.text = text
        self.column = column
        self.width = max(width, 1)
        super().__init__(f"column {column}: {reason}\n{self.excerpt()}")

    def __reduce__(self) -> tuple[object, ...]:
        return _syntax_error, (self.reason, self.text, self.column, self.width)

    def excerpt(self) -> str:
        """Return the part of the text around the place, and a line below it that points there."""
        start = max(0, self.column - 1 - 50)
        part = self.text[start : self.column - 1 + 50]
        shown = "".join(c if c.isprintable() else " " for c in part)  # whoever wrote it must not steer the terminal
        left = "..." if start > 0 else ""
        right = "..." if self.column - 1 + 50 < len(self.text) else ""
        caret = " " * (len(left) + self.column - 1 - start)
        marks = "^" * max(1, min(self.width, len(shown) - (self.column - 1 - start)))
        return f"  {left}{shown}{right}\n  {caret}{marks}"


def _syntax_error(reason: str, text: str, column: int, width: int) -> ExpressionSyntaxError:
    return ExpressionSyntaxError(reason, text=text, column=column, width=width)


class ExpressionFileError(ExpressionError):
    """JSON is no expression.

    Attributes
    ----------
    json_path : str
        Where, for example ``$.rows[3].args``.
    """

    def __init__(self, message: str, *, json_path: str = "$") -> None:
        super().__init__(f"{json_path}: {message}")
        self.json_path = json_path
        self.reason = message

    def __reduce__(self) -> tuple[object, ...]:
        return _file_error, (self.reason, self.json_path)


def _file_error(reason: str, json_path: str) -> ExpressionFileError:
    return ExpressionFileError(reason, json_path=json_path)
