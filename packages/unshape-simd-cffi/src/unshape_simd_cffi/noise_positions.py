"""Lattice noise at positions that a picture holds: ``noise(clamp(p*scale, low, high)*frequency + shift)``.

That is what an octave of fractal noise makes of its position. One instruction does it for both coordinates
(``csrc/kernels/noise_at.inc``), each operation rounded as it would be apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unshape_expr.functions import Function
from unshape_expr.interpret.lanes import Component, Lane, LaneOp
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op

NOISES_AT = ("perlin_vec2", "value_vec2", "simplex_vec2")
"""In the order of ``csrc/kernels/noise_at.inc``."""
_CHAIN = (Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.MUL)
"""From the position back to the picture; the other operand of each is equal for all pixels."""


@dataclass(frozen=True, slots=True)
class Positions:
    """Where noise takes its positions from.

    Parameters
    ----------
    noise : int
        Which noise.
    port : str
        The picture, whose first two channels are meant.
    numbers : tuple of int
        The lanes of scale, low, high, frequency and the shifts of x and y.
    lanes : frozenset of int
        What lies between the picture and the noise.
    """

    noise: int
    port: str
    numbers: tuple[int, ...]
    lanes: frozenset[int]


def find_positions(ops: Sequence[LaneOp], lanes: Sequence[Lane]) -> dict[int, Positions]:
    """Return the noises at positions of a picture, by place in ``ops``."""
    made = {op.results[0]: op for op in ops if op.loop is None}
    found: dict[int, Positions] = {}
    for place, op in enumerate(ops):
        if op.op is not Op.CALL or not isinstance(op.attr, Function) or op.attr.qualified_name not in NOISES_AT:
            continue
        axes = [_axis(lane, made, lanes) for lane in op.args[:2]]
        x, y = axes
        if x is None or y is None:
            continue
        (source_x, numbers_x, lanes_x), (source_y, numbers_y, lanes_y) = x, y
        if (source_x.port, source_x.index, source_y.index) != (source_y.port, 0, 1) or numbers_x[1:] != numbers_y[1:]:
            continue
        numbers = (*reversed(numbers_x[1:]), numbers_x[0], numbers_y[0])
        found[place] = Positions(
            noise=NOISES_AT.index(op.attr.qualified_name),
            port=source_x.port,
            numbers=numbers,
            lanes=frozenset((*lanes_x, *lanes_y)),
        )
    return found


def find_unused(
    ops: Sequence[LaneOp], uses: Mapping[int, int], *, calls: Iterable[LaneOp], candidates: Iterable[int]
) -> set[int]:
    """Return the places of operations that nothing needs once those calls find their positions themselves.

    Parameters
    ----------
    ops : sequence of LaneOp
        Operations in order.
    uses : mapping of int to int
        How often each lane is needed; outputs count.
    calls : iterable of LaneOp
        The calls.
    candidates : iterable of int
        The lanes between pictures and calls.
    """
    left = Counter(uses)
    for call in calls:
        left.subtract(call.args[:2])
    unused: set[int] = set()
    wanted = set(candidates)
    for place in range(len(ops) - 1, -1, -1):
        op = ops[place]
        if op.loop is None and op.results[0] in wanted and left[op.results[0]] <= 0:
            unused.add(place)
            left.subtract(op.args)
    return unused


def _axis(
    lane: int, made: Mapping[int, LaneOp], lanes: Sequence[Lane]
) -> tuple[Component, list[int], list[int]] | None:
    """Return the channel, the numbers from the shift back to the scale, and the lanes, of one coordinate."""
    numbers: list[int] = []
    passed: list[int] = []
    for wanted in _CHAIN:
        op = made.get(lane)
        if op is None or op.op is not wanted or lanes[lane].wide != 1:
            return None
        value, number = op.args
        if Varies.X in lanes[number].varies and wanted in {Op.ADD, Op.MUL}:
            value, number = number, value
        if Varies.X in lanes[number].varies:
            return None
        numbers.append(number)
        passed.append(lane)
        lane = value
    source = made.get(lane)
    if source is None or source.op is not Op.INPUT or not isinstance(source.attr, Component):
        return None
    return source.attr, numbers, [*passed, lane]
