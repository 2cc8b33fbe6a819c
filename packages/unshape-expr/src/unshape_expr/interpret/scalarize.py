"""From a flat program to lanes: every vector becomes planes or one wide lane."""

from __future__ import annotations

from collections.abc import Sequence

from unshape_expr.interpret.flat import FlatLoop, FlatOp, FlatProgram
from unshape_expr.interpret.lanes import (
    Component,
    Lane,
    LaneAttr,
    LaneLoop,
    LaneOp,
    LaneProgram,
    Widen,
    without_unused,
)
from unshape_expr.interpret.layout import wide_values
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_expr.types import Type


def scalarize(program: FlatProgram) -> LaneProgram:
    """Return the lanes that compute a flat program; what no output needs is left out."""
    writer = _Writer(program)
    writer.write(program.ops)
    outputs = tuple(writer.lanes_of(o) for o in program.outputs)
    wanted = frozenset(lane for output in outputs for lane in output)
    return LaneProgram(without_unused(writer.ops, wanted), tuple(writer.lanes), outputs)


class _Writer:
    def __init__(self, program: FlatProgram) -> None:
        self.lanes: list[Lane] = []
        self.ops: list[LaneOp] = []
        self._values = program.values
        self._is_wide = wide_values(program)
        self._planes: dict[int, tuple[int, ...]] = {}
        self._wides: dict[tuple[int, int], int] = {}

    def _new(self, kind: Type, varies: Varies, wide: int = 1) -> int:
        self.lanes.append(Lane(kind, varies, wide))
        return len(self.lanes) - 1

    def _varies(self, lanes: Sequence[int]) -> Varies:
        """Return along which axes a component varies: of a vector that varies along both, maybe along one only."""
        found = Varies.NONE
        for lane in lanes:
            found |= self.lanes[lane].varies
        return found

    def _emit(self, op: FlatOp, lane: int, args: Sequence[int], attr: LaneAttr) -> None:
        self.ops.append(LaneOp(op.op, (lane,), tuple(args), attr, op.slot))

    def lanes_of(self, number: int) -> tuple[int, ...]:
        """Return the wide lane of a value, or its planes."""
        if number in self._is_wide:
            return (self._wides[number, self._values[number].width],)
        return self._planes[number]

    def plane(self, number: int, index: int) -> int:
        """Return one component of a value as a plane."""
        value = self._values[number]
        if number in self._is_wide:
            planes = self._planes.get(number)
            if planes is None:
                wide = self._wides[number, value.width]
                planes = tuple(self._new(value.kind, value.varies) for _ in range(value.width))
                for k, lane in enumerate(planes):
                    self.ops.append(LaneOp(Op.COMPONENT, (lane,), (wide,), Component(k)))
                self._planes[number] = planes
            return planes[index]
        planes = self._planes[number]
        return planes[index if len(planes) > 1 else 0]

    def wide(self, number: int, width: int) -> int:
        """Return a value in a form that NumPy broadcasts against wide lanes of that width."""
        value = self._values[number]
        if (number, width) in self._wides:
            return self._wides[number, width]
        if value.width == 1 and Varies.X not in value.varies:
            return self._planes[number][0]
        lane = self._new(value.kind, value.varies | Varies.X, width)
        self.ops.append(LaneOp(Op.VEC, (lane,), self._planes[number], Widen(width)))
        self._wides[number, width] = lane
        return lane

    def write(self, ops: Sequence[FlatOp]) -> None:
        for op in ops:
            if op.loop is not None:
                self._loop(op, op.loop)
            elif op.op in {Op.SAMPLE, Op.FETCH}:
                self._read(op)
            elif op.op is Op.CALL:
                self._call(op)
            elif op.op in {Op.INPUT, Op.SCALAR_INPUT, Op.UNIFORM}:
                self._input(op)
            elif op.op is Op.COMPONENT:
                assert isinstance(op.attr, int)
                self._planes[op.result] = (self.plane(op.args[0], op.attr),)
            elif op.op is Op.VEC:
                self._vec(op)
            else:
                self._elementwise(op)

    def _elementwise(self, op: FlatOp) -> None:
        value = self._values[op.result]
        attr = op.attr
        if op.result in self._is_wide:
            lane = self._new(value.kind, value.varies, value.width)
            self._emit(op, lane, [self.wide(a, value.width) for a in op.args], attr)
            self._wides[op.result, value.width] = lane
            return
        planes = []
        for k in range(value.width):
            args = [self.plane(a, k) for a in op.args]
            lane = self._new(value.kind, self._varies(args) if args else value.varies)
            self._emit(op, lane, args, attr)
            planes.append(lane)
        self._planes[op.result] = tuple(planes)

    def _vec(self, op: FlatOp) -> None:
        value = self._values[op.result]
        parts = tuple(self.plane(a, 0) for a in op.args)
        self._planes[op.result] = parts
        if op.result in self._is_wide:
            lane = self._new(value.kind, value.varies, value.width)
            self.ops.append(LaneOp(Op.VEC, (lane,), parts, Widen(value.width)))
            self._wides[op.result, value.width] = lane

    def _input(self, op: FlatOp) -> None:
        value = self._values[op.result]
        assert isinstance(op.attr, str)
        if op.result in self._is_wide:
            lane = self._new(value.kind, value.varies, value.width)
            self._emit(op, lane, (), op.attr)
            self._wides[op.result, value.width] = lane
            return
        planes = tuple(self._new(value.kind, value.varies) for _ in range(value.width))
        for k, lane in enumerate(planes):
            self._emit(op, lane, (), Component(k, op.attr))
        self._planes[op.result] = planes

    def _results(self, op: FlatOp, *, is_wide: bool) -> tuple[int, ...]:
        value = self._values[op.result]
        if is_wide:
            lane = self._new(value.kind, value.varies, value.width)
            self._wides[op.result, value.width] = lane
            return (lane,)
        planes = tuple(self._new(value.kind, value.varies) for _ in range(value.width))
        self._planes[op.result] = planes
        return planes

    def _read(self, op: FlatOp) -> None:
        count = self._values[op.args[0]].width
        args = tuple(self.plane(a, k) for a in op.args for k in range(2 if op.op is Op.SAMPLE else count))
        results = self._results(op, is_wide=op.result in self._is_wide)
        self.ops.append(LaneOp(op.op, results, args, op.attr))

    def _call(self, op: FlatOp) -> None:
        from unshape_expr.functions import Function

        function = op.attr
        assert isinstance(function, Function)
        if function.is_componentwise:
            self._elementwise(op)
            return
        widths = tuple(p.type.components for p in function.parameters)
        args = tuple(self.plane(a, k) for a, w in zip(op.args, widths, strict=True) for k in range(w))
        results = self._results(op, is_wide=False)
        self.ops.append(LaneOp(op.op, results, args, function, widths=widths))
        if op.result in self._is_wide:
            value = self._values[op.result]
            lane = self._new(value.kind, value.varies, value.width)
            self.ops.append(LaneOp(Op.VEC, (lane,), results, Widen(value.width)))
            self._wides[op.result, value.width] = lane

    def _loop(self, op: FlatOp, loop: FlatLoop) -> None:
        count = self.plane(op.args[0], 0)
        starts = [lane for a, s in zip(op.args[1:], loop.states, strict=True) for lane in self._as_state(a, s)]
        (index,) = self._planes[loop.index] = (self._new(Type.I32, Varies.NONE),)
        states = tuple(lane for s in loop.states for lane in self._new_state(s))
        outer, self.ops = self.ops, []
        planes, wides = dict(self._planes), dict(self._wides)
        self.write(loop.body)
        next_states = tuple(
            lane for n, s in zip(loop.next_states, loop.states, strict=True) for lane in self._as_state(n, s)
        )
        body, self.ops = tuple(self.ops), outer
        self._planes, self._wides = planes, wides
        results = tuple(lane for r in loop.results for lane in self._new_state(r))
        inside = LaneLoop(loop.max_count, index, states, body, next_states, results)
        self.ops.append(LaneOp(Op.LOOP, (), (count, *starts), loop=inside))

    def _as_state(self, number: int, state: int) -> list[int]:
        """Return a value as the lanes of a carried value."""
        width = self._values[state].width
        if state in self._is_wide:
            return [self.wide(number, width)]
        return [self.plane(number, k) for k in range(width)]

    def _new_state(self, number: int) -> list[int]:
        value = self._values[number]
        if number in self._is_wide:
            lane = self._new(value.kind, value.varies, value.width)
            self._wides[number, value.width] = lane
            return [lane]
        planes = [self._new(value.kind, value.varies) for _ in range(value.width)]
        self._planes[number] = tuple(planes)
        return planes
