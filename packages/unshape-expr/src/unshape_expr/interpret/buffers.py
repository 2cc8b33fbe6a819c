"""Which temporaries share memory: registers of the pixel stage are assigned to as few buffers as liveness allows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from unshape_expr.interpret.array_ops import IN_PLACE
from unshape_expr.interpret.lanes import Lane, LaneOp, defined_by, used_by
from unshape_expr.interpret.steps import is_alias
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_expr.types import Type


@dataclass(frozen=True, slots=True)
class Shape:
    """What buffers of one sort hold for a pixel: bytes of an element, and elements."""

    itemsize: int
    wide: int


@dataclass(frozen=True, slots=True)
class Store:
    """A lane that is written to an output: to one channel, or (``channel`` None) to all at once."""

    lane: int
    output: int
    channel: int | None


@dataclass(slots=True)
class BufferPlan:
    """Buffers of the pixel stage.

    Attributes
    ----------
    buffers : list of Shape
        Each buffer's.
    buffer_of : dict of int to int
        The buffer of each lane that owns one.
    direct : dict of int to Store
        Lanes that are computed in an output.
    reinterpreted : dict of int to int
        Lanes that are the bits of a buffer as another kind of number, and the buffer.
    """

    buffers: list[Shape] = field(default_factory=list)
    buffer_of: dict[int, int] = field(default_factory=dict)
    direct: dict[int, Store] = field(default_factory=dict)
    reinterpreted: dict[int, int] = field(default_factory=dict)

    @property
    def bytes_per_pixel(self) -> int:
        """Bytes of all buffers for each pixel of a tile."""
        return sum(b.itemsize * b.wide for b in self.buffers)

    def has_array(self, op: LaneOp) -> bool:
        """Return whether the registers of an operation's results hold arrays to write to."""
        return bool(op.results) and (op.results[0] in self.buffer_of or op.results[0] in self.direct)

    def is_bound(self, op: LaneOp) -> bool:
        """Return whether an operation needs no step, since its result is a buffer that is computed already."""
        return bool(op.results) and op.results[0] in self.reinterpreted


def plan_buffers(
    ops: Sequence[LaneOp], lanes: Sequence[Lane], stores: Sequence[Store], channels: Sequence[int]
) -> BufferPlan:
    """Return the buffers for the operations of the pixel stage.

    Parameters
    ----------
    ops, lanes
        The stage.
    stores : sequence of Store
        What is stored at the end.
    channels : sequence of int
        Channels of each output.
    """
    planner = _Planner(ops, lanes)
    planner.place_outputs(ops, stores, channels)
    return planner.plan(ops)


