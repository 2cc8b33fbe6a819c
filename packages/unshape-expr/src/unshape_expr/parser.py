"""The parser behind :func:`unshape_expr.parse.parse`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

from unshape_expr import operators as o
from unshape_expr.builtins_in_text import NAMES, Builtin
from unshape_expr.errors import ExpressionError, ExpressionSyntaxError
from unshape_expr.ir import Expr
from unshape_expr.literal import ExprLike, lift
from unshape_expr.loops import loop_result, open_loop
from unshape_expr.numbers_in_text import NUMBER_NAMES, number
from unshape_expr.ops import Op
from unshape_expr.overloads import choose
from unshape_expr.picture_calls import PICTURE_CALLS
from unshape_expr.powers import power
from unshape_expr.tokens import Kind, Token, tokenize
from unshape_expr.traced_text import TracedText
from unshape_expr.types import Type
from unshape_expr.vectors import is_swizzle, swizzle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unshape_expr.function_table import FunctionTable
    from unshape_expr.scope import Scope

MAX_DEPTH = 100
"""How deep a text may be nested."""

_Binary = Callable[[ExprLike, ExprLike], Expr]
INFIX: Mapping[str, tuple[int, _Binary]] = {
    "||": (4, o.logical_or),
    "or": (4, o.logical_or),
    "&&": (5, o.logical_and),
    "and": (5, o.logical_and),
    "==": (7, o.eq),
    "!=": (7, o.ne),
    "<": (7, o.lt),
    "<=": (7, o.le),
    ">": (7, o.gt),
    ">=": (7, o.ge),
    "|": (8, o.bit_or),
    "^": (9, o.bit_xor),
    "&": (10, o.bit_and),
    "<<": (11, o.shl),
    ">>": (11, o.shr),
    "+": (12, o.add),
    "-": (12, o.sub),
    "*": (13, o.mul),
    "/": (13, o.div),
    "//": (13, o.floordiv),
    "%": (13, o.mod),
}
"""Operators between two values: how tightly each binds, and what it builds."""
_TERNARY, _NOT, _COMPARISON, _SIGN, _POWER = 2, 6, 7, 14, 15
_WORD_OPERATORS = frozenset({"and", "or", "not"})


class Parser:
    """One reading of one text."""

    def __init__(self, text: str | TracedText, *, scope: Scope, functions: FunctionTable) -> None:
        self._traced = text if isinstance(text, TracedText) else None
        self.text = text.parsed() if isinstance(text, TracedText) else text
        self.scope = scope
        self._functions = functions
        self._tokens = tokenize(self.text)
        self._position = 0
        self._depth = 0
        self._bound: dict[str, Expr] = {}

    @property
    def token(self) -> Token:
        """The word that comes next."""
        return self._tokens[self._position]

    def peek(self, ahead: int) -> Token:
        """Return a later word."""
        return self._tokens[min(self._position + ahead, len(self._tokens) - 1)]

    def advance(self) -> Token:
        """Take the next word."""
        token = self._tokens[self._position]
        self._position = min(self._position + 1, len(self._tokens) - 1)
        return token

    def error(self, reason: str, token: Token | None = None) -> ExpressionSyntaxError:
        """Return an error at a word, the next one by default."""
        at = token if token is not None else self.token
        return ExpressionSyntaxError(reason, text=self.text, column=at.column, width=len(at.text))

    def is_at(self, symbol: str) -> bool:
        """Return whether the next word is that symbol."""
        return self.token.text == symbol and self.token.kind is not Kind.END

    def expect(self, symbol: str, opening: Token | None = None) -> Token:
        """Take a symbol that must come next."""
        if not self.is_at(symbol):
            closes = "" if opening is None else f" to close {opening} of column {opening.column}"
            raise self.error(f"expected {symbol!r}{closes}, got {self.token}")
        return self.advance()

    def expect_name(self, what: str) -> Token:
        """Take a name that must come next."""
        if self.token.kind is not Kind.NAME or self.token.text in _WORD_OPERATORS:
            raise self.error(f"expected {what}, got {self.token}")
        return self.advance()

    @contextmanager
    def errors_at(self, token: Token) -> Iterator[None]:
        """Give errors of the builder the place of a word."""
        try:
            yield
        except ExpressionSyntaxError:
            raise
        except ExpressionError as error:
            raise ExpressionSyntaxError(
                str(error), text=self.text, column=token.column, width=len(token.text)
            ) from error

    def parse_all(self) -> Expr:
        """Return the expression of the whole text."""
        start = self.token
        self._bindings()
        result = self.typed(self.expression(), start)
        if self.token.kind is not Kind.END:
            hint = "; '=' gives a name to a part and needs ';' after it" if self.is_at("=") else ""
            raise self.error(f"expected an operator or the end of the text, got {self.token}{hint}")
        return result

    def typed(self, value: Expr | int, token: Token, type: Type = Type.F32) -> Expr:  # noqa: A002 - field's word
        """Return a value as an expression; a number without a type gets the given one."""
        if isinstance(value, Expr):
            return value
        with self.errors_at(token):
            return lift(value, type, where="number")

    def _bindings(self) -> None:
        while self.token.kind is Kind.NAME and self.peek(1).text == "=":
            name = self.advance()
            self.check_new_name(name)
            self.advance()
            self._bound[name.text] = self.typed(self._ternary(keep_loop=True), name)
            self.expect(";")

    def check_new_name(self, name: Token) -> None:
        """Refuse a name that has a meaning already."""
        if name.text in self._bound or name.text in self.scope.values or name.text in NAMES:
            raise self.error(f"{name.text!r} has a meaning already; choose another name", name)

    def expression(self) -> Expr | int:
        """Return the expression that comes next."""
        return self._ternary()

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.error(f"expected nesting of at most {MAX_DEPTH} levels, got more; name parts (t = ...;)")

    def _ternary(self, *, keep_loop: bool = False) -> Expr | int:
        value = self._binary(0, keep_loop=keep_loop)
        if not self.is_at("?"):
            return value
        self._descend()
        question = self.advance()
        if_true = self._ternary()
        if not self.is_at(":"):
            raise self.error(f"expected ':' to go on after '?' of column {question.column}, got {self.token}")
        self.advance()
        if_false = self._ternary()
        self._depth -= 1
        with self.errors_at(question):
            return o.select(value, if_true, if_false)

    def _binary(self, minimum: int, *, keep_loop: bool = False) -> Expr | int:
        self._descend()
        left = self._prefix(minimum)
        while True:
            operator = self.token
            entry = INFIX.get(operator.text) if operator.kind is not Kind.END else None
            if entry is None or entry[0] < minimum:
                break
            precedence, build = entry
            self.advance()
            left = settled(left)
            right = settled(self._binary(precedence + 1))
            with self.errors_at(operator):
                left = build(left, right)
            if precedence == _COMPARISON and self.token.text in INFIX and INFIX[self.token.text][0] == _COMPARISON:
                raise self.error("comparisons do not chain; write a < b && b < c")
        self._depth -= 1
        return left if keep_loop else settled(left)

    def _prefix(self, minimum: int) -> Expr | int:
        token = self.token
        if token.text == "not" and token.kind is Kind.NAME:
            self.advance()
            operand = self._binary(_NOT)
            with self.errors_at(token):
                return o.logical_not(operand)
        if token.kind is not Kind.SYMBOL or token.text not in "-+~!":
            return self._power()
        self.advance()
        following = self.peek(1).text
        if token.text == "-" and _is_number(self.token) and following != "**":
            return number(self.advance(), text=self.text, traced=self._traced, is_negative=True)
        operand = settled(self._binary(max(minimum, _SIGN)))
        with self.errors_at(token):
            match token.text:
                case "-":
                    return o.neg(operand)
                case "~":
                    return o.bit_not(operand)
                case "!":
                    return o.logical_not(operand)
                case _:
                    return operand

    def _power(self) -> Expr | int:
        base = self._postfix()
        if not self.is_at("**"):
            return base
        operator = self.advance()
        # The exponent may carry a sign: 2**-x.
        exponent = settled(self._binary(_SIGN))
        with self.errors_at(operator):
            return power(settled(base), exponent)

    def _postfix(self) -> Expr | int:
        value = self._primary()
        while True:
            token = self.token
            if token.kind is Kind.SYMBOL and token.text == "[":
                value = self._carried_value(value)
            elif token.kind is Kind.SYMBOL and token.text == ".":
                self.advance()
                names = self.expect_name("components such as .x or .rgb")
                if not is_swizzle(names.text):
                    raise self.error(f"expected 1 to 4 letters of 'xyzw' or of 'rgba', got {names}", names)
                with self.errors_at(names):
                    value = swizzle(self.typed(settled(value), names), names.text)
            else:
                return value

    def _carried_value(self, value: Expr | int) -> Expr:
        opening = self.advance()
        if not isinstance(value, Expr) or value.op is not Op.LOOP:
            raise self.error("only a loop has values to choose with [k]; components are chosen with .x", opening)
        token = self.advance()
        index = number(token, text=self.text, traced=self._traced) if _is_number(token) else None
        if not isinstance(index, int) or not 0 <= index < len(value.args) - 1:
            raise self.error(f"expected the number of a carried value, below {len(value.args) - 1}, got {token}", token)
        self.expect("]", opening)
        return loop_result(value, index)

    def _primary(self) -> Expr | int:
        token = self.advance()
        if _is_number(token):
            return number(token, text=self.text, traced=self._traced)
        if token.kind is Kind.NAME and token.text not in _WORD_OPERATORS:
            return self._call(token) if self.is_at("(") else self._name(token)
        if token.text == "(":
            value = self.expression()
            self.expect(")", token)
            return value
        hint = "; powers are written **, products *" if token.text in {"*", "^"} else ""
        raise self.error(f"expected a number, a name or '(', got {token}{hint}", token)

    def _name(self, token: Token) -> Expr:
        name = token.text
        for names in (self._bound, self.scope.values):
            if name in names:
                return names[name]
        color = self.scope.values.get("color")
        if name in "rgba" and color is not None:
            with self.errors_at(token):
                return swizzle(color, name)
        if name in NAMES:
            return NAMES[name][0]()
        if name in self.scope.textures:
            raise self.error(f"the picture {name!r} is read with sample({name}, uv)", token)
        if self._functions.find(name) is not None:
            raise self.error(f"{name!r} is a function; call it as {name}(...)", token)
        known = [*self._bound, *self.scope.values, *NAMES]
        raise self.error(f"unknown name {name!r}{_suggestion(name, known)}", token)

    def _call(self, name: Token) -> Expr:
        opening = self.advance()
        if name.text == "loop":
            return self._loop(name, opening)
        if name.text in PICTURE_CALLS:
            return PICTURE_CALLS[name.text](self, name, opening)
        found = self._functions.find(name.text)
        if found is None:
            known = [*self._functions.names(), *PICTURE_CALLS, "loop"]
            raise self.error(f"unknown function {name.text!r}{_suggestion(name.text, known)}", name)
        arguments, named = self._arguments(opening)
        with self.errors_at(name):
            if isinstance(found, Builtin):
                return self._build(found, arguments, named)
            return choose(found, arguments, named)(*arguments, **named)

    def _arguments(self, opening: Token) -> tuple[list[ExprLike], dict[str, ExprLike]]:
        arguments: list[ExprLike] = []
        named: dict[str, ExprLike] = {}
        while not self.is_at(")"):
            if arguments or named:
                self.separator(opening)
            token = self.token
            if token.kind is Kind.NAME and self.peek(1).text == "=":
                self._position += 2
                if token.text in named:
                    raise self.error(f"{token.text!r} is given twice", token)
                named[token.text] = self.expression()
            elif named:
                raise self.error("expected arguments by name after the first one by name")
            else:
                arguments.append(self.expression())
        self.expect(")", opening)
        return arguments, named

    def separator(self, opening: Token) -> None:
        """Take the comma between arguments."""
        if not self.is_at(","):
            raise self.error(f"expected ',' or ')' to close {opening} of column {opening.column}, got {self.token}")
        self.advance()

    @staticmethod
    def _build(builtin: Builtin, arguments: list[ExprLike], named: dict[str, ExprLike]) -> Expr:
        for name in named:
            if name not in builtin.parameters or builtin.parameters.index(name) < len(arguments):
                what = "is given twice" if name in builtin.parameters else "is no parameter"
                msg = f"{builtin.name}: {name!r} {what}; usage: {builtin.usage}"
                raise ExpressionError(msg)
        for name in builtin.parameters[len(arguments) :]:
            if name not in named:
                msg = f"{builtin.name}: {name!r} is missing; usage: {builtin.usage}"
                raise ExpressionError(msg)
            arguments.append(named[name])
        if len(arguments) > len(builtin.parameters) and not builtin.is_variadic:
            msg = f"{builtin.name}: expected {len(builtin.parameters)} arguments, got {len(arguments)}; {builtin.usage}"
            raise ExpressionError(msg)
        return builtin.build(*arguments)

    def _loop(self, name: Token, opening: Token) -> Expr:
        index = self.expect_name("a name for the index of the loop")
        self.separator(opening)
        count = self.typed(self.expression(), name, Type.I32)
        self.separator(opening)
        bound = self.advance()
        max_count = number(bound, text=self.text, traced=self._traced) if _is_number(bound) else None
        if not isinstance(max_count, int):
            raise self.error(f"expected the largest count as a whole number, got {bound}", bound)
        names: list[Token] = []
        start: list[Expr] = []
        while self.is_at(","):
            self.advance()
            names.append(self.expect_name("a name for a carried value"))
            self.expect("=")
            start.append(self.typed(self.expression(), names[-1]))
        self.expect(")", opening)
        before = dict(self._bound)
        with self.errors_at(name):
            opened = open_loop(count, start, max_count=max_count)
        for token, value in zip([index, *names], [opened.index, *opened.states], strict=True):
            self.check_new_name(token)
            self._bound[token.text] = value
        brace = self.expect("{")
        self._bindings()
        results: list[ExprLike] = [self.expression()]
        while self.is_at(","):
            self.advance()
            results.append(self.expression())
        self.expect("}", brace)
        self._bound = before
        with self.errors_at(name):
            return opened.close(results)


def settled(value: Expr | int) -> Expr | int:
    """Return a value of which a loop stands for its first carried value."""
    return loop_result(value, 0) if isinstance(value, Expr) and value.op is Op.LOOP else value


def _is_number(token: Token) -> bool:
    return token.kind is Kind.NUMBER or (token.kind is Kind.NAME and token.text in NUMBER_NAMES)


def _suggestion(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""
