"""The words of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from unshape_expr.functions import Function
from unshape_expr.interpret.lanes import LaneOp
from unshape_expr.kernel import Varies
from unshape_expr.math_functions import MATH_FUNCTIONS
from unshape_expr.ops import Op
from unshape_simd_cffi.allocation import Allocation
from unshape_simd_cffi.instructions import Instructions, is_step
from unshape_simd_cffi.registers import Place
from unshape_simd_cffi.runs import Step, in_order_of_use, plan_run

_MOST_OUTPUTS = 8
"""As which one lane is stored by a run."""


class RunWriter:
    """Writes runs.

    Parameters
    ----------
    instructions : Instructions
        What the engine knows.
    allocation : Allocation
        The registers.
    uses : Counter
        How often each lane is needed.

    Attributes
    ----------
    direct : dict of int to list of int
        The outputs that runs are to store, by lane.
    done : set of int
        Those that a run stores.
    """

    def __init__(self, instructions: Instructions, allocation: Allocation, uses: Counter[int]) -> None:
        self._instructions = instructions
        self._allocation = allocation
        self._uses = uses
        self.direct: dict[int, list[int]] = {}
        self.done: set[int] = set()

    def is_step(self, op: LaneOp) -> bool:
        """Return whether an operation is part of a run: arithmetic, and mathematical functions of planes."""
        if op.op is Op.CALL:
            return op.attr in MATH_FUNCTIONS and self._allocation.place(op.results[0]) is Place.BLOCK
        return is_step(op, self._allocation.lanes, self._instructions.steps)

    def store_directly(self, lane: int, output: int) -> bool:
        """Have a lane stored as an output by the run that computes it, if that can be."""
        outputs = self.direct.setdefault(lane, [])
        if len(outputs) == _MOST_OUTPUTS:
            return False
        outputs.append(output)
        return True

    def write(self, ops: Sequence[LaneOp]) -> Iterator[list[int]]:
        """Yield runs for operations that need each other only; what is equal for all pixels comes first."""
        sizes: dict[int, list[LaneOp]] = {}
        for op in ops:
            (lane,) = op.results
            is_one = self._allocation.place(lane) is Place.VECTOR
            sizes.setdefault(0 if is_one else self._allocation.lanes[lane].wide, []).append(op)
        for size in sorted(sizes):
            ordered = list(in_order_of_use(sizes[size], self._allocation.same))
            while ordered:
                count, steps = 0, 0
                while count < len(ordered) and steps + self._most_steps(ordered[count]) <= self._instructions.max_steps:
                    steps += self._most_steps(ordered[count])
                    count += 1
                yield self._run(ordered[:count], size)
                del ordered[:count]

    def _most_steps(self, op: LaneOp) -> int:
        """Return how many steps an operation may take: to load, to do it, to store, and as outputs."""
        loads = 2 * len(op.args) if op.op is Op.CALL else 1
        return loads + 2 + len(self.direct.get(op.results[0], ()))

    def _run(self, ops: Sequence[LaneOp], size: int) -> list[int]:
        allocation, numbers = self._allocation, self._instructions.steps
        uses = allocation.same.count_uses(ops)
        later = {op.results[0] for op in ops if self._uses[op.results[0]] > uses[op.results[0]]}
        can_store = allocation.stage is Varies.BOTH and not allocation.loops
        planned = plan_run(
            ops,
            allocation.lanes,
            allocation.same,
            names=numbers,
            needed_later=later,
            outputs=self.direct if can_store else {},
        )
        words: list[int] = []
        calls: list[int] = []
        given: dict[int, int] = {}
        ends: list[int] = []
        for step in planned:
            if step.name == "argument":
                given[step.operands[0]] = number = allocation.new(Place.TILE)
                words += (numbers["store"], number, 0)
            elif step.call is not None:
                allocation.touch(given.values())
                words += (numbers["call"], 4 + 3 * len(planned) + len(calls), 0)
                calls += self._call(step.call, given)
                given = {}
            elif step.name == "output":
                ends.append(allocation.new(Place.TILE))
                self.done.add(step.output)
                words += (numbers["output"], step.output, ends[-1])
            else:
                words += (numbers[step.name], *self._operands(step, later))
            allocation.position += 1
        allocation.touch(ends)  # what is copied from them is copied when the run is done
        return [self._instructions.opcodes["run"], 4 + len(words) + len(calls), size, len(planned), *words, *calls]

    def _call(self, op: LaneOp, given: dict[int, int]) -> tuple[int, ...]:
        assert isinstance(op.attr, Function)
        allocation = self._allocation
        args = [given[a] if a in given else allocation.use(a) for a in allocation.same.args(op)]
        return self._instructions.call(op.attr, 1, [allocation.new(Place.TILE)], args)

    def _operands(self, step: Step, later: Collection[int]) -> tuple[int, int]:
        allocation = self._allocation
        if step.name == "store":
            (lane,) = step.operands
            if lane in later:
                return allocation.define(lane), 0
            allocation.of_lane[lane] = allocation.new(Place.TILE)
            return allocation.of_lane[lane], 0
        first, second = (*map(allocation.use, step.operands), 0, 0)[:2]
        return first, second
