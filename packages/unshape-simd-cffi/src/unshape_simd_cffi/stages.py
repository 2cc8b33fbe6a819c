"""Which operations are computed once, once for all rows, once for all columns, and which for every pixel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from unshape_expr.interpret.flat import FlatProgram
from unshape_expr.interpret.lanes import Lane, LaneOp, LaneProgram, used_by
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op

_LEAVES = frozenset({Op.CONST, Op.UNIFORM, Op.SCALAR_INPUT, Op.WIDTH, Op.HEIGHT, Op.TEXTURE_WIDTH, Op.TEXTURE_HEIGHT})


@dataclass(frozen=True, slots=True)
class Stages:
    """The operations of a program by the axes along which their results vary.

    Parameters
    ----------
    once, columns, rows, pixels : tuple of LaneOp
        What is computed once, once for all rows, once for all columns, and for every pixel.
    numbers : tuple of int
        The lanes of ``once`` that anything else or an output needs.
    """

    once: tuple[LaneOp, ...]
    columns: tuple[LaneOp, ...]
    rows: tuple[LaneOp, ...]
    pixels: tuple[LaneOp, ...]
    numbers: tuple[int, ...]


def for_each_pixel(program: FlatProgram) -> FlatProgram:
    """Return a program of which everything that varies is computed for every pixel.

    For narrow pictures: what is done once for a row takes longer than the pixels of the row.
    """
    values = tuple(replace(value, varies=Varies.BOTH) if value.varies else value for value in program.values)
    return replace(program, values=values)


def split_stages(program: LaneProgram) -> Stages:
    """Return the stages of a program; an operation is as late as what it needs."""
    stages: dict[Varies, list[LaneOp]] = {v: [] for v in (Varies.NONE, Varies.X, Varies.Y, Varies.BOTH)}
    stage_of: dict[int, Varies] = {}
    for op in _with_leaves_outside(program.ops):
        stage = _own_stage(op, program.lanes)
        for lane in used_by(op):
            stage |= stage_of.get(lane, Varies.NONE)
        if stage is Varies.NONE and op.op is Op.CALL:
            stage = Varies.X  # what is computed once knows no functions
        for result in results_of(op):
            stage_of[result] = stage
        stages[stage].append(op)
    needed = set(program.output_lanes)
    for varies in (Varies.X, Varies.Y, Varies.BOTH):
        for op in stages[varies]:
            needed.update(used_by(op))
    produced = {result for op in stages[Varies.NONE] for result in results_of(op)}
    once, columns, rows, pixels = (tuple(stages[v]) for v in (Varies.NONE, Varies.X, Varies.Y, Varies.BOTH))
    return Stages(once, columns, rows, pixels, tuple(sorted(produced & needed)))


def results_of(op: LaneOp) -> tuple[int, ...]:
    """Return the lanes that an operation gives to what follows."""
    return op.results if op.loop is None else op.loop.results


def _own_stage(op: LaneOp, lanes: Sequence[Lane]) -> Varies:
    joined = Varies.NONE
    for lane in op.results if op.loop is None else op.loop.states:
        joined |= lanes[lane].varies
    return joined


def _with_leaves_outside(ops: Sequence[LaneOp]) -> list[LaneOp]:
    """Return operations with literals and given values moved out of loops, so that they are computed once."""
    found: list[LaneOp] = []
    for op in ops:
        if op.loop is None:
            found.append(op)
            continue
        body = _with_leaves_outside(op.loop.body)
        found += [inner for inner in body if inner.op in _LEAVES]
        kept = tuple(inner for inner in body if inner.op not in _LEAVES)
        found.append(replace(op, loop=replace(op.loop, body=kept)))
    return found
