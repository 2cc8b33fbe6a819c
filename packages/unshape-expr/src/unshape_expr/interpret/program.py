"""Programs: what a kernel becomes before it runs, and how it is found again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from unshape_core.fork_safety import renew_in_children
from unshape_expr.interpret.buffers import BufferPlan, Store, plan_buffers
from unshape_expr.interpret.flat import FlatProgram
from unshape_expr.interpret.flatten import flatten
from unshape_expr.interpret.lanes import Lane, LaneOp, used_by
from unshape_expr.interpret.loop_step import make_loop_step
from unshape_expr.interpret.scalar_code import ScalarCode, compile_scalars
from unshape_expr.interpret.scalarize import scalarize
from unshape_expr.interpret.stages import split_stages
from unshape_expr.interpret.steps import Step, make_step
from unshape_expr.interpret.unroll import count_numbers, unroll
from unshape_expr.kernel import Kernel


@dataclass(frozen=True, slots=True)
class Executable:
    """A kernel for given loop counts.

    Parameters
    ----------
    lanes : tuple of Lane
        Registers.
    scalars, numbers : ScalarCode, tuple of int
        What is computed once, and the registers it goes to.
    columns, rows, pixels : tuple of Step
        What is computed for all rows, for all columns, for each tile.
    row_lanes : tuple of int
        Registers of ``rows`` of which each tile needs its part.
    fills : tuple of (int, int)
        Registers of tiles that hold one number everywhere, and the register of that number.
    stores : tuple of Store
        What is copied into outputs after the steps of a tile.
    buffers : BufferPlan
        The temporaries of a tile.
    """

    lanes: tuple[Lane, ...]
    scalars: ScalarCode
    numbers: tuple[int, ...]
    columns: tuple[Step, ...]
    rows: tuple[Step, ...]
    row_lanes: tuple[int, ...]
    pixels: tuple[Step, ...]
    fills: tuple[tuple[int, int], ...]
    stores: tuple[Store, ...]
    buffers: BufferPlan


@dataclass(slots=True)
class Program:
    """A kernel and its executables by loop counts."""

    flat: FlatProgram
    channels: tuple[int, ...]
    slot_count: int
    counts: ScalarCode | None
    count_numbers: tuple[int, ...]
    executables: dict[tuple[int, ...], Executable] = field(default_factory=dict)


_MAX_EXECUTABLES = 16


class ProgramCache:
    """Programs by the key of their kernel, the least recently used dropped first; safe for threads."""

    def __init__(self, *, max_programs: int = 256) -> None:
        self._max_programs = max_programs
        self._programs: OrderedDict[bytes, Program] = OrderedDict()
        self._lock = threading.Lock()
        renew_in_children(self)

    def renew_after_fork(self) -> None:
        """Replace the lock, which a thread that is not here may have held."""
        self._lock = threading.Lock()

    def program(self, kernel: Kernel) -> Program:
        """Return the program of a kernel, made if it is not known."""
        with self._lock:
            found = self._programs.get(kernel.key)
            if found is not None:
                self._programs.move_to_end(kernel.key)
                return found
        made = _make_program(kernel)
        with self._lock:
            found = self._programs.setdefault(kernel.key, made)
            while len(self._programs) > self._max_programs:
                self._programs.popitem(last=False)
            return found


def executable(program: Program, counts: tuple[int, ...]) -> Executable:
    """Return a program for given loop counts."""
    found = program.executables.get(counts)
    if found is None:
        found = _make_executable(program, counts)
        if len(program.executables) >= _MAX_EXECUTABLES:
            program.executables.clear()
        program.executables[counts] = found
    return found


def _make_program(kernel: Kernel) -> Program:
    flat = flatten(kernel)
    numbers = count_numbers(flat)
    counts = None
    if numbers:
        lanes = scalarize(FlatProgram(flat.ops, flat.values, numbers))
        wanted = [planes[0] for planes in lanes.outputs]
        counts = compile_scalars(lanes.ops, lanes.lanes, wanted, slot_count=len(kernel.slots))
    return Program(flat, tuple(t.components for t in kernel.output_types), len(kernel.slots), counts, numbers)


def _make_executable(program: Program, counts: tuple[int, ...]) -> Executable:
    flat = unroll(program.flat, dict(zip(program.count_numbers, counts, strict=True)))
    stages = split_stages(scalarize(flat))
    lanes = stages.lanes
    stores = [
        Store(lane, k, None if len(output) == 1 and channels > 1 else c)
        for k, (output, channels) in enumerate(zip(stages.outputs, program.channels, strict=True))
        for c, lane in enumerate(output)
    ]
    buffers = plan_buffers(stages.pixels, lanes, stores, program.channels)
    produced = {r for op in stages.rows for r in (op.results if op.loop is None else op.loop.results)}
    needed = {s.lane for s in stores}.union(*(used_by(op) for op in stages.pixels))
    return Executable(
        lanes=lanes,
        numbers=stages.numbers,
        row_lanes=tuple(sorted(produced & needed)),
        scalars=compile_scalars(stages.once, lanes, stages.numbers, slot_count=program.slot_count),
        columns=tuple(_step(op, lanes, BufferPlan()) for op in stages.columns),
        rows=tuple(_step(op, lanes, BufferPlan()) for op in stages.rows),
        pixels=tuple(_step(op, lanes, buffers) for op in stages.pixels if not buffers.is_bound(op)),
        fills=stages.fills,
        stores=tuple(store for store in stores if buffers.direct.get(store.lane) != store),
        buffers=buffers,
    )


def _step(op: LaneOp, lanes: Sequence[Lane], buffers: BufferPlan) -> Step:
    if op.loop is not None:
        return make_loop_step(op, op.loop, lanes, buffers)
    return make_step(op, lanes, has_array=buffers.has_array(op))
