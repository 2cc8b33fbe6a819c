"""Lattice noise with what is done to it next: ``(noise*factor + sum)*scale``, as one instruction.

An octave of fractal noise is its noise times an amplitude, added to the octaves before; the last one is normalised as
well. Each operation is rounded as it would be apart, in the same order. What lies in between must be needed nowhere
else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from unshape_expr.interpret.lanes import Lane, LaneOp
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_simd_cffi.instructions import noise_on_grid
from unshape_simd_cffi.noise_positions import Positions, find_positions, find_unused


@dataclass(frozen=True, slots=True)
class NoiseTerm:
    """Noise and what follows it.

    Parameters
    ----------
    call : LaneOp
        The noise.
    noise : int
        Which one.
    positions : Positions or None
        Where it takes its positions from, if that is a picture; else it lies on a grid.
    result : int
        The lane of the last operation.
    factor, sum, scale : int or None
        The lanes of the operands; None where there is no such operation.
    """

    call: LaneOp
    noise: int
    positions: Positions | None
    result: int
    factor: int | None = None
    sum: int | None = None
    scale: int | None = None

    @property
    def used(self) -> list[int]:
        """The lanes that it needs."""
        args = self.call.args if self.positions is None else (*self.positions.numbers, self.call.args[2])
        return [*args, *(lane for lane in (self.factor, self.sum, self.scale) if lane is not None)]


def find_noise_terms(
    ops: Sequence[LaneOp], lanes: Sequence[Lane], uses: Mapping[int, int], *, columns: Collection[int]
) -> dict[int, NoiseTerm | None]:
    """Return noise on grids and at positions of pictures, with what follows it.

    Parameters
    ----------
    ops : sequence of LaneOp
        Operations in order.
    lanes : sequence of Lane
        What is known of each lane.
    uses : mapping of int to int
        How often each lane is needed; outputs count.
    columns : collection of int
        The lanes of x for which the tables of columns are there.

    Returns
    -------
    dict of int to (NoiseTerm or None)
        By place in ``ops``: what takes the place of the last operation of a term, and None for the others.
    """
    at_positions = find_positions(ops, lanes)
    noises = {
        place: noise
        for place, op in enumerate(ops)
        if (noise := noise_on_grid(op, lanes)) is not None and op.args[0] in columns
    }
    noises |= {place: positions.noise for place, positions in at_positions.items()}
    consumers = {a: place for place, op in enumerate(ops) for a in op.args if op.loop is None and uses[a] == 1}
    found: dict[int, NoiseTerm | None] = {}
    for start, noise in sorted(noises.items()):
        call, positions = ops[start], at_positions.get(start)
        places, lane = [start], call.results[0]
        operands: list[int | None] = []
        for wanted, is_uniform in ((Op.MUL, True), (Op.ADD, False), (Op.MUL, True)):
            place = consumers.get(lane)
            other = None if place is None else _other(ops[place], lane, wanted)
            if place is None or other is None or (is_uniform and Varies.X in lanes[other].varies):
                break
            operands.append(other)
            places.append(place)
            lane = ops[place].results[0]
        factor, added, scale = (*operands, None, None, None)[:3]
        found.update(dict.fromkeys(places))
        found[places[-1]] = NoiseTerm(call, noise, positions, lane, factor, added, scale)
    calls = [ops[place] for place in at_positions]
    between = {lane for positions in at_positions.values() for lane in positions.lanes}
    return found | dict.fromkeys(find_unused(ops, uses, calls=calls, candidates=between))


def _other(op: LaneOp, lane: int, wanted: Op) -> int | None:
    """Return the other operand of an operation, or None if it is another operation or has the lane twice."""
    if op.op is not wanted or len(op.args) != 2:
        return None
    a, b = op.args
    return b if a == lane else a
