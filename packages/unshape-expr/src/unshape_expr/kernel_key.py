"""Digests of kernels: equal ones mean interchangeable compiled code."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from unshape_expr.ir import Attr, Fetching, LoopScope, LoopState, Sampling
from unshape_expr.kernel import InputUse, Instruction
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.functions import Function


def kernel_key(
    body: Sequence[Instruction],
    *,
    outputs: Sequence[int],
    slots: Sequence[Type],
    inputs: Sequence[InputUse],
    uniforms: Sequence[tuple[str, Type]],
    functions: Sequence[Function],
) -> bytes:
    """Return the digest of a kernel."""
    lines = ["kernel 1"]
    _add_body(lines, body)
    lines.append(f"outputs {list(outputs)}")
    lines.append(f"slots {[t.value for t in slots]}")
    lines.extend(f"input {use}" for use in inputs)
    lines.extend(f"uniform {name!r} {type_.value}" for name, type_ in uniforms)
    _add_functions(lines, functions)
    return _digest(lines)


def function_key(
    function: Function,
    body: Sequence[Instruction],
    *,
    parameters: Sequence[int],
    result: int,
    functions: Sequence[Function],
) -> bytes:
    """Return the digest of a function: its name, revision and definition."""
    lines = [f"function 1 {function.qualified_name!r} {function.revision}"]
    lines.extend(f"parameter {p.type.value} {p.is_uniform}" for p in function.parameters)
    lines.append(f"{list(parameters)} {result}")
    _add_body(lines, body)
    _add_functions(lines, functions)
    return _digest(lines)


def _digest(lines: Sequence[str]) -> bytes:
    return blake2b("\n".join(lines).encode(), digest_size=16).digest()


def _add_functions(lines: list[str], functions: Sequence[Function]) -> None:
    lines.extend(f"calls {f.qualified_name!r} {f.kernel.key.hex()}" for f in functions)


def _add_body(lines: list[str], body: Sequence[Instruction]) -> None:
    for step in body:
        attr = "" if step.attr is None else _attr_text(step.attr)
        slot = "" if step.slot is None else f"slot {step.slot}"
        lines.append(f"{step.result} {step.op.value} {step.type.value} {step.args} {attr} {slot}")
        if step.loop is not None:
            loop = step.loop
            lines.append(f"loop {loop.max_count} {loop.index} {loop.states} {loop.results}")
            _add_body(lines, loop.body)
            lines.append(f"next {loop.next_states}")


def _attr_text(attr: Attr) -> str:
    from unshape_expr.functions import Function

    match attr:
        case bool() | str() | None:
            return repr(attr)
        case int():
            return f"int {attr}"
        case float():
            return f"f32 {struct.pack('<f', attr).hex()}"
        case Sampling():
            return f"sample {attr.port!r} {attr.filter.value} {attr.border.value}"
        case Fetching():
            return f"fetch {attr.port!r} {attr.border.value}"
        case Function():
            return f"function {attr.qualified_name!r}"
        case LoopScope() | LoopState():
            msg = "a kernel holds no loop identities"
            raise AssertionError(msg)
