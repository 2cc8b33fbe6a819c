"""What is equal for all pixels, computed on Python numbers by generated Python.

The source is made of this module's templates and numbered names only; literals and everything a user wrote are bound
as values and never become text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from unshape_expr.interpret import scalar_ops
from unshape_expr.interpret.lanes import Component, Lane, LaneLoop, LaneOp
from unshape_expr.ops import Op
from unshape_expr.types import Type

Number: TypeAlias = "bool | int | float"
Leaf: TypeAlias = "tuple[Op, str, int]"
"""A value from outside: operation, port or name (or empty), component."""

ReadPicture: TypeAlias = Callable[[int, Sequence[Number]], Sequence[float]]
"""Reads a picture for the ``index``-th reading operation at the given position."""

_LEAVES = frozenset({Op.UNIFORM, Op.SCALAR_INPUT, Op.WIDTH, Op.HEIGHT, Op.TEXTURE_WIDTH, Op.TEXTURE_HEIGHT})
_ROUNDED = {
    Op.ADD: "{0} + {1}",
    Op.SUB: "{0} - {1}",
    Op.MUL: "{0} * {1}",
    Op.DIV: "{0} / {1} if {1} else divide_by_zero({0}, {1})",
    Op.SQRT: "sqrt({0}) if {0} > 0.0 else sqrt_of_rest({0})",
}
_I32_WRAPPED = {
    Op.ADD: "{0} + {1}",
    Op.SUB: "{0} - {1}",
    Op.MUL: "{0} * {1}",
    Op.DIV: "({0} // {1} if {1} else 0)",
    Op.NEG: "-{0}",
    Op.ABS: "abs({0})",
    Op.SHL: "({0} << ({1} & 31))",
}
_EXACT = {
    Op.NEG: "-{0}",
    Op.ABS: "abs({0})",
    Op.MIN: "{0} if {0} < {1} or {0} != {0} else {1}",
    Op.MAX: "{0} if {0} > {1} or {0} != {0} else {1}",
    Op.FLOOR: "floor({0})",
    Op.CEIL: "ceil({0})",
    Op.TRUNC: "trunc({0})",
    Op.ROUND: "nearest({0})",
    Op.EQ: "{0} == {1}",
    Op.NE: "{0} != {1}",
    Op.LT: "{0} < {1}",
    Op.LE: "{0} <= {1}",
    Op.AND: "{0} and {1}",
    Op.OR: "{0} or {1}",
    Op.NOT: "not {0}",
    Op.BIT_AND: "{0} & {1}",
    Op.BIT_OR: "{0} | {1}",
    Op.BIT_XOR: "{0} ^ {1}",
    Op.BIT_NOT: "~{0}",
    Op.SHR: "{0} >> ({1} & 31)",
    Op.SELECT: "{1} if {0} else {2}",
    Op.MOD: "{0} % {1} if {1} else 0",
}


@dataclass(frozen=True, slots=True)
class ScalarCode:
    """A compiled stage.

    Parameters
    ----------
    run : callable
        ``run(slots, leaves, read) -> tuple``: the wanted lanes' values.
    leaves : tuple of Leaf
        What ``leaves`` has to hold, in order.
    reads : tuple of LaneOp
        The operations that read pictures, by the index given to ``read``.
    """

    run: Callable[[Sequence[Number], Sequence[Number], ReadPicture | None], tuple[Any, ...]]
    leaves: tuple[Leaf, ...]
    reads: tuple[LaneOp, ...]


def compile_scalars(
    ops: Sequence[LaneOp], lanes: Sequence[Lane], wanted: Sequence[int], *, slot_count: int
) -> ScalarCode:
    """Return code that computes lanes which are equal for all pixels, of a kernel with so many slots."""
    writer = _Writer(lanes)
    writer.write(ops, "    ")
    result = "".join(f"v{lane}, " for lane in wanted)
    lines = ["def run(slots, leaves, read):", "    f, u = thread_scratch.views"]
    if slot_count:
        lines.append(f"    {''.join(f's{k}, ' for k in range(slot_count))} = slots")
    if writer.leaves:
        lines.append(f"    {''.join(f'leaf{k}, ' for k in range(len(writer.leaves)))} = leaves")
    source = "\n".join([*lines, *writer.lines, f"    return ({result})"])
    names: dict[str, Any] = {
        name: getattr(scalar_ops, name)
        for name in (
            "divide_by_zero", "sqrt_of_rest", "floor", "ceil", "trunc", "nearest", "to_i32", "to_u32",
        )
    }  # fmt: skip
    names |= writer.constants
    names |= {"sqrt": math.sqrt, "thread_scratch": scalar_ops.Scratch()}
    exec(compile(source, "<uniform values of an expression>", "exec"), names)
    return ScalarCode(names["run"], tuple(writer.leaves), tuple(writer.reads))


class _Writer:
    def __init__(self, lanes: Sequence[Lane]) -> None:
        self.lines: list[str] = []
        self.constants: dict[str, Number] = {}
        self.leaves: dict[Leaf, str] = {}
        self.reads: list[LaneOp] = []
        self._lanes = lanes

    def write(self, ops: Sequence[LaneOp], indent: str) -> None:
        for op in ops:
            if op.loop is not None:
                self._loop(op, op.loop, indent)
            elif op.op in {Op.SAMPLE, Op.FETCH}:
                results = "".join(f"v{r}, " for r in op.results)
                args = "".join(f"v{a}, " for a in op.args)
                self.lines.append(f"{indent}{results} = read({len(self.reads)}, ({args}))")
                self.reads.append(op)
            else:
                self.lines.extend(indent + line for line in self._statements(op))

    def _statements(self, op: LaneOp) -> list[str]:
        (result,) = op.results
        kind = self._lanes[result].kind
        args = [f"v{a}" for a in op.args]
        target = f"v{result}"
        if op.op is Op.CONST:
            return [f"{target} = {self._constant(op)}"]
        if op.op in _LEAVES:
            return [f"{target} = {self._leaf(op)}"]
        source = self._lanes[op.args[0]].kind
        match op.op:
            case Op.TO_F32 | Op.TO_I32 | Op.TO_U32:
                return _conversion(op.op, source, target, args[0])
            case Op.BITCAST_F32:
                return [f"u[0] = {args[0]}; {target} = f[0]"]
            case Op.BITCAST_U32:
                return [f"f[0] = {args[0]}; {target} = u[0]"]
            case _:
                pass
        if kind is Type.F32:
            if op.op is Op.MOD:
                a, b = args
                return [
                    f"f[0] = {a} / {b} if {b} else divide_by_zero({a}, {b})",
                    f"f[0] = {b} * floor(f[0])",
                    f"f[0] = {a} - f[0]; {target} = f[0]",
                ]
            if op.op in _ROUNDED:
                return [f"f[0] = {_ROUNDED[op.op].format(*args)}; {target} = f[0]"]
        if kind is Type.I32 and op.op in _I32_WRAPPED:
            return [f"{target} = ({_I32_WRAPPED[op.op].format(*args)} + 0x80000000 & 0xFFFFFFFF) - 0x80000000"]
        if kind is Type.U32:
            if op.op is Op.BIT_NOT:
                return [f"{target} = {args[0]} ^ 0xFFFFFFFF"]
            if op.op in _I32_WRAPPED:
                return [f"{target} = {_I32_WRAPPED[op.op].format(*args)} & 0xFFFFFFFF"]
        return [f"{target} = {_EXACT[op.op].format(*args)}"]

    def _constant(self, op: LaneOp) -> str:
        if op.slot is not None:
            return f"s{op.slot}"
        name = f"c{op.results[0]}"
        assert isinstance(op.attr, bool | int | float)
        self.constants[name] = op.attr
        return name

    def _leaf(self, op: LaneOp) -> str:
        match op.attr:
            case Component(index=index, port=port):
                leaf = (op.op, port, index)
            case str(port):
                leaf = (op.op, port, 0)
            case _:
                leaf = (op.op, "", 0)
        return self.leaves.setdefault(leaf, f"leaf{len(self.leaves)}")

    def _loop(self, op: LaneOp, loop: LaneLoop, indent: str) -> None:
        count, *starts = [f"v{a}" for a in op.args]
        for state, start in zip(loop.states, starts, strict=True):
            self.lines.append(f"{indent}v{state} = {start}")
        self.lines.append(f"{indent}for v{loop.index} in range(min({count}, {loop.max_count})):")
        self.write(loop.body, indent + "    ")
        left = "".join(f"v{s}, " for s in loop.states)
        right = "".join(f"v{n}, " for n in loop.next_states)
        self.lines.append(f"{indent}    {left} = ({right})")
        for result, state in zip(loop.results, loop.states, strict=True):
            self.lines.append(f"{indent}v{result} = v{state}")


def _conversion(op: Op, source: Type, target: str, value: str) -> list[str]:
    match op, source:
        case Op.TO_F32, Type.BOOL:
            return [f"{target} = 1.0 if {value} else 0.0"]
        case Op.TO_F32, _:
            return [f"f[0] = {value}; {target} = f[0]"]
        case _, Type.F32:
            return [f"{target} = {op.value}({value})"]
        case _, Type.BOOL:
            return [f"{target} = 1 if {value} else 0"]
        case Op.TO_I32, _:
            return [f"{target} = ({value} + 0x80000000 & 0xFFFFFFFF) - 0x80000000"]
        case _:
            return [f"{target} = {value} & 0xFFFFFFFF"]
