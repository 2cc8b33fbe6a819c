"""Kernels as text, for explanations and messages."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.functions import Function
from unshape_expr.ir import Attr, Fetching, Sampling
from unshape_expr.kernel import Instruction, Kernel, Varies
from unshape_expr.printing import literal_text

_VARIES = {Varies.NONE: "uniform", Varies.X: "x", Varies.Y: "y", Varies.BOTH: "xy"}


def kernel_to_text(kernel: Kernel) -> str:
    """Return a kernel as text, one instruction a line: ``%7: f32 = add %5, %6  [xy]``.

    What stands in brackets is along which axes the value varies.
    """
    lines = [f"input {use.port}: {use.type.value}" for use in kernel.inputs]
    lines += [f"uniform {name}: {type_.value}" for name, type_ in kernel.uniforms]
    lines += [f"slot {number}: {type_.value}" for number, type_ in enumerate(kernel.slots)]
    _add_body(lines, kernel.body, "")
    lines.append(f"outputs {', '.join(f'%{number}' for number in kernel.outputs)}")
    return "\n".join(lines)


def instruction_text(step: Instruction) -> str:
    """Return one instruction without the inside of a loop."""
    args = ", ".join(f"%{number}" for number in step.args)
    attr = _attr(step)
    parts = [step.op.value, *([attr] if attr else []), *([args] if args else [])]
    results = step.loop.results if step.loop is not None else (step.result,)
    return f"{', '.join(f'%{r}' for r in results)}: {step.type.value} = {' '.join(parts)}"


def _attr(step: Instruction) -> str:
    attr: Attr = step.attr
    match attr:
        case Sampling():
            return f"{attr.port} {attr.filter.value} {attr.border.value}"
        case Fetching():
            return f"{attr.port} {attr.border.value}"
        case Function():
            return attr.qualified_name
        case None:
            return "" if step.slot is None else f"slot {step.slot}"
        case bool() | int() | float():
            return str(attr) if step.args else literal_text(attr, step.type)
        case _:
            return str(attr)


def _add_body(lines: list[str], body: Sequence[Instruction], indent: str) -> None:
    for step in body:
        lines.append(f"{indent}{instruction_text(step)}  [{_VARIES[step.varies]}]")
        if step.loop is None:
            continue
        states = ", ".join(f"%{number}" for number in step.loop.states)
        lines.append(f"{indent}  at most {step.loop.max_count} times, index %{step.loop.index}, states {states}")
        _add_body(lines, step.loop.body, indent + "  ")
        lines.append(f"{indent}  next {', '.join(f'%{number}' for number in step.loop.next_states)}")
