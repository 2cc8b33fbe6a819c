"""Reads of pictures at positions, which need registers neither for their positions nor for their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from unshape_expr.interpret.lanes import Component, Lane, LaneOp
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op


@dataclass(frozen=True, slots=True)
class Reads:
    """What reads find and leave in memory themselves.

    Parameters
    ----------
    outputs : dict of int to int
        Of reads whose results are an output and nothing else: the lane, and which output.
    positions : dict of int to str
        Of reads whose positions are the components of a picture of two channels: the lane of the result, and which
        picture.
    unread : set of int
        Such positions of which nothing else is needed, so that they are not computed.
    """

    outputs: dict[int, int] = field(default_factory=dict)
    positions: dict[int, str] = field(default_factory=dict)
    unread: set[int] = field(default_factory=set)


def find_reads(
    ops: Sequence[LaneOp],
    lanes: Sequence[Lane],
    uses: Counter[int],
    channels: Mapping[str, int],
    *,
    outputs: Sequence[tuple[Sequence[int], int]],
) -> Reads:
    """Return which reads need no registers.

    Parameters
    ----------
    ops : sequence of LaneOp
        What is computed for every pixel.
    lanes : sequence of Lane
        What is known of each lane.
    uses : Counter of int
        How often operations need each lane.
    channels : mapping of str to int
        Channels of each picture that is given.
    outputs : sequence of (sequence of int, int)
        The lanes of each output, and its channels.
    """
    found = Reads()
    stored = Counter(lane for output, _ in outputs for lane in output)
    made_by = {op.results[0]: op for op in ops if op.op in {Op.INPUT, Op.COMPONENT}}
    for op in ops:
        if op.op not in {Op.SAMPLE, Op.FETCH} or Varies.X not in lanes[op.results[0]].varies:
            continue
        lane = op.results[0]
        for k, (output, wide) in enumerate(outputs):
            if tuple(output) == (lane,) and stored[lane] == 1 and not uses[lane] and lanes[lane].wide == wide:
                found.outputs[lane] = k
        components = [_component(made_by.get(arg), made_by) for arg in op.args]
        port = components[0][0] if components[0] is not None else ""
        is_pair = components == [(port, 0), (port, 1)] and channels[port] == 2
        if op.op is Op.SAMPLE and is_pair and all(uses[arg] == 1 and not stored[arg] for arg in op.args):
            found.positions[lane] = port
            found.unread.update(op.args)
            found.unread.update(a for a in made_by[op.args[0]].args if uses[a] == 2 and not stored[a])
    return found


def _component(op: LaneOp | None, made_by: Mapping[int, LaneOp]) -> tuple[str, int] | None:
    """Return of which picture a lane is a component, and which."""
    if op is None or not isinstance(op.attr, Component):
        return None
    if op.op is Op.INPUT:
        return op.attr.port, op.attr.index
    whole = made_by.get(op.args[0])
    if whole is None or whole.op is not Op.INPUT or isinstance(whole.attr, Component):
        return None
    return str(whole.attr), op.attr.index
