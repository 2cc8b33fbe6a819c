"""The code of a program: lane operations as words for the engine, with registers for their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from unshape_expr.functions import Function
from unshape_expr.interpret.lanes import Component, Lane, LaneLoop, LaneOp, LaneProgram, used_by
from unshape_expr.ir import Border, Fetching, Filter, Sampling
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_simd_cffi.instructions import MOVING, instruction_name, is_alias, noise_on_grid, used_whole
from unshape_simd_cffi.noise_terms import NoiseTerm, find_noise_terms
from unshape_simd_cffi.pairs import Pair, count_uses, find_pairs
from unshape_simd_cffi.registers import Place, Register, share_memory
from unshape_simd_cffi.stages import Stages, results_of

_BORDERS = {Border.CLAMP: 0, Border.REPEAT: 1, Border.MIRROR: 2, Border.ZERO: 3}
_BLOCK_FLOATS = 6144
"""Floats of all planes of a block: three quarters of a first-level cache of 32 KiB."""


@dataclass(slots=True)
class Code:
    """A program for the engine.

    Attributes
    ----------
    columns, rows, pixels : list of int
        The words of the three stages.
    registers : list of Register
        All registers.
    row_values : list of (int, int)
        Registers that hold one value of a row, and the registers of the stage of rows that they come from.
    moving : list of int
        Registers whose memory is another one in each block.
    pictures : tuple of str
        The picture inputs, in the order in which the engine is given them.
    block : int
        Pixels of a block.
    units, splats, row_units, column_units : int
        Sizes of the kinds of memory.
    """

    columns: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    pixels: list[int] = field(default_factory=list)
    registers: list[Register] = field(default_factory=list)
    row_values: list[tuple[int, int]] = field(default_factory=list)
    moving: list[int] = field(default_factory=list)
    pictures: tuple[str, ...] = ()
    block: int = 64
    units: int = 0
    splats: int = 0
    row_units: int = 0
    column_units: int = 0


def write_code(
    program: LaneProgram,
    stages: Stages,
    *,
    opcodes: Mapping[str, int],
    functions: Mapping[bytes, int],
    channels: Sequence[int],
    input_channels: Mapping[str, int],
) -> Code:
    """Return the code of a program.

    Parameters
    ----------
    program, stages
        The program.
    opcodes : mapping of str to int
        Instructions of the engine.
    functions : mapping of bytes to int
        Instructions of functions, by the digest of the definition.
    channels : sequence of int
        Channels of each output.
    input_channels : mapping of str to int
        Channels of each picture, in the order in which the engine is given them.
    """
    writer = _Writer(program, opcodes, functions, input_channels)
    return writer.write(stages, channels)


class _Writer:
    def __init__(
        self,
        program: LaneProgram,
        opcodes: Mapping[str, int],
        functions: Mapping[bytes, int],
        input_channels: Mapping[str, int],
    ) -> None:
        self._lanes = program.lanes
        self._outputs = program.outputs
        self._opcodes = opcodes
        self._functions = functions
        self._channels = input_channels
        self._pictures = {port: k for k, port in enumerate(input_channels)}
        self._code = Code(pictures=tuple(input_channels))
        self._registers = self._code.registers
        self._of_lane: dict[int, int] = {}
        self._words: list[int] = []
        self._position = 0
        self._in_place: set[int] = set()
        self._loops: list[tuple[int, list[int]]] = []
        self._stage = Varies.BOTH
        self._grids: dict[int, list[int]] = {}
        self._uses: Counter[int] = Counter()
        self._whole: set[int] = set()

    # Registers.

    def _new(self, place: Place, wide: int = 1) -> int:
        self._registers.append(Register(place, wide=wide, first=self._position, last=self._position))
        return len(self._registers) - 1

    def _define(self, lane: int) -> int:
        """Return a new register for a lane, in the kind of memory that the stage and the lane want."""
        info = self._lanes[lane]
        number = self._new(self._place(info), info.wide)
        self._of_lane[lane] = number
        return number

    def _place(self, info: Lane) -> Place:
        if self._stage is Varies.Y:
            return Place.ROWS if Varies.Y in info.varies else Place.VECTOR
        return Place.BLOCK if Varies.X in info.varies else Place.VECTOR

    def _use(self, lane: int) -> int:
        number = self._of_lane[lane]
        self._touch(number)
        return number

    def _touch(self, number: int) -> None:
        """Note that a register is needed here; one from outside of a loop is needed until the loop ends."""
        register = self._registers[number]
        register.last = max(register.last, self._position)
        for start, touched in self._loops:
            if register.first < start:
                touched.append(number)
                break

    def _size(self, lane: int) -> int:
        """Return how many values a pixel an instruction computes; 0 for one vector in all."""
        register = self._registers[self._of_lane[lane]]
        return 0 if register.place in {Place.VECTOR, Place.NUMBER} else register.wide

    # Stages.

    def write(self, stages: Stages, channels: Sequence[int]) -> Code:
        code = self._code
        for k, lane in enumerate(stages.numbers):
            self._registers.append(Register(Place.NUMBER, number=k))
            self._of_lane[lane] = len(self._registers) - 1
        self._uses = count_uses((*stages.rows, *stages.columns, *stages.pixels))
        self._uses.update(lane for output in self._outputs for lane in output)
        self._whole = {lane for output in self._outputs for lane in output}
        self._whole |= used_whole((*stages.rows, *stages.columns, *stages.pixels))
        later = {lane for op in stages.pixels for lane in used_by(op)}.union(*self._outputs)
        self._stage = Varies.Y
        self._block(stages.rows)
        code.rows = self._finish()
        self._keep_rows(stages.rows, later)
        self._stage = Varies.X
        self._block(stages.columns)
        self._lattice_columns(stages.pixels)
        self._keep_columns(stages.columns, later)
        code.columns = self._finish()
        self._stage = Varies.BOTH
        self._block(stages.pixels)
        self._store(stages.pixels, channels)
        code.pixels = self._finish()
        self._share()
        return code

    def _finish(self) -> list[int]:
        self._emit("end", 0, ())
        words, self._words = self._words, []
        return words

    def _keep_rows(self, ops: Sequence[LaneOp], later: set[int]) -> None:
        for lane in (r for op in ops for r in results_of(op) if r in later):
            source = self._of_lane[lane]
            if self._registers[source].place is Place.ROWS:
                self._registers[source].last = 2**31
                self._of_lane[lane] = self._new(Place.VECTOR)
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
        for register in self._registers:
            if register.place is Place.VECTOR:
                register.number = code.splats
                code.splats += 1
        code.block = min(max(_BLOCK_FLOATS // max(code.units, 1) // 64 * 64, 64), 1024)
        code.moving = [k for k, r in enumerate(self._registers) if r.place is Place.COLUMNS or r.output >= 0]

    # Instructions.

    def _emit(self, name: str, size: int, words: Sequence[int], *, in_place: bool = False) -> None:
        if in_place:
            self._in_place.add(self._position)
        self._words += (self._opcodes[name], 3 + len(words), size, *words)
        self._position += 1

    def _block(self, ops: Sequence[LaneOp]) -> None:
        loaded: set[str] = set()
        terms = find_noise_terms(ops, self._lanes, self._uses, columns=self._grids)
        pairs = find_pairs(ops, self._lanes, self._uses, taken=terms)
        for place, op in enumerate(ops):
            if place in terms:
                self._noise_term(terms[place])
            elif place in pairs:
                self._pair(op, pairs[place])
            elif op.loop is not None:
                self._loop(op, op.loop)
            elif op.op is Op.INPUT:
                self._input(op, ops, loaded)
            elif op.op in {Op.SAMPLE, Op.FETCH}:
                self._read(op)
            else:
                self._plain(op)

    def _pair(self, op: LaneOp, pair: Pair | None) -> None:
        if pair is not None:
            args = [self._use(a) for a in pair.args]
            (result,) = (self._define(r) for r in op.results)
            self._emit(pair.name, self._size(op.results[0]), (result, *args), in_place=True)

    def _input(self, op: LaneOp, ops: Sequence[LaneOp], loaded: set[str]) -> None:
        port = op.attr.port if isinstance(op.attr, Component) else str(op.attr)
        picture, channels = self._pictures[port], self._channels[port]
        if not isinstance(op.attr, Component) or channels == 1:
            (lane,) = op.results
            self._emit("load", channels, (self._define(lane), picture))
        elif port not in loaded:
            loaded.add(port)
            planes = [-1] * 4
            for other in ops:
                if other.op is Op.INPUT and isinstance(other.attr, Component) and other.attr.port == port:
                    planes[other.attr.index] = self._define(other.results[0])
            self._emit("load_planes", 1, (picture, *planes))

    def _read(self, op: LaneOp) -> None:
        x, y = (self._use(a) for a in op.args)
        targets = [self._define(r) for r in op.results]
        is_wide = self._registers[targets[0]].wide > 1
        size = 0 if self._registers[targets[0]].place is Place.VECTOR else 1
        targets += [-1] * (4 - len(targets))
        attr = op.attr
        assert isinstance(attr, Sampling | Fetching)
        is_nearest = isinstance(attr, Sampling) and attr.filter is Filter.NEAREST
        name = "sample" if isinstance(attr, Sampling) else "fetch"
        border = _BORDERS[attr.border]
        self._emit(name, size, (x, y, self._pictures[attr.port], is_nearest, border, *targets, is_wide))

    def _plain(self, op: LaneOp) -> None:
        if is_alias(op, self._lanes):
            (result,) = op.results
            self._of_lane[result] = self._use(op.args[0])
            return
        args = [self._use(a) for a in op.args]
        if self._is_pattern(op, args):
            self._of_lane[op.results[0]] = self._new(Place.VECTOR, self._lanes[op.results[0]].wide)
            wide = self._lanes[op.results[0]].wide
            self._emit("pattern", 0, (self._of_lane[op.results[0]], *(args if len(args) == wide else args * wide)))
            return
        results = [self._define(r) for r in op.results]
        size = self._size(op.results[0])
        match op.op:
            case Op.CALL:
                self._in_place.add(self._position)
                self._words += self._call_words(op, size, results, args)
                self._position += 1
            case Op.VEC:
                wide = self._registers[results[0]].wide
                self._emit("widen", wide, (*results, *(args if len(args) == wide else args * wide)))
            case Op.COMPONENT:
                assert isinstance(op.attr, Component)
                wide = self._lanes[op.args[0]].wide
                self._emit("component", 1, (*results, *args, op.attr.index, wide))
            case _:
                name = instruction_name(op, self._lanes)
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

    # Lattice noise on a grid.

    def _lattice_columns(self, ops: Sequence[LaneOp]) -> None:
        """Compute once for all rows what grids of lattice noise take from the columns of the picture."""
        for op in ops:
            is_new = op.op is Op.CALL and op.args[0] in self._of_lane and op.args[0] not in self._grids
            if is_new and noise_on_grid(op, self._lanes) is not None:
                x = self._use(op.args[0])
                if self._registers[x].place in {Place.VECTOR, Place.NUMBER}:
                    continue
                made = [self._new(Place.COLUMNS) for _ in range(4)]
                for number in made:
                    self._registers[number].last = 2**31
                self._emit("lattice_columns", 1, (*made, x))
                self._grids[op.args[0]] = made

    def _noise_term(self, term: NoiseTerm | None) -> None:
        if term is None:
            return
        columns = self._grids[term.call.args[0]]
        operands = [-1 if lane is None else self._use(lane) for lane in (term.factor, term.sum, term.scale)]
        args = [self._use(a) for a in term.call.args]
        result = self._define(term.result)
        own = result if term.factor is None else self._new(Place.BLOCK)
        is_tiled = term.call.attr.name.endswith("_tiled") if isinstance(term.call.attr, Function) else False
        call = self._call_words(term.call, 1, [own], args)
        self._emit("lattice_row", 1, (*columns, result, is_tiled, term.noise, *operands, *call))

    def _call_words(self, op: LaneOp, size: int, results: Sequence[int], args: Sequence[int]) -> tuple[int, ...]:
        assert isinstance(op.attr, Function)
        return (self._functions[op.attr.kernel.key], 3 + len(results) + len(args), size, *results, *args)

    # Loops.

    def _loop(self, op: LaneOp, loop: LaneLoop) -> None:
        count, *starts = op.args
        for state, start in zip(loop.states, starts, strict=True):
            source = self._use(start)
            self._emit("move", self._size_of(self._define(state)), (self._of_lane[state], source), in_place=True)
        index = self._define(loop.index)
        begin = len(self._words)
        self._emit("loop_begin", 0, (index, self._use(count), loop.max_count, 0))
        touched: list[int] = []
        self._loops.append((self._position, touched))
        self._block(loop.body)
        self._carry(loop)
        distance = len(self._words) - begin
        self._emit("loop_end", 0, (index, distance))
        self._words[begin + 6] = distance
        self._loops.pop()
        for number in (*touched, index, *(self._of_lane[s] for s in loop.states)):
            self._registers[number].last = max(self._registers[number].last, self._position)
            self._touch(number)
        for state, result in zip(loop.states, loop.results, strict=True):
            self._of_lane[result] = self._of_lane[state]

    def _carry(self, loop: LaneLoop) -> None:
        """Give carried values their successors, all at once."""
        sources = [self._use(n) for n in loop.next_states]
        states = [self._of_lane[s] for s in loop.states]
        for k, source in enumerate(sources):
            if source in states and source != states[k]:
                copy = self._new(self._registers[source].place, self._registers[source].wide)
                self._emit("move", self._size_of(copy), (copy, source))
                sources[k] = copy
        for state, source in zip(states, sources, strict=True):
            self._touch(source)
            if state != source:
                self._emit("move", self._size_of(state), (state, source))

    def _size_of(self, number: int) -> int:
        register = self._registers[number]
        return 0 if register.place is Place.VECTOR else register.wide

    # Outputs.

    def _store(self, ops: Sequence[LaneOp], channels: Sequence[int]) -> None:
        computed = {op.results[0] for op in ops if op.loop is None and op.op not in MOVING}
        for k, (lanes, count) in enumerate(zip(self._outputs, channels, strict=True)):
            if len(lanes) > 1:
                self._emit("store_planes", 1, (k, len(lanes), *(self._use(lane) for lane in lanes)))
                continue
            number = self._use(lanes[0])
            register = self._registers[number]
            if count > 1 and register.wide == 1:
                self._emit("store_planes", 1, (k, count, *(number,) * count))
                continue
            if register.place is Place.BLOCK and register.output < 0 and lanes[0] in computed:
                register.output = k
            self._emit("store", count, (number, k))
