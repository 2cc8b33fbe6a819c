"""Runs: straight lines of operations on numbers that one instruction computes.

The engine hands what one step gives to the next one in registers of the processor (``csrc/kernels/steps.inc``). A step
finds one operand there and the others in memory. So operations are put into an order in which most results are needed
next, and only what is needed later as well is stored. Each operation is rounded as it would be apart; no order of
arguments changes but of those that may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from unshape_expr.functions import Function
from unshape_expr.interpret.lanes import Lane, LaneOp
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_simd_cffi.combined import Combined, combine
from unshape_simd_cffi.instructions import instruction_name

_THEN = {"add_f": "mul_add_f", "sub_f": "mul_sub_f", "rsub_f": "mul_rsub_f"}
"""What a product and one of these are together."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run.

    Parameters
    ----------
    name : str
        As in ``csrc/step_list.h``.
    operands : tuple of int
        The lanes that it finds in memory; of ``store`` and ``argument`` the lane that it stores.
    result : int or None
        The lane that it leaves in the processor.
    output : int
        Of ``output``: which one.
    call : LaneOp or None
        Of ``call``: of which function. What varies along x among its arguments was stored by ``argument`` before.
    """

    name: str
    operands: tuple[int, ...] = ()
    result: int | None = None
    output: int = -1
    call: LaneOp | None = None


class Lanes:
    """What the lanes of a program are needed for; lanes of the same bits are one.

    Parameters
    ----------
    same : mapping of int to int
        For lanes that have the bits of another one: that one.
    """

    def __init__(self, same: Mapping[int, int]) -> None:
        self._same = same

    def of(self, lane: int) -> int:
        """Return the lane whose bits a lane has."""
        return self._same.get(lane, lane)

    def args(self, op: LaneOp) -> tuple[int, ...]:
        """Return the arguments of an operation."""
        return tuple(map(self.of, op.args))

    def count_uses(self, ops: Iterable[LaneOp]) -> Counter[int]:
        """Return how often each lane is needed by operations, those inside of loops included."""
        uses: Counter[int] = Counter()
        for op in ops:
            if op.loop is None and op.results[0] in self._same:
                continue
            uses.update(self.args(op))
            if op.loop is not None:
                uses.update(map(self.of, op.loop.next_states))
                uses.update(self.count_uses(op.loop.body))
        return uses


def in_order_of_use(ops: Sequence[LaneOp], lanes: Lanes) -> Iterator[LaneOp]:
    """Yield operations so that what one gives is, if possible, what the next one needs."""
    made_by = {op.results[0]: op for op in ops}
    needed = {a for op in ops for a in lanes.args(op)}
    for last in ops:
        if last.results[0] in needed:
            continue
        open_ops = [last]
        while open_ops:
            op = open_ops[-1]
            first = next((made_by[a] for a in reversed(lanes.args(op)) if a in made_by), None)
            if first is not None:
                open_ops.append(first)
                continue
            open_ops.pop()
            if made_by.pop(op.results[0], None) is not None:
                yield op


def plan_run(
    ops: Sequence[LaneOp],
    infos: Sequence[Lane],
    lanes: Lanes,
    *,
    names: Collection[str],
    needed_later: Collection[int],
    outputs: Mapping[int, Sequence[int]],
) -> list[Step]:
    """Return the steps of a run.

    Parameters
    ----------
    ops : sequence of LaneOp
        The operations in order.
    infos : sequence of Lane
        What is known of each lane.
    lanes : Lanes
        Which lanes are the same.
    names : collection of str
        The steps that there are.
    needed_later : collection of int
        Lanes that must lie in memory when the run is done.
    outputs : mapping of int to sequence of int
        Lanes that are outputs, and which.
    """
    combined = combine(ops, infos, lanes, kept={*needed_later, *outputs})
    steps = _Planner(infos, lanes, names).steps(combined)
    stored = {a for step in steps if step.name != "argument" for a in step.operands}.union(needed_later)
    planned: list[Step] = []
    for step in steps:
        before = planned[-1] if planned else None
        if before is not None and before.name == "mul_f" and before.result is not None and step.name in _THEN:
            planned[-1] = replace(step, name=_THEN[step.name], operands=(*before.operands, *step.operands))
        else:
            planned.append(step)
        if step.result is None or step.name == "read":
            continue
        if step.result in stored:
            planned.append(Step("store", (step.result,)))
        planned += [Step("output", output=k) for k in outputs.get(step.result, ())]
    return planned


class _Planner:
    def __init__(self, infos: Sequence[Lane], lanes: Lanes, names: Collection[str]) -> None:
        self._infos = infos
        self._lanes = lanes
        self._names = names

    def steps(self, ops: Sequence[LaneOp | Combined]) -> list[Step]:
        steps: list[Step] = []
        held: int | None = None
        for op in ops:
            if isinstance(op, Combined):
                if held not in op.args[: len(op.names)]:
                    held = op.args[0]
                    steps.append(Step("read", (held,), held))
                place = op.args.index(held)
                steps.append(Step(op.names[place], op.args[:place] + op.args[place + 1 :], op.result))
                held = op.result
                continue
            args = self._lanes.args(op)
            if op.op is Op.CALL and not self._is_own_step(op):
                steps += self._call(op, args, held)
                held = op.results[0]
                continue
            if held not in (args[:1] if op.op is Op.CALL else args):
                steps.append(Step("read", (args[0],), args[0]))
                held = args[0]
            name, operands = self._step(op, args, args.index(held))
            held = op.results[0]
            steps.append(Step(name, operands, held))
        return steps

    def _is_own_step(self, op: LaneOp) -> bool:
        return isinstance(op.attr, Function) and op.attr.qualified_name in self._names

    def _call(self, op: LaneOp, args: tuple[int, ...], held: int | None) -> Iterator[Step]:
        given = [a for a in args if Varies.X in self._infos[a].varies]
        for arg in sorted(given, key=lambda a: a != held):
            if arg != held:
                yield Step("read", (arg,), arg)
            yield Step("argument", (arg,))
        yield Step("call", result=op.results[0], call=op)

    def _step(self, op: LaneOp, args: tuple[int, ...], place: int) -> tuple[str, tuple[int, ...]]:
        """Return the step that finds argument ``place`` in the processor, and its operands in memory."""
        if isinstance(op.attr, Function):
            return op.attr.qualified_name, args[1:]
        name = instruction_name(op, self._infos)
        operands = args[:place] + args[place + 1 :]
        if op.op is Op.SELECT:
            return ("select", "select_second", "select_third")[place], operands
        if name == "mul_f" and args[0] == args[1]:
            return "square_f", ()
        return f"r{name}" if place == 1 and f"r{name}" in self._names else name, operands
