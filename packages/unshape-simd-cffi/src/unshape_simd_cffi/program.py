"""Programs: what a kernel becomes for the engine, and how it is run."""

from __future__ import annotations

import struct
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_core.cancellation import CancellationToken
from unshape_core.errors import InvalidArgumentError
from unshape_core.window import Window
from unshape_expr.functions import Function
from unshape_expr.interpret.flat import FlatProgram
from unshape_expr.interpret.flatten import flatten
from unshape_expr.interpret.leaves import Given, Outside, reader
from unshape_expr.interpret.scalar_code import Number, ScalarCode, compile_scalars
from unshape_expr.interpret.scalarize import scalarize
from unshape_expr.interpret.unroll import count_numbers, unroll
from unshape_expr.kernel import Kernel
from unshape_expr.picture_input import PictureInput
from unshape_expr.types import Type
from unshape_simd_cffi import native
from unshape_simd_cffi.code import Code
from unshape_simd_cffi.code_writer import write_code
from unshape_simd_cffi.isa import Isa
from unshape_simd_cffi.pixels import with_adjacent_channels
from unshape_simd_cffi.stages import for_each_pixel, split_stages

F32Array = npt.NDArray[np.float32]

_FORMATS = {Type.F32: "f", Type.I32: "i", Type.U32: "I", Type.BOOL: "i"}
_MAX_EXECUTABLES = 16
_NARROW_PX = 24
"""Below this width pixels are computed one by one, with nothing that is kept for rows and columns."""


@dataclass(frozen=True, slots=True)
class Executable:
    """A kernel for given loop counts.

    Parameters
    ----------
    scalars : ScalarCode
        What is equal for all pixels.
    pack : struct.Struct
        Puts those numbers into the words that the engine takes.
    conditions : tuple of int
        Which of them are conditions, true being -1 to the engine.
    program : cdata
        The ``struct us_program``.
    owned : tuple of cdata
        What its pointers point to.
    """

    scalars: ScalarCode
    pack: struct.Struct
    conditions: tuple[int, ...]
    program: Any
    owned: tuple[Any, ...]


@dataclass(slots=True)
class Program:
    """A kernel made ready for the engine; ``run`` may be called from several threads at once.

    Parameters
    ----------
    kernel : Kernel
        The expression.
    """

    kernel: Kernel
    _flat: FlatProgram = field(init=False, repr=False)
    _counts: ScalarCode | None = field(init=False, repr=False, default=None)
    _count_numbers: tuple[int, ...] = field(init=False, repr=False)
    _ports: dict[str, int] = field(init=False, repr=False)
    _executables: dict[tuple[tuple[int, ...], bool], Executable] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        kernel = self.kernel
        known = native.instructions().functions

        def keep(function: Function) -> bool:
            return function.kernel.key in known

        self._flat = flatten(kernel, keep=keep)
        self._count_numbers = count_numbers(self._flat)
        if self._count_numbers:
            lanes = scalarize(FlatProgram(self._flat.ops, self._flat.values, self._count_numbers))
            wanted = [planes[0] for planes in lanes.outputs]
            self._counts = compile_scalars(lanes.ops, lanes.lanes, wanted, slot_count=len(kernel.slots))
        pictures = [use for use in kernel.inputs if not use.is_scalar and (use.is_pixel or use.is_sampled)]
        self._ports = {use.port: use.type.components for use in pictures}

    @property
    def executables(self) -> tuple[Executable, ...]:
        """What it was made into so far: for each combination of loop counts that it was run with."""
        return tuple(self._executables.values())

    def run(
        self,
        slot_values: Sequence[Number],
        inputs: Mapping[str, Given],
        outputs: Sequence[F32Array],
        *,
        window: Window,
        width_px: int,
        height_px: int,
        uniforms: Mapping[str, Given],
        isa: Isa,
        is_fast: bool = False,
        threads: int = 0,
        cancellation: CancellationToken | None = None,
    ) -> None:
        """Compute the outputs of the kernel.

        Parameters
        ----------
        slot_values, inputs, uniforms, width_px, height_px
            As for the interpreter.
        outputs : sequence of float32[window.height_px, window.width_px, channel]
            Where to write; C-contiguous, sharing no memory with inputs.
        window : Window
            What to compute.
        isa : Isa
            With which instructions.
        is_fast : bool
            Whether products and sums may be contracted.
        threads : int
            How many may take part; 0 for the setting of the process.
        cancellation : CancellationToken or None
            Asked before every row.

        Raises
        ------
        InvalidArgumentError
            If an output is not such an array.
        MemoryError
            If there is no memory for temporaries.
        Cancelled
            If the caller asked to stop.
        """
        self._check_outputs(outputs, window)
        pictures = {use.port: p for use in self.kernel.inputs if isinstance(p := inputs.get(use.port), PictureInput)}
        outside = Outside(self.kernel, inputs, uniforms, width_px, height_px)
        with np.errstate(all="ignore"):
            counts: tuple[int, ...] = ()
            if self._counts is not None:
                code = self._counts
                counts = tuple(map(int, code.run(slot_values, outside.values(code), reader(code, pictures))))
            is_narrow = window.width_px < _NARROW_PX and window.height_px > 1
            chosen = self._executables.get((counts, is_narrow)) or self._make(counts, is_narrow=is_narrow)
            code = chosen.scalars
            values: list[Any] = list(code.run(slot_values, outside.values(code), reader(code, pictures)))
        for k in chosen.conditions:
            values[k] = -1 if values[k] else 0
        held = [pictures[port] for port in self._ports]
        _call(
            chosen,
            chosen.pack.pack(*values),
            held,
            outputs,
            window,
            isa=isa,
            is_fast=is_fast,
            threads=threads,
            cancellation=cancellation,
        )

    def _check_outputs(self, outputs: Sequence[F32Array], window: Window) -> None:
        for output, type_ in zip(outputs, self.kernel.output_types, strict=True):
            shape = (window.height_px, window.width_px, type_.components)
            if output.shape == shape and output.dtype == np.float32 and output.flags.carray:
                continue
            msg = f"output: expected a writable float32{list(shape)} in C order, got {output.dtype}{list(output.shape)}"
            raise InvalidArgumentError(msg)

    def _make(self, counts: tuple[int, ...], *, is_narrow: bool) -> Executable:
        flat = unroll(self._flat, dict(zip(self._count_numbers, counts, strict=True)))
        lanes = scalarize(for_each_pixel(flat) if is_narrow else flat)
        stages = split_stages(lanes)
        code = write_code(
            lanes,
            stages,
            instructions=native.instructions(),
            channels=[t.components for t in self.kernel.output_types],
            input_channels=self._ports,
        )
        kinds = [lanes.lanes[n].kind for n in stages.numbers]
        program, owned = _program(code, len(kinds), len(self.kernel.outputs))
        made = Executable(
            scalars=compile_scalars(stages.once, lanes.lanes, stages.numbers, slot_count=len(self.kernel.slots)),
            pack=struct.Struct("=" + "".join(_FORMATS[k] for k in kinds)),
            conditions=tuple(k for k, kind in enumerate(kinds) if kind is Type.BOOL),
            program=program,
            owned=owned,
        )
        if len(self._executables) >= _MAX_EXECUTABLES:
            self._executables.clear()
        self._executables[counts, is_narrow] = made
        return made


