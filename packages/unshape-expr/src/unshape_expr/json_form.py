"""Expressions as JSON, and back.

The frozen graph of operations, one row each, arguments before their users; sharing and loops survive. JSON is untrusted
input: sizes are bounded, every row is checked as it is read, and errors carry a JSON path.

::

    {"version": 1,
     "rows": [{"op": "input", "type": "vec3", "name": "color"},
              {"op": "const", "type": "f32", "value": 0.5},
              {"op": "splat", "type": "vec3", "args": [1]},
              {"op": "mul", "type": "vec3", "args": [0, 2]}],
     "outputs": [3]}
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from unshape_expr.check import check
from unshape_expr.errors import ExpressionError, ExpressionFileError
from unshape_expr.function_table import FunctionTable
from unshape_expr.functions import Function
from unshape_expr.ir import Expr, Fetching, LoopScope, LoopState, Sampling
from unshape_expr.json_rows import RowReader
from unshape_expr.ops import Op
from unshape_expr.traverse import postorder

Json: TypeAlias = dict[str, Any]
VERSION = 1
MAX_ROWS = 1_000_000
"""Most operations of one file."""
MAX_LOOPS = 10_000
"""Most loops of one file."""


def to_json(outputs: Expr | Sequence[Expr]) -> Json:
    """Return expressions as an object of JSON's types; see the module for its form."""
    roots = (outputs,) if isinstance(outputs, Expr) else tuple(outputs)
    order = postorder(roots)
    numbers = {expr: number for number, expr in enumerate(order)}
    scopes: dict[LoopScope, int] = {}
    rows = [_row(expr, numbers, scopes) for expr in order]
    form: Json = {"version": VERSION, "rows": rows}
    if scopes:
        form["loops"] = [{"max_count": s.max_count, "results": [numbers[r] for r in s.results]} for s in scopes]
    form["outputs"] = [numbers[root] for root in roots]
    return form


def _row(expr: Expr, numbers: dict[Expr, int], scopes: dict[LoopScope, int]) -> Json:
    row: Json = {"op": expr.op.value, "type": expr.type.value}
    if expr.args:
        row["args"] = [numbers[a] for a in expr.args]
    match expr.attr:
        case bool() | float() as value:
            row["value"] = _json_number(value)
        case int() as value:
            row["value" if expr.op is Op.CONST else "index"] = value
        case str() as name:
            row["name"] = name
        case Sampling() as how:
            row |= {"name": how.port, "filter": how.filter.value, "border": how.border.value}
        case Fetching() as how:
            row |= {"name": how.port, "border": how.border.value}
        case LoopScope() as scope:
            row["loop"] = scopes.setdefault(scope, len(scopes))
        case LoopState(scope=scope, index=index):
            row |= {"loop": scopes.setdefault(scope, len(scopes)), "index": index}
        case Function() as function:
            row["function"] = function.qualified_name
        case None:
            pass
    return row


def _json_number(value: float) -> float | str:
    """Return a number as JSON has it; it has neither infinities nor NaN."""
    if isinstance(value, bool) or math.isfinite(value):
        return value
    return str(value)


def from_json(form: object, *, functions: FunctionTable | None = None) -> tuple[Expr, ...]:
    """Return the expressions that an object of JSON's types describes.

    Parameters
    ----------
    form : object
        What :func:`to_json` gave, or what a JSON reader made of a file.
    functions : FunctionTable or None
        Where called functions are found; the default table if None.

    Raises
    ------
    ExpressionFileError
        If it describes none, with the JSON path.
    """
    reader = RowReader(functions)
    top = reader.object_at(form, "$", required={"version", "rows", "outputs"}, optional={"loops"})
    if top["version"] != VERSION or isinstance(top["version"], bool):
        msg = f"expected version {VERSION}, got {top['version']!r}"
        raise ExpressionFileError(msg, json_path="$.version")
    rows = reader.list_at(top["rows"], "$.rows", limit=MAX_ROWS)
    loops = reader.list_at(top.get("loops", []), "$.loops", limit=MAX_LOOPS)
    results: list[tuple[LoopScope, list[Any]]] = []
    for number, loop in enumerate(loops):
        path = f"$.loops[{number}]"
        item = reader.object_at(loop, path, required={"max_count", "results"})
        scope = LoopScope(reader.integer_at(item["max_count"], f"{path}.max_count", limit=65537))
        reader.scopes.append(scope)
        results.append((scope, reader.list_at(item["results"], f"{path}.results", limit=64)))
    for number, row in enumerate(rows):
        reader.read(row, f"$.rows[{number}]")
    for number, (scope, wanted) in enumerate(results):
        path = f"$.loops[{number}].results"
        scope.results = tuple(reader.reference(value, f"{path}[{k}]") for k, value in enumerate(wanted))
    outputs = reader.list_at(top["outputs"], "$.outputs", limit=MAX_ROWS)
    if not outputs:
        msg = "expected at least one output, got none"
        raise ExpressionFileError(msg, json_path="$.outputs")
    found = tuple(reader.reference(value, f"$.outputs[{k}]") for k, value in enumerate(outputs))
    try:
        check(found)
    except ExpressionError as error:
        raise ExpressionFileError(str(error)) from error
    return found


def dumps(outputs: Expr | Sequence[Expr]) -> str:
    """Return expressions as a JSON text."""
    return json.dumps(to_json(outputs), separators=(",", ":"), allow_nan=False)


def loads(text: str, *, functions: FunctionTable | None = None) -> tuple[Expr, ...]:
    """Return the expressions of a JSON text.

    Raises
    ------
    ExpressionFileError
        If the text is no JSON, or describes no expression.
    """
    try:
        form = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"expected JSON, got text that is none: {error}"
        raise ExpressionFileError(msg) from error
    return from_json(form, functions=functions)