class _Planner:
    def __init__(self, ops: Sequence[LaneOp], lanes: Sequence[Lane]) -> None:
        self._lanes = lanes
        self._result = BufferPlan()
        self._free: dict[Shape, list[int]] = defaultdict(list)
        self._roots: dict[int, int] = {}
        self._uses: Counter[int] = Counter()
        self._count_uses(ops)
        self._last: dict[int, int] = {}
        for position, op in enumerate(ops):
            for lane in used_by(op):
                self._last[self._root(lane)] = position

    def place_outputs(self, ops: Sequence[LaneOp], stores: Sequence[Store], channels: Sequence[int]) -> None:
        """Decide which lanes are computed in an output, and keep the others to the end.

        One channel of several lies scattered in memory: a lane that is read again is better kept apart from it.
        """
        owned = {r for op in ops if op.loop is None and self._owns(op) for r in op.results}
        for store in stores:
            lane, count = store.lane, channels[store.output]
            fits = self._lanes[lane].wide == count if store.channel is None else count == 1 or self._uses[lane] == 0
            if fits and lane in owned and lane not in self._result.direct:
                self._result.direct[lane] = store
            self._last[self._root(lane)] = len(ops)

    def _count_uses(self, ops: Sequence[LaneOp]) -> None:
        for op in ops:
            self._uses.update(op.args)
            if op.loop is not None:
                self._uses.update(op.loop.next_states)
                self._count_uses(op.loop.body)
                for state, result in zip(op.loop.states, op.loop.results, strict=True):
                    self._roots[result] = self._root(state)
            elif is_alias(op, self._lanes):
                self._roots[op.results[0]] = self._root(op.args[0])

    def _root(self, lane: int) -> int:
        return self._roots.get(lane, lane)

    def plan(self, ops: Sequence[LaneOp]) -> BufferPlan:
        for position, op in enumerate(ops):
            self._place(op, position, self._last)
        return self._result

    def _place(self, op: LaneOp, position: int, last: dict[int, int]) -> None:
        if op.loop is not None:
            self._place_loop(op, position, last)
            return
        ending = {r for r in (self._root(a) for a in op.args) if last.get(r) == position}
        if op.op in IN_PLACE:
            self._release(ending)
            self._take(op)
        else:
            self._take(op)
            self._release(ending)
        if not is_alias(op, self._lanes):
            self._release({r for r in op.results if r not in last})

    def _take(self, op: LaneOp) -> None:
        if op.op is not Op.COMPONENT and is_alias(op, self._lanes):
            buffer = self._result.buffer_of.get(self._root(op.args[0]))
            if buffer is not None and not self._is_part(op.args[0]):
                self._result.reinterpreted[op.results[0]] = buffer
        if not self._owns(op):
            return
        for lane in op.results:
            if lane not in self._result.direct:
                self._assign(lane)

    def _is_part(self, lane: int) -> bool:
        return self._lanes[lane].wide != self._lanes[self._root(lane)].wide

    def _owns(self, op: LaneOp) -> bool:
        """Return whether an operation writes into given arrays."""
        lane = op.results[0]
        if self._lanes[lane].varies is not Varies.BOTH or is_alias(op, self._lanes) or op.op is Op.CALL:
            return False
        if op.op is Op.INPUT:
            # A plane of a picture lies scattered in memory; from the second use on, a copy is faster.
            return self._lanes[lane].wide == 1 and self._uses[lane] > 1
        return not (op.op in {Op.SAMPLE, Op.FETCH} and self._lanes[lane].wide > 1)

    def _assign(self, lane: int) -> None:
        shape = Shape(1 if self._lanes[lane].kind is Type.BOOL else 4, self._lanes[lane].wide)
        if self._free[shape]:
            self._result.buffer_of[lane] = self._free[shape].pop()
        else:
            self._result.buffers.append(shape)
            self._result.buffer_of[lane] = len(self._result.buffers) - 1

    def _release(self, roots: set[int]) -> None:
        for root in sorted(roots):
            buffer = self._result.buffer_of.get(root)
            if buffer is not None:
                self._free[self._result.buffers[buffer]].append(buffer)

    def _place_loop(self, op: LaneOp, position: int, last: dict[int, int]) -> None:
        loop = op.loop
        assert loop is not None
        for state in loop.states:
            if self._lanes[state].varies is Varies.BOTH:
                self._assign(state)
        # Inside, only what the body itself defines may end; what comes from outside is needed in the next iteration.
        inside: dict[int, int] = {}
        defined = set(defined_by(op))
        own = {lane for inner in loop.body for lane in (inner.results if inner.loop is None else inner.loop.states)}
        for inner_position, inner in enumerate(loop.body):
            for lane in used_by(inner):
                inside[self._root(lane)] = inner_position
        end = len(loop.body)
        ending = {self._root(n): end for n in loop.next_states}
        inside = {lane: p for lane, p in inside.items() if lane in own} | ending
        for inner_position, inner in enumerate(loop.body):
            self._place(inner, inner_position, inside)
        self._release({r for r in ending if r in own})
        self._release({r for r in (self._root(u) for u in used_by(op)) if last.get(r) == position and r not in defined})
        self._release({s for s in loop.states if last.get(s, position) == position})
