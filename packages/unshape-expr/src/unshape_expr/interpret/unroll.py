"""Unrolling: loops whose number of iterations is known are written out.

Then everything that is said of straight-line programs holds for the iterations too: what varies along one axis only is
computed once for all rows or columns, and temporaries are reused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unshape_expr.interpret.flat import FlatBuilder, FlatLoop, FlatOp, FlatProgram
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_expr.types import Type

MAX_UNROLLED_OPS = 4000
"""How many operations a loop may become."""


def count_numbers(program: FlatProgram) -> tuple[int, ...]:
    """Return the values that are counts of loops and known before the first loop runs over pixels."""
    top_level = {op.result for op in program.ops}
    top_level.update(r for op in program.ops if op.loop is not None for r in op.loop.results)
    found: dict[int, None] = {}
    pending = list(program.ops)
    while pending:
        op = pending.pop()
        if op.loop is not None:
            if op.args[0] in top_level:
                found[op.args[0]] = None
            pending.extend(op.loop.body)
    return tuple(sorted(found))


def unroll(program: FlatProgram, counts: Mapping[int, int]) -> FlatProgram:
    """Return the program with the loops written out whose counts are given and that do not become too long."""
    unroller = _Unroller(program, counts)
    numbers: dict[int, int] = {}
    unroller.write(program.ops, numbers)
    outputs = tuple(numbers[o] for o in program.outputs)
    return FlatProgram(unroller.builder.close_block(), tuple(unroller.builder.values), outputs)


class _Unroller:
    def __init__(self, program: FlatProgram, counts: Mapping[int, int]) -> None:
        self.builder = FlatBuilder()
        self._values = program.values
        self._counts = counts

    def write(self, ops: Sequence[FlatOp], numbers: dict[int, int]) -> None:
        for op in ops:
            if op.loop is not None:
                self._loop(op, op.loop, numbers)
            else:
                numbers[op.result] = self._plain(op, [numbers[a] for a in op.args])

    def _plain(self, op: FlatOp, args: list[int]) -> int:
        old = self._values[op.result]
        values = self.builder.values
        if op.op is Op.COMPONENT and values[args[0]].width == 1:
            return args[0]
        is_leaf = not op.args or op.op in {Op.VEC, Op.COMPONENT, Op.SAMPLE, Op.FETCH, Op.CALL}
        # What is computed once knows no functions, so a call stays where it was, also if its arguments became equal.
        varies = old.varies if not op.args or op.op is Op.CALL else Varies.NONE
        return self.builder.emit(
            op.op, old.kind, args, attr=op.attr, slot=op.slot, width=old.width if is_leaf else None, varies=varies
        )

    def _loop(self, op: FlatOp, loop: FlatLoop, numbers: dict[int, int]) -> None:
        count = self._counts.get(op.args[0])
        if count is None or min(count, loop.max_count) * _length(loop.body) > MAX_UNROLLED_OPS:
            self._keep(op, loop, numbers)
            return
        states = [numbers[a] for a in op.args[1:]]
        for iteration in range(min(count, loop.max_count)):
            inside = dict(numbers)
            inside[loop.index] = self.builder.emit(Op.CONST, Type.I32, attr=iteration)
            inside.update(zip(loop.states, states, strict=True))
            self.write(loop.body, inside)
            states = [inside[n] for n in loop.next_states]
        numbers.update(zip(loop.results, states, strict=True))

    def _keep(self, op: FlatOp, loop: FlatLoop, numbers: dict[int, int]) -> None:
        builder = self.builder
        inside = dict(numbers)
        for number in (loop.index, *loop.states):
            inside[number] = builder.new_value(self._values[number])
        builder.open_block()
        self.write(loop.body, inside)
        body = builder.close_block()
        results = tuple(builder.new_value(self._values[r]) for r in loop.results)
        kept = FlatLoop(
            loop.max_count,
            inside[loop.index],
            tuple(inside[s] for s in loop.states),
            body,
            tuple(inside[n] for n in loop.next_states),
            results,
        )
        builder.append(FlatOp(Op.LOOP, -1, tuple(numbers[a] for a in op.args), loop=kept))
        numbers.update(zip(loop.results, results, strict=True))


def _length(body: Sequence[FlatOp]) -> int:
    return sum(1 if op.loop is None else _length(op.loop.body) * 4 for op in body)
