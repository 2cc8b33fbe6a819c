"""Pairs of operations that one instruction computes: what the first one gives stays in a register of the processor.

Both operations are rounded as they would be apart, in the same order. The value in between must be needed nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from unshape_expr.interpret.lanes import Lane, LaneOp
from unshape_expr.ops import Op
from unshape_expr.types import Type

_FIRST = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX})
_SYMMETRIC = frozenset({Op.ADD, Op.MUL})


@dataclass(frozen=True, slots=True)
class Pair:
    """Two operations as one: ``name`` of the instruction, and the three lanes that it needs."""

    name: str
    args: tuple[int, int, int]


def count_uses(ops: Iterable[LaneOp]) -> Counter[int]:
    """Return how often each lane is needed by operations, those inside of loops included."""
    uses: Counter[int] = Counter()
    for op in ops:
        uses.update(op.args)
        if op.loop is not None:
            uses.update(op.loop.next_states)
            uses.update(count_uses(op.loop.body))
    return uses


def find_pairs(
    ops: Sequence[LaneOp], lanes: Sequence[Lane], uses: Mapping[int, int], *, taken: Collection[int]
) -> dict[int, Pair | None]:
    """Return the pairs among operations that are computed together.

    Parameters
    ----------
    ops : sequence of LaneOp
        Operations in order.
    lanes : sequence of Lane
        What is known of each lane.
    uses : mapping of int to int
        How often each lane is needed; outputs count.
    taken : collection of int
        Places of operations that something else computes.

    Returns
    -------
    dict of int to (Pair or None)
        By place in ``ops``: the pair that takes the operation's place, or None where nothing is left to do.
    """
    found: dict[int, Pair | None] = {}
    made_by = {op.results[0]: place for place, op in enumerate(ops) if place not in taken and _is_candidate(op, lanes)}
    for place, op in enumerate(ops):
        if place in taken or not _is_candidate(op, lanes):
            continue
        for k, lane in enumerate(op.args):
            first = made_by.get(lane)
            if first is None or first in found or uses[lane] != 1 or not _is_alike(lanes[lane], lanes[op.results[0]]):
                continue
            name = _second_name(op.op, k)
            if name is None:
                continue
            found[first] = None
            found[place] = Pair(f"{ops[first].op.value}_{name}_f", (*_two(ops[first].args), op.args[1 - k]))
            break
    return found


def _is_candidate(op: LaneOp, lanes: Sequence[Lane]) -> bool:
    return op.op in _FIRST and op.loop is None and len(op.args) == 2 and lanes[op.args[0]].kind is Type.F32


def _is_alike(a: Lane, b: Lane) -> bool:
    return a.wide == b.wide and a.varies == b.varies


def _second_name(op: Op, argument: int) -> str | None:
    """Return the name of the second operation if the first one's result is that argument of it."""
    if argument == 0 or op in _SYMMETRIC:
        return op.value
    return "rsub" if op is Op.SUB else None


def _two(args: tuple[int, ...]) -> tuple[int, int]:
    a, b = args
    return a, b
