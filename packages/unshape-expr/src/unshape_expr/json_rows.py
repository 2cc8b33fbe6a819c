"""Reading of one row of the JSON form, with every value checked."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from difflib import get_close_matches
from enum import StrEnum
from typing import Any, TypeVar

from unshape_expr.check import operation_problem
from unshape_expr.errors import ExpressionFileError
from unshape_expr.function_table import FunctionTable, default_functions
from unshape_expr.ir import Attr, Border, Expr, Fetching, Filter, LoopScope, LoopState, Sampling
from unshape_expr.ops import Op
from unshape_expr.types import Type

MAX_NAME_LENGTH = 200
"""Longest name in a file, in characters."""
_Choice = TypeVar("_Choice", bound=StrEnum)
_NAMED = frozenset(
    {Op.UNIFORM, Op.INPUT, Op.SCALAR_INPUT, Op.ARGUMENT, Op.TEXTURE_WIDTH, Op.TEXTURE_HEIGHT, Op.SAMPLE, Op.FETCH}
)
_ATTRIBUTES: dict[Op, frozenset[str]] = {
    Op.CONST: frozenset({"value"}),
    Op.SAMPLE: frozenset({"name", "filter", "border"}),
    Op.FETCH: frozenset({"name", "border"}),
    Op.COMPONENT: frozenset({"index"}),
    Op.LOOP_RESULT: frozenset({"index"}),
    Op.LOOP: frozenset({"loop"}),
    Op.LOOP_INDEX: frozenset({"loop"}),
    Op.LOOP_STATE: frozenset({"loop", "index"}),
    Op.CALL: frozenset({"function"}),
} | {op: frozenset({"name"}) for op in _NAMED - {Op.SAMPLE, Op.FETCH}}


class RowReader:
    """Reads rows in order and keeps what they made.

    Parameters
    ----------
    functions : FunctionTable or None
        Where called functions are found; the default table if None, which is not made unless a function is called.
    """

    def __init__(self, functions: FunctionTable | None) -> None:
        self._functions = functions
        self._made: list[Expr] = []
        self.scopes: list[LoopScope] = []

    def read(self, row: object, path: str) -> None:
        """Make the operation of one row."""
        item = self.object_at(row, path, required={"op", "type"}, optional=None)
        op = self.choice(item["op"], f"{path}.op", Op)
        type_ = self.choice(item["type"], f"{path}.type", Type)
        wanted = _ATTRIBUTES.get(op, frozenset())
        self.object_at(row, path, required={"op", "type", *wanted}, optional={"args"})
        args = self.list_at(item.get("args", []), f"{path}.args", limit=65)
        made = tuple(self.reference(a, f"{path}.args[{k}]") for k, a in enumerate(args))
        expr = Expr(op, type_, made, self._attr(op, type_, item, path))
        # The values that a loop carries are known only when all rows are; the whole is checked afterwards.
        problem = None if op in {Op.LOOP, Op.LOOP_STATE} else operation_problem(expr)
        if problem is not None:
            raise ExpressionFileError(f"{op.value}: {problem}", json_path=path)
        self._made.append(expr)

    def reference(self, value: object, path: str) -> Expr:
        """Return the operation of an earlier row."""
        return self._made[self.integer_at(value, path, limit=len(self._made), what="the number of an earlier row")]

    def _attr(self, op: Op, type_: Type, item: dict[str, Any], path: str) -> Attr:
        if op in _NAMED:
            name = self._name(item["name"], f"{path}.name")
            if op is Op.SAMPLE:
                chosen = self.choice(item["filter"], f"{path}.filter", Filter)
                return Sampling(name, chosen, self.choice(item["border"], f"{path}.border", Border))
            return Fetching(name, self.choice(item["border"], f"{path}.border", Border)) if op is Op.FETCH else name
        match op:
            case Op.CONST:
                return self._value(item["value"], type_, f"{path}.value")
            case Op.COMPONENT | Op.LOOP_RESULT:
                return self.integer_at(item["index"], f"{path}.index", limit=64)
            case Op.LOOP | Op.LOOP_INDEX:
                return self._scope(item["loop"], f"{path}.loop")
            case Op.LOOP_STATE:
                index = self.integer_at(item["index"], f"{path}.index", limit=64)
                return LoopState(self._scope(item["loop"], f"{path}.loop"), index)
            case Op.CALL:
                return self._function(item["function"], f"{path}.function")
            case _:
                return None

    def _scope(self, value: object, path: str) -> LoopScope:
        return self.scopes[self.integer_at(value, path, limit=len(self.scopes), what="the number of a loop")]

    def _function(self, value: object, path: str) -> Attr:
        name = self._name(value, path)
        table = self._functions if self._functions is not None else default_functions()
        found = table.find_qualified(name)
        if found is None:
            close = get_close_matches(name, [f.qualified_name for f in table.functions()], n=1)
            hint = f"; did you mean {close[0]!r}?" if close else "; install or register what brings it"
            raise ExpressionFileError(f"unknown function {name!r}{hint}", json_path=path)
        return found

    @staticmethod
    def _value(value: object, type_: Type, path: str) -> bool | int | float:
        if type_ is Type.F32 and isinstance(value, str) and value in {"inf", "-inf", "nan"}:
            return float(value)
        if type_ is Type.F32 and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
            return float(value)
        if isinstance(value, bool | int | float):
            return value
        msg = f'expected a number, true, false, "inf", "-inf" or "nan", got {_shown(value)}'
        raise ExpressionFileError(msg, json_path=path)

    @staticmethod
    def _name(value: object, path: str) -> str:
        if isinstance(value, str) and 0 < len(value) <= MAX_NAME_LENGTH:
            return value
        msg = f"expected a name of 1 to {MAX_NAME_LENGTH} characters, got {_shown(value)}"
        raise ExpressionFileError(msg, json_path=path)

    @staticmethod
    def choice(value: object, path: str, choices: type[_Choice]) -> _Choice:
        """Return a value that must be one of a set of words."""
        for choice in choices:
            if isinstance(value, str) and choice.value == value:
                return choice
        listed = ", ".join(choices) if len(choices) < 10 else f"a known {choices.__name__.lower()}"
        raise ExpressionFileError(f"expected {listed}, got {_shown(value)}", json_path=path)

    @staticmethod
    def integer_at(value: object, path: str, *, limit: int, what: str = "an integer") -> int:
        """Return a value that must be an integer in ``[0, limit)``."""
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < limit:
            return value
        raise ExpressionFileError(f"expected {what} in [0, {limit}), got {_shown(value)}", json_path=path)

    @staticmethod
    def list_at(value: object, path: str, *, limit: int) -> list[Any]:
        """Return a value that must be a list of at most ``limit`` items."""
        if isinstance(value, list) and len(value) <= limit:
            return value
        got = f"{len(value)} items" if isinstance(value, list) else _shown(value)
        raise ExpressionFileError(f"expected a list of at most {limit} items, got {got}", json_path=path)

    @staticmethod
    def object_at(
        value: object, path: str, *, required: AbstractSet[str], optional: AbstractSet[str] | None = frozenset()
    ) -> dict[str, Any]:
        """Return a value that must be an object with those members; with any others if ``optional`` is None."""
        if not isinstance(value, dict):
            raise ExpressionFileError(f"expected an object, got {_shown(value)}", json_path=path)
        missing = sorted(required - value.keys())
        if missing:
            raise ExpressionFileError(f"expected a member {missing[0]!r}, got none", json_path=path)
        unknown = [] if optional is None else sorted(str(k) for k in value if k not in required and k not in optional)
        if unknown:
            raise ExpressionFileError(f"expected no member {_shown(unknown[0])}", json_path=path)
        return value


def _shown(value: object) -> str:
    """Return a short text of any JSON value."""
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value)} items"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
