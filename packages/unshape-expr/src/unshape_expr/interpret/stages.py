"""Which operations are computed once, which once for all rows, once for all columns, and which for every pixel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unshape_expr.interpret.lanes import Lane, LaneOp, LaneProgram, used_by
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_expr.types import Type


@dataclass(frozen=True, slots=True)
class Stages:
    """The operations of a program by the axes along which their results vary.

    Parameters
    ----------
    once, columns, rows, pixels : tuple of LaneOp
        What is computed once, once for all rows, once for all columns, and for every pixel.
    lanes : tuple of Lane
        All lanes.
    numbers : tuple of int
        The lanes of ``once`` that anything else or an output needs.
    fills : tuple of (int, int)
        Lanes of the pixel stage that hold one number everywhere, and the lane of that number.
    outputs : tuple of tuple of int
        As in the program.
    """

    once: tuple[LaneOp, ...]
    columns: tuple[LaneOp, ...]
    rows: tuple[LaneOp, ...]
    pixels: tuple[LaneOp, ...]
    lanes: tuple[Lane, ...]
    numbers: tuple[int, ...]
    fills: tuple[tuple[int, int], ...]
    outputs: tuple[tuple[int, ...], ...]


def split_stages(program: LaneProgram) -> Stages:
    """Return the stages of a program.

    An operation is as late as what it needs: the count that a loop over pixels carries is computed with the pixels,
    although it is the same for all of them.
    """
    lanes = list(program.lanes)
    stages: dict[Varies, list[LaneOp]] = {v: [] for v in (Varies.NONE, Varies.X, Varies.Y, Varies.BOTH)}
    stage_of: dict[int, Varies] = {}
    fills: dict[tuple[int, int], int] = {}
    for op in program.ops:
        stage = _own_stage(op, lanes)
        for lane in used_by(op):
            stage |= stage_of.get(lane, Varies.NONE)
        for result in op.results if op.loop is None else op.loop.results:
            stage_of[result] = stage
        is_plain = op.op in {Op.MIN, Op.MAX} and lanes[op.results[0]].varies is Varies.BOTH
        stages[stage].append(_with_filled_bounds(op, lanes, stage_of, fills) if is_plain else op)
    produced = {r for op in stages[Varies.NONE] for r in (op.results if op.loop is None else op.loop.results)}
    needed = {lane for output in program.outputs for lane in output}
    needed.update(number for number, _ in fills)
    for varies in (Varies.X, Varies.Y, Varies.BOTH):
        for op in stages[varies]:
            needed.update(used_by(op))
    return Stages(
        once=tuple(stages[Varies.NONE]),
        columns=tuple(stages[Varies.X]),
        rows=tuple(stages[Varies.Y]),
        pixels=tuple(stages[Varies.BOTH]),
        lanes=tuple(lanes),
        numbers=tuple(sorted(produced & needed)),
        fills=tuple((lane, number) for (number, _), lane in fills.items()),
        outputs=program.outputs,
    )


def _own_stage(op: LaneOp, lanes: Sequence[Lane]) -> Varies:
    if op.loop is None:
        return lanes[op.results[0]].varies
    joined = Varies.NONE
    for state in op.loop.states:
        joined |= lanes[state].varies
    return joined


def _with_filled_bounds(
    op: LaneOp, lanes: list[Lane], stage_of: Mapping[int, Varies], fills: dict[tuple[int, int], int]
) -> LaneOp:
    """Return MIN or MAX with an array of equal numbers in the place of a number: NumPy's loops are faster on those."""
    wide = lanes[op.results[0]].wide
    args = list(op.args)
    for k, argument in enumerate(op.args):
        if stage_of[argument] is not Varies.NONE:
            continue
        filled = fills.get((argument, wide))
        if filled is None:
            lanes.append(Lane(lanes[argument].kind, Varies.BOTH, wide))
            filled = fills[argument, wide] = len(lanes) - 1
        args[k] = filled
        if k == 1 and lanes[argument].kind is Type.F32:
            args.append(argument)
    return replace(op, args=tuple(args))
