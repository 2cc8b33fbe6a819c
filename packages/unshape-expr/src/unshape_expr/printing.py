"""Expressions as text that the parser reads back.

What is used more than once becomes a name (``t0 = ...;``), and so does what is nested too deep to read; so the text is
as long as the expression has operations, whatever its depth and sharing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from unshape_expr.blocks import assign_blocks
from unshape_expr.functions import Function
from unshape_expr.ir import Border, Expr, Fetching, Filter, LoopScope, LoopState, Sampling
from unshape_expr.literal import round_to_f32
from unshape_expr.ops import Op
from unshape_expr.traverse import children, postorder
from unshape_expr.types import Type

MAX_NESTING = 12
"""How deep the text nests before a part gets a name."""

_ATOM, _POWER, _UNARY = 20, 15, 14
_INFIX: dict[Op, tuple[str, int]] = {
    Op.MUL: ("*", 13),
    Op.DIV: ("/", 13),
    Op.MOD: ("%", 13),
    Op.ADD: ("+", 12),
    Op.SUB: ("-", 12),
    Op.SHL: ("<<", 11),
    Op.SHR: (">>", 11),
    Op.BIT_AND: ("&", 10),
    Op.BIT_XOR: ("^", 9),
    Op.BIT_OR: ("|", 8),
    Op.EQ: ("==", 7),
    Op.NE: ("!=", 7),
    Op.LT: ("<", 7),
    Op.LE: ("<=", 7),
    Op.AND: ("&&", 5),
    Op.OR: ("||", 4),
}
_PREFIX = {Op.NEG: "-", Op.BIT_NOT: "~", Op.NOT: "!"}
UNIFORM_NAMES = {"time_s": "time", "frame": "frame", "dt_s": "dt", "seed": "seed", "preview": "preview"}
"""Names in text of the uniforms that every evaluation has."""


def to_text(expr: Expr, *, max_length: int | None = None) -> str:
    """Return an expression as text.

    Parameters
    ----------
    expr : Expr
        The expression.
    max_length : int or None
        Cut after that many characters; None gives all of it, which parses to the same expression.
    """
    text = _Printer(expr).print()
    return text if max_length is None or len(text) <= max_length else text[:max_length] + "..."


def literal_text(value: object, type: Type) -> str:  # noqa: A002 - the field's word
    """Return a literal as text that reads back to the same bits."""
    match type:
        case Type.BOOL:
            return "true" if value else "false"
        case Type.I32:
            return f"{value}i"
        case Type.U32:
            return f"{value}u"
        case _:
            return _float_text(float(str(value)))


def _float_text(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if round_to_f32(float(text)) == value:
            break
    else:
        text = repr(value)
    return text if any(c in text for c in ".e") else f"{text}.0"


class _Printer:
    def __init__(self, root: Expr) -> None:
        self._root = root
        self._order = postorder((root,))
        self._blocks = assign_blocks(self._order)
        self._uses: dict[Expr, int] = {root: 1}
        for expr in self._order:
            for child in children(expr):
                self._uses[child] = self._uses.get(child, 0) + 1
        self._text: dict[Expr, tuple[str, int, int]] = {}
        self._counts: dict[str, int] = {}
        self._taken = {e.attr for e in self._order if isinstance(e.attr, str)}
        self._loop_names: dict[LoopScope, tuple[str, tuple[str, ...]]] = {}

    def _fresh(self, prefix: str) -> str:
        number = self._counts.get(prefix, 0)
        while f"{prefix}{number}" in self._taken:
            number += 1
        self._counts[prefix] = number + 1
        return f"{prefix}{number}"

    def print(self) -> str:
        return self._block(None, (self._root,))

    def _block(self, scope: LoopScope | None, results: Sequence[Expr]) -> str:
        bindings: list[str] = []
        for expr in self._blocks[scope]:
            text, precedence, depth = self._operation(expr)
            is_result = expr in results and self._uses[expr] == 1
            is_shared = self._uses[expr] > 1 and expr.op not in {Op.LOOP_INDEX, Op.LOOP_STATE}
            if not is_result and (is_shared or expr.op is Op.LOOP or depth > MAX_NESTING):
                name = self._fresh("t")
                bindings.append(f"{name} = {text}; ")
                text, precedence, depth = name, _ATOM, 0
            self._text[expr] = (text, precedence, depth)
        return "".join(bindings) + ", ".join(self._text[r][0] for r in results)

    def _operation(self, expr: Expr) -> tuple[str, int, int]:
        """Return text, precedence and depth of one operation whose arguments have been printed."""
        if expr.op is Op.LOOP:
            return self._loop(expr), _ATOM, 0
        depth = 1 + max((self._text[a][2] for a in expr.args), default=-1)
        infix = _INFIX.get(expr.op)
        if infix is not None:
            symbol, precedence = infix
            if expr.op is Op.DIV and expr.type.is_integer:
                symbol = "//"
            is_comparison = precedence == 7
            left = self._at_least(expr.args[0], precedence + is_comparison)
            return f"{left} {symbol} {self._at_least(expr.args[1], precedence + 1)}", precedence, depth
        if expr.op in _PREFIX:
            operand = self._at_least(expr.args[0], _UNARY)
            # "-1.5" is a literal; the negation of a literal needs parentheses, and so do two signs in a row.
            if expr.args[0].op is Op.CONST or operand[0] in "-~!":
                operand = f"({operand})"
            return _PREFIX[expr.op] + operand, _UNARY, depth
        if expr.op is Op.CONST:
            text = literal_text(expr.attr, expr.type)
            return text, _UNARY if text.startswith("-") else _ATOM, 0
        if expr.op is Op.COMPONENT and isinstance(expr.attr, int):
            return f"{self._at_least(expr.args[0], _ATOM)}.{'xyzw'[expr.attr]}", _ATOM, depth
        if expr.op is Op.LOOP_RESULT:
            return f"{self._text[expr.args[0]][0]}[{expr.attr}]", _ATOM, depth
        return self._call(expr), _ATOM, depth

    def _at_least(self, expr: Expr, precedence: int) -> str:
        text, own, _ = self._text[expr]
        return text if own >= precedence else f"({text})"

    def _call(self, expr: Expr) -> str:
        args = [self._text[a][0] for a in expr.args]
        attr = expr.attr
        match attr:
            case str():
                if expr.op in {Op.TEXTURE_WIDTH, Op.TEXTURE_HEIGHT}:
                    return f"{expr.op.value}({attr})"
                return UNIFORM_NAMES.get(attr, attr) if expr.op is Op.UNIFORM else attr
            case LoopState():
                return self._loop_names[attr.scope][1][attr.index]
            case LoopScope():
                return self._loop_names[attr][0]
            case Function():
                name = attr.name
            case Sampling():
                name = "sample"
                args.insert(0, attr.port)
                if attr.filter is not Filter.BILINEAR:
                    args.append(f"filter={attr.filter.value}")
                if attr.border is not Border.CLAMP:
                    args.append(f"border={attr.border.value}")
            case Fetching():
                name = "fetch"
                args.insert(0, attr.port)
                if attr.border is not Border.CLAMP:
                    args.append(f"border={attr.border.value}")
            case _:
                name = expr.type.value if expr.op in {Op.VEC, Op.SPLAT} else expr.op.value
        return f"{name}({', '.join(args)})" if expr.args or isinstance(attr, Function) else name

    def _loop(self, expr: Expr) -> str:
        scope = expr.attr
        assert isinstance(scope, LoopScope)
        index = self._fresh("i")
        states = tuple([self._fresh("s") for _ in scope.results])
        self._loop_names[scope] = (index, states)
        body = self._block(scope, scope.results)
        start = "".join(f", {s} = {self._text[a][0]}" for s, a in zip(states, expr.args[1:], strict=True))
        return f"loop({index}, {self._text[expr.args[0]][0]}, {scope.max_count}{start}) {{ {body} }}"
