"""The structure of expressions: what is left when the values of literals are taken away."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from hashlib import blake2b

from unshape_expr.functions import Function
from unshape_expr.ir import Attr, Expr, LoopScope, LoopState
from unshape_expr.ops import Op
from unshape_expr.simplify import merge_common
from unshape_expr.traverse import postorder


def structure_key(outputs: Sequence[Expr]) -> bytes:
    """Return a digest of expressions without the values of their literals.

    Expressions of equal keys are computed by the same compiled code with other slot values.
    """
    return blake2b("\n".join(_lines(outputs)[0]).encode(), digest_size=16).digest()


def literal_values(outputs: Sequence[Expr]) -> tuple[bool | int | float, ...]:
    """Return the values of the literal slots in their order."""
    return tuple(e.attr for e in postorder(outputs) if e.op is Op.CONST and isinstance(e.attr, bool | int | float))


def is_same_expression(a: Expr | Sequence[Expr], b: Expr | Sequence[Expr]) -> bool:
    """Return whether two expressions are the same operations on the same literals.

    Whether equal operations are one object or several makes no difference, except for literals: those are slots. NaN
    literals are the same; 0.0 and -0.0 are not.
    """
    left, right = ((e,) if isinstance(e, Expr) else tuple(e) for e in (a, b))
    return _lines(left) == _lines(right)


def _lines(outputs: Sequence[Expr]) -> tuple[list[str], list[str]]:
    """Return one line for each operation, and one for each literal."""
    merged = merge_common(outputs)
    order = postorder(merged)
    numbers = {expr: number for number, expr in enumerate(order)}
    scopes: dict[LoopScope, int] = {}
    lines: list[str] = []
    literals: list[str] = []
    for expr in order:
        if expr.op is Op.CONST:
            literals.append(_literal_text(expr.attr))
            lines.append(f"const {expr.type.value}")
        else:
            args = ",".join([str(numbers[a]) for a in expr.args])
            lines.append(f"{expr.op.value} {expr.type.value} {args} {_attr_text(expr.attr, scopes)}")
    lines.extend(f"loop {s.max_count} {[numbers[r] for r in s.results]}" for s in scopes if s.results)
    lines.append(f"outputs {[numbers[e] for e in merged]}")
    return lines, literals


def _literal_text(value: Attr) -> str:
    return struct.pack("<f", value).hex() if isinstance(value, float) else repr(value)


def _attr_text(attr: Attr, scopes: dict[LoopScope, int]) -> str:
    match attr:
        case LoopScope():
            return f"scope {scopes.setdefault(attr, len(scopes))}"
        case LoopState():
            return f"state {scopes.setdefault(attr.scope, len(scopes))} {attr.index}"
        case Function():
            return f"{attr.qualified_name!r} {attr.kernel.key.hex()}"
        case _:
            return "" if attr is None else repr(attr)