def _program(code: Code, number_count: int, output_count: int) -> tuple[Any, tuple[Any, ...]]:
    ffi = native.load().ffi
    registers = [word for r in code.registers for word in (int(r.place), r.number, r.wide, r.output)]
    rows = [word for pair in code.row_values for word in pair]
    parts = (code.columns, code.rows, code.pixels, registers, rows, code.moving)
    owned = tuple(ffi.new("int32_t[]", [*words, 0]) for words in parts)
    program = ffi.new("struct us_program *")
    program.columns, program.rows, program.pixels, program.registers, program.row_values, program.moving = owned
    program.register_count, program.row_value_count = len(code.registers), len(code.row_values)
    program.moving_count = len(code.moving)
    program.block = code.block
    program.units, program.splats = code.units, code.splats
    program.row_units, program.column_units, program.tiles = code.row_units, code.column_units, code.tiles
    program.picture_count, program.output_count = len(code.pictures), output_count
    program.number_count = number_count
    program.is_anywhere = code.is_anywhere
    return program, owned


def _call(
    chosen: Executable,
    numbers: bytes,
    pictures: Sequence[PictureInput],
    outputs: Sequence[F32Array],
    window: Window,
    *,
    isa: Isa,
    is_fast: bool,
    threads: int,
    cancellation: CancellationToken | None,
) -> None:
    library = native.load()
    ffi = library.ffi
    words = ffi.from_buffer("uint32_t[]", numbers) if numbers else ffi.NULL
    held = ffi.new("struct us_picture[]", max(len(pictures), 1))
    arrays = []
    for target, picture in zip(held, pictures, strict=False):
        array = with_adjacent_channels(picture.array)
        arrays.append(array)
        target.data = native.floats_at(array)
        target.row_stride, target.pixel_stride = array.strides[0] // 4, array.strides[1] // 4
        target.channels = array.shape[2]
        target.x, target.y = picture.window.x_px, picture.window.y_px
        target.width, target.height = picture.window.width_px, picture.window.height_px
        target.whole_width, target.whole_height = picture.width_px, picture.height_px
    stored = ffi.new("struct us_output[]", max(len(outputs), 1))
    for target, output in zip(stored, outputs, strict=False):
        target.data = native.floats_at(output)
        target.row_stride, target.channels = output.shape[1] * output.shape[2], output.shape[2]
    call = ffi.new("struct us_call *")
    call.numbers, call.pictures, call.outputs = words, held, stored
    call.x, call.y, call.width, call.height = window.x_px, window.y_px, window.width_px, window.height_px
    call.isa, call.is_fast, call.threads = isa.number, is_fast, threads
    if cancellation is not None:
        cancellation.raise_if_cancelled()
        flag = ffi.from_buffer("int32_t[]", cancellation.flag)
        call.cancel = flag
    status = library.lib.us_run(chosen.program, call)
    if status == 1 and cancellation is not None:
        cancellation.raise_if_cancelled()
    if status:
        msg = "no memory for the temporaries of an expression"
        raise MemoryError(msg)


class ProgramCache:
    """Programs by the key of their kernel, the oldest dropped first; safe for threads."""

    def __init__(self, *, max_programs: int = 256) -> None:
        self._max_programs = max_programs
        self._programs: dict[bytes, Program] = {}
        self._lock = threading.Lock()

    def program(self, kernel: Kernel) -> Program:
        """Return the program of a kernel, made if it is not known.

        Raises
        ------
        InvalidArgumentError
            If an output is no picture.
        """
        found = self._programs.get(kernel.key)
        if found is not None:
            return found
        for k, type_ in enumerate(kernel.output_types):
            if not type_.is_float:
                msg = f"output {k}: expected f32 or a vector for a picture, got {type_.value}; convert with to_f32(...)"
                raise InvalidArgumentError(msg)
        made = Program(kernel)
        with self._lock:
            while len(self._programs) >= self._max_programs:
                del self._programs[next(iter(self._programs))]
            return self._programs.setdefault(kernel.key, made)
