"""Writes the code of a program: lane operations become words for the engine, with registers for their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from unshape_expr.functions import Function
from unshape_expr.interpret.lanes import Component, LaneLoop, LaneOp, LaneProgram, used_by
from unshape_expr.ir import Border, Fetching, Filter, Sampling
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_simd_cffi.allocation import Allocation
from unshape_simd_cffi.code import Code
from unshape_simd_cffi.instructions import (
    Instructions,
    find_same,
    has_position,
    instruction_name,
    noise_on_grid,
    used_whole,
)
from unshape_simd_cffi.noise_positions import Positions
from unshape_simd_cffi.noise_terms import NoiseTerm, find_noise_terms
from unshape_simd_cffi.reads import Reads, find_reads
from unshape_simd_cffi.registers import Place, share_memory
from unshape_simd_cffi.run_writer import RunWriter
from unshape_simd_cffi.runs import Lanes
from unshape_simd_cffi.stages import Stages, results_of

_BORDERS = {Border.CLAMP: 0, Border.REPEAT: 1, Border.MIRROR: 2, Border.ZERO: 3}
_STREAM_PIXELS = 4096
"""Pixels of a block of a program that only runs from pictures to outputs."""
_BLOCK_FLOATS = 6144
"""Floats of all planes of a block: three quarters of a first-level cache of 32 KiB."""


def write_code(
    program: LaneProgram,
    stages: Stages,
    *,
    instructions: Instructions,
    channels: Sequence[int],
    input_channels: Mapping[str, int],
) -> Code:
    """Return the code of a program.

    Parameters
    ----------
    program, stages
        The program.
    instructions : Instructions
        What the engine knows.
    channels : sequence of int
        Channels of each output.
    input_channels : mapping of str to int
        Channels of each picture, in the order in which the engine is given them.
    """
    return _Writer(program, stages, instructions, input_channels).write(channels)


class _Writer:
    def __init__(
        self, program: LaneProgram, stages: Stages, instructions: Instructions, input_channels: Mapping[str, int]
    ) -> None:
        ops = (*stages.rows, *stages.columns, *stages.pixels)
        same = Lanes(find_same(ops, program.lanes))
        self._lanes = program.lanes
        self._stages = stages
        self._instructions = instructions
        self._channels = input_channels
        self._pictures = {port: k for k, port in enumerate(input_channels)}
        self._allocation = Allocation(program.lanes, same)
        self._registers = self._allocation.registers
        self._of_lane = self._allocation.of_lane
        self._code = Code(pictures=tuple(input_channels), registers=self._registers)
        self._words: list[int] = []
        self._in_place: set[int] = set()
        self._grids: dict[int, list[int]] = {}
        self._outputs = tuple(tuple(map(same.of, output)) for output in program.outputs)
        self._uses = same.count_uses(ops)
        self._whole = {lane for output in program.outputs for lane in output} | used_whole(ops)
        self._loaded: set[int] = set()
        self._runs = RunWriter(instructions, self._allocation, self._uses)
        self._reads = Reads()

    # Stages.

    def write(self, channels: Sequence[int]) -> Code:
        code, stages = self._code, self._stages
        for k, lane in enumerate(stages.numbers):
            self._of_lane[lane] = self._allocation.new(Place.NUMBER)
            self._registers[-1].number = k
        self._find_direct(channels)
        later = {self._allocation.same.of(lane) for op in stages.pixels for lane in used_by(op)}.union(*self._outputs)
        self._allocation.stage = Varies.Y
        self._block(stages.rows)
        code.rows = self._finish()
        self._keep_rows(stages.rows, later)
        self._allocation.stage = Varies.X
        self._block(stages.columns)
        self._lattice_columns(stages.pixels)
        self._keep_columns(stages.columns, later)
        code.columns = self._finish()
        self._allocation.stage = Varies.BOTH
        self._block([op for op in stages.pixels if self._reads.unread.isdisjoint(op.results)])
        self._store(stages.pixels, channels)
        code.pixels = self._finish()
        code.is_anywhere = not has_position((*stages.rows, *stages.columns))
        self._share()
        return code

    def _find_direct(self, channels: Sequence[int]) -> None:
        """Note the outputs that runs and reads can store themselves; all others are a use of their lanes."""
        outputs = tuple(zip(self._outputs, channels, strict=True))
        self._reads = find_reads(self._stages.pixels, self._lanes, self._uses, self._channels, outputs=outputs)
        made = {op.results[0] for op in self._stages.pixels if self._runs.is_step(op)}
        for k, (lanes, count) in enumerate(outputs):
            if k in self._reads.outputs.values():
                continue
            info = self._lanes[lanes[0]]
            is_made = len(lanes) == 1 and lanes[0] in made and Varies.X in info.varies and info.wide == count
            if not is_made or not self._runs.store_directly(lanes[0], k):
                self._uses.update(lanes)

    def _finish(self) -> list[int]:
        self._emit("end", 0, ())
        words, self._words = self._words, []
        return words

    def _keep_rows(self, ops: Sequence[LaneOp], later: set[int]) -> None:
        for lane in (r for op in ops for r in results_of(op) if r in later):
            source = self._of_lane[lane]
            if self._registers[source].place is Place.ROWS:
                self._registers[source].last = 2**31
                self._of_lane[lane] = self._allocation.new(Place.VECTOR)
                self._code.row_values.append((self._of_lane[lane], source))

    def _keep_columns(self, ops: Sequence[LaneOp], later: set[int]) -> None:
        for lane in (r for op in ops for r in results_of(op) if r in later):
            register = self._registers[self._of_lane[lane]]
            if register.place is Place.BLOCK:
                register.place = Place.COLUMNS
                register.last = 2**31

    def _share(self) -> None:
        code, in_place = self._code, frozenset(self._in_place)
        code.units = share_memory(self._registers, Place.BLOCK, in_place)
        code.row_units = share_memory(self._registers, Place.ROWS, in_place)
        code.column_units = share_memory(self._registers, Place.COLUMNS, in_place)
        code.tiles = share_memory(self._registers, Place.TILE, frozenset())
        for register in self._registers:
            if register.place is Place.VECTOR:
                register.number = code.splats
                code.splats += 1
        planes = {k for k, r in enumerate(self._registers) if r.place is Place.BLOCK} - self._loaded
        size = _BLOCK_FLOATS // max(code.units, 1) if planes else _STREAM_PIXELS
        code.block = min(max(size // 64 * 64, 64), _STREAM_PIXELS if not planes else 1024)
        code.moving = [k for k, r in enumerate(self._registers) if r.place is Place.COLUMNS or r.output >= 0]

    # Instructions.

    def _emit(self, name: str, size: int, words: Sequence[int], *, in_place: bool = False) -> None:
        if in_place:
            self._in_place.add(self._allocation.position)
        self._words += (self._instructions.opcodes[name], 3 + len(words), size, *words)
        self._allocation.position += 1

    def _block(self, ops: Sequence[LaneOp]) -> None:
        loaded: set[str] = set()
        uses = self._uses + Counter(self._runs.direct.keys())
        terms = find_noise_terms(ops, self._lanes, uses, columns=self._grids)
        waiting: list[LaneOp] = []
        waited: set[int] = set()
        for place, op in enumerate(ops):
            if place not in terms and self._runs.is_step(op):
                waiting.append(op)
                waited.update(op.results)
                continue
            term = terms.get(place)
            if place in terms and term is None:
                continue
            if not waited.isdisjoint(map(self._allocation.same.of, used_by(op) if term is None else term.used)):
                self._emit_runs(waiting)
                waiting, waited = [], set()
            if term is not None and term.positions is not None:
                self._noise_at(term, term.positions)
            elif term is not None:
                self._noise_term(term)
            elif op.loop is not None:
                self._loop(op, op.loop)
            elif op.op is Op.INPUT:
                self._input(op, ops, loaded)
            elif op.op in {Op.SAMPLE, Op.FETCH}:
                self._read(op)
            elif self._allocation.same.of(op.results[0]) == op.results[0]:
                self._plain(op)
        self._emit_runs(waiting)

    def _emit_runs(self, ops: Sequence[LaneOp]) -> None:
        for words in self._runs.write(ops):
            self._words += words

    def _input(self, op: LaneOp, ops: Sequence[LaneOp], loaded: set[str]) -> None:
        port = op.attr.port if isinstance(op.attr, Component) else str(op.attr)
        picture, channels = self._pictures[port], self._channels[port]
        if not isinstance(op.attr, Component) or channels == 1:
            (lane,) = op.results
            self._loaded.add(self._allocation.define(lane))
            self._emit("load", channels, (self._of_lane[lane], picture))
        elif port not in loaded:
            loaded.add(port)
            planes = [-1] * 4
            for other in ops:
                if other.op is Op.INPUT and isinstance(other.attr, Component) and other.attr.port == port:
                    planes[other.attr.index] = self._allocation.define(other.results[0])
            self._emit("load_planes", 1, (picture, *planes))

    def _read(self, op: LaneOp) -> None:
        attr = op.attr
        assert isinstance(attr, Sampling | Fetching)
        output = self._reads.outputs.get(op.results[0], -1)
        pairs = self._pictures.get(self._reads.positions.get(op.results[0], ""), -1)
        x, y = map(self._allocation.use, op.args) if pairs < 0 else (-1, -1)
        targets = [-1] if output >= 0 else [self._allocation.define(r) for r in op.results]
        is_wide = self._lanes[op.results[0]].wide > 1
        size = 0 if self._allocation.place(op.results[0]) is Place.VECTOR else 1
        targets += [-1] * (4 - len(targets))
        is_nearest = isinstance(attr, Sampling) and attr.filter is Filter.NEAREST
        name = "sample" if isinstance(attr, Sampling) else "fetch"
        words = (self._pictures[attr.port], is_nearest, _BORDERS[attr.border], *targets, is_wide, output, pairs)
        self._emit(name, size, (x, y, *words))

    def _plain(self, op: LaneOp) -> None:
        args = [self._allocation.use(a) for a in op.args]
        if self._is_pattern(op, args):
            self._of_lane[op.results[0]] = self._allocation.new(Place.VECTOR, self._lanes[op.results[0]].wide)
            wide = self._lanes[op.results[0]].wide
            self._emit("pattern", 0, (self._of_lane[op.results[0]], *(args if len(args) == wide else args * wide)))
            return
        results = [self._allocation.define(r) for r in op.results]
        size = self._allocation.size(self._of_lane[op.results[0]])
        match op.op:
            case Op.CALL:
                self._in_place.add(self._allocation.position)
                self._words += self._call_words(op, size, results, args)
                self._allocation.position += 1
            case Op.VEC:
                wide = self._registers[results[0]].wide
                self._emit("widen", wide, (*results, *(args if len(args) == wide else args * wide)))
            case Op.COMPONENT:
                assert isinstance(op.attr, Component)
                wide = self._lanes[op.args[0]].wide
                self._emit("component", 1, (*results, *args, op.attr.index, wide))
            case _:
                name = instruction_name(op, self._lanes)
                if op.op in {Op.PIXEL_X, Op.PIXEL_Y} and self._allocation.stage is Varies.BOTH:
                    name = "each_x" if op.op is Op.PIXEL_X else "each_y"
                self._emit(name, size, (*results, *args), in_place=True)

    def _is_pattern(self, op: LaneOp, args: Sequence[int]) -> bool:
        """Return whether an operation puts equal components of all pixels side by side: one vector says it all."""
        (lane, *_) = op.results
        return (
            op.op is Op.VEC
            and self._lanes[lane].wide in {2, 4}
            and lane not in self._whole
            and all(self._registers[a].place in {Place.VECTOR, Place.NUMBER} for a in args)
        )

    # Lattice noise on a grid and at positions.

    def _lattice_columns(self, ops: Sequence[LaneOp]) -> None:
        """Compute once for all rows what grids of lattice noise take from the columns of the picture."""
        for op in ops:
            is_new = op.op is Op.CALL and op.args[0] in self._of_lane and op.args[0] not in self._grids
            if is_new and noise_on_grid(op, self._lanes) is not None:
                x = self._allocation.use(op.args[0])
                if self._registers[x].place in {Place.VECTOR, Place.NUMBER}:
                    continue
                made = [self._allocation.new(Place.COLUMNS) for _ in range(4)]
                for number in made:
                    self._registers[number].last = 2**31
                self._emit("lattice_columns", 1, (*made, x))
                self._grids[op.args[0]] = made

    def _noise_term(self, term: NoiseTerm) -> None:
        columns = self._grids[term.call.args[0]]
        operands = [-1 if lane is None else self._allocation.use(lane) for lane in (term.factor, term.sum, term.scale)]
        args = [self._allocation.use(a) for a in term.call.args]
        result = self._allocation.define(term.result)
        own = result if term.factor is None else self._allocation.new(Place.BLOCK)
        is_tiled = term.call.attr.name.endswith("_tiled") if isinstance(term.call.attr, Function) else False
        call = self._call_words(term.call, 1, [own], args)
        self._emit("lattice_row", 1, (*columns, result, is_tiled, term.noise, *operands, *call))

    def _noise_at(self, term: NoiseTerm, positions: Positions) -> None:
        outputs = self._runs.direct.get(term.result, [])
        is_output = len(outputs) == 1 and not self._uses[term.result]  # and nothing else
        numbers = [self._allocation.use(lane) for lane in (*positions.numbers, term.call.args[2])]
        operands = [-1 if lane is None else self._allocation.use(lane) for lane in (term.factor, term.sum, term.scale)]
        if is_output:
            self._runs.done.update(outputs)
        result = (-1, outputs[0]) if is_output else (self._allocation.define(term.result), -1)
        picture = self._pictures[positions.port]
        self._emit("noise_at", 1, (positions.noise, *result, picture, *numbers, *operands), in_place=True)

    def _call_words(self, op: LaneOp, size: int, results: Sequence[int], args: Sequence[int]) -> tuple[int, ...]:
        assert isinstance(op.attr, Function)
        return self._instructions.call(op.attr, size, results, args)

    # Loops.

    def _loop(self, op: LaneOp, loop: LaneLoop) -> None:
        count, *starts = op.args
        for state, start in zip(loop.states, starts, strict=True):
            source = self._allocation.use(start)
            size = self._allocation.size(self._allocation.define(state))
            self._emit("move", size, (self._of_lane[state], source), in_place=True)
        index = self._allocation.define(loop.index)
        begin = len(self._words)
        self._emit("loop_begin", 0, (index, self._allocation.use(count), loop.max_count, 0))
        touched: list[int] = []
        self._allocation.loops.append((self._allocation.position, touched))
        self._block(loop.body)
        self._carry(loop)
        distance = len(self._words) - begin
        self._emit("loop_end", 0, (index, distance))
        self._words[begin + 6] = distance
        self._allocation.loops.pop()
        for number in (*touched, index, *(self._of_lane[s] for s in loop.states)):
            self._registers[number].last = max(self._registers[number].last, self._allocation.position)
            self._allocation.touch((number,))
        for state, result in zip(loop.states, loop.results, strict=True):
            self._of_lane[result] = self._of_lane[state]

    def _carry(self, loop: LaneLoop) -> None:
        """Give carried values their successors, all at once."""
        sources = [self._allocation.use(n) for n in loop.next_states]
        states = [self._of_lane[s] for s in loop.states]
        for k, source in enumerate(sources):
            if source in states and source != states[k]:
                copy = self._allocation.new(self._registers[source].place, self._registers[source].wide)
                self._emit("move", self._allocation.size(copy), (copy, source))
                sources[k] = copy
        for state, source in zip(states, sources, strict=True):
            self._allocation.touch((source,))
            if state != source:
                self._emit("move", self._allocation.size(state), (state, source))

    # Outputs.

    def _store(self, ops: Sequence[LaneOp], channels: Sequence[int]) -> None:
        computed = {op.results[0] for op in ops if op.loop is None and op.op is not Op.INPUT}
        for k, (lanes, count) in enumerate(zip(self._outputs, channels, strict=True)):
            if k in self._runs.done or k in self._reads.outputs.values():
                continue
            if len(lanes) > 1:
                self._emit("store_planes", 1, (k, len(lanes), *(self._allocation.use(lane) for lane in lanes)))
                continue
            number = self._allocation.use(lanes[0])
            register = self._registers[number]
            if count > 1 and register.wide == 1:
                self._emit("store_planes", 1, (k, count, *(number,) * count))
                continue
            if register.place is Place.BLOCK and register.output < 0 and lanes[0] in computed:
                register.output = k
            self._emit("store", count, (number, k))
