"""The interpreter: runs kernels with NumPy, tile by tile. It is the reference for every other backend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_core.cancellation import CancellationToken
from unshape_core.errors import InvalidArgumentError
from unshape_core.window import Window
from unshape_expr.interpret.array_ops import DTYPES
from unshape_expr.interpret.buffers import Store
from unshape_expr.interpret.leaves import Given, Outside, count_values, reader
from unshape_expr.interpret.program import Executable, Program, ProgramCache, executable
from unshape_expr.interpret.scalar_code import Number
from unshape_expr.interpret.steps import Registers, Tile
from unshape_expr.kernel import Kernel
from unshape_expr.picture_input import PictureInput
from unshape_expr.types import Type

Array = npt.NDArray[Any]

# Measured: below some 2**15 elements the cost of a call shows, and beyond a few MiB temporaries leave the cache.
_TILE_ELEMENTS = 65536
_TILE_BYTES = 4 * 2**20
_MIN_TILE_PX = 1024


class Interpreter:
    """Runs kernels; keeps what it prepared for them. Safe to use from several threads at once.

    Parameters
    ----------
    tile_px : int or None
        Pixels of a tile; None chooses so that temporaries stay in the cache. Results do not depend on it.
    """

    def __init__(self, *, tile_px: int | None = None) -> None:
        self._tile_px = tile_px
        self._cache = ProgramCache()

    def run(
        self,
        kernel: Kernel,
        slot_values: Sequence[Number],
        inputs: Mapping[str, Given],
        *,
        window: Window,
        width_px: int,
        height_px: int,
        uniforms: Mapping[str, Given] | None = None,
        cancellation: CancellationToken | None = None,
        out: Sequence[Array] | None = None,
    ) -> tuple[Array, ...]:
        """Return the outputs of a kernel as pictures.

        Parameters
        ----------
        kernel, slot_values
            From ``lower``.
        inputs : mapping of str to PictureInput, number or vector
            What the kernel reads. A picture that is read at the very pixel has to cover the window.
        window : Window
            The rectangle to compute.
        width_px, height_px : int
            Size of the whole picture.
        uniforms : mapping of str to number or vector
            Values of ``kernel.uniforms``.
        cancellation : CancellationToken or None
            Asked before every tile.
        out : sequence of float32[height_px, width_px, channel] or None
            Where to write, C-contiguous, of the window's size and sharing no memory with inputs; None for new arrays.

        Returns
        -------
        tuple of float32[height_px, width_px, channel]
            One for each output, of the window's size, as many channels as the expression has components.

        Raises
        ------
        InvalidArgumentError
            If an input or uniform is missing or does not fit.
        Cancelled
            If the caller asked to stop.
        """
        pictures = _pictures(kernel, inputs, window, width_px=width_px, height_px=height_px)
        outputs = _outputs(kernel, window, out)
        if window.is_empty:
            return outputs
        program = self._cache.program(kernel)
        outside = Outside(kernel, inputs, uniforms or {}, width_px, height_px)
        with np.errstate(all="ignore"):
            counts = count_values(program, slot_values, outside, pictures)
            chosen = executable(program, counts)
            code = chosen.scalars
            values = code.run(slot_values, outside.values(code), reader(code, pictures))
            tile_px = self._tile_px or _tile_px(chosen, program)
            run = _Run(chosen, values, pictures, window=window, outputs=outputs)
            run.tiles(tile_px, cancellation)
        return outputs


def _tile_px(chosen: Executable, program: Program) -> int:
    widest = max([b.wide for b in chosen.buffers.buffers], default=1)
    bytes_per_pixel = chosen.buffers.bytes_per_pixel + 4 * sum(program.channels)
    return max(min(_TILE_ELEMENTS // widest, _TILE_BYTES // max(bytes_per_pixel, 1)), _MIN_TILE_PX)


def _pictures(
    kernel: Kernel, inputs: Mapping[str, Given], window: Window, *, width_px: int, height_px: int
) -> dict[str, PictureInput]:
    found: dict[str, PictureInput] = {}
    for use in kernel.inputs:
        value = inputs.get(use.port)
        if value is None:
            msg = f"input {use.port!r} is missing; the kernel reads {', '.join(repr(u.port) for u in kernel.inputs)}"
            raise InvalidArgumentError(msg)
        if use.is_scalar:
            continue
        if not isinstance(value, PictureInput):
            msg = f"input {use.port!r}: expected a picture, got {value!r}; wrap an array in PictureInput.whole(...)"
            raise InvalidArgumentError(msg)
        if (use.is_pixel or use.is_sampled) and value.channels != use.type.components:
            msg = f"input {use.port!r}: expected {use.type.components} channels, got {value.channels}"
            raise InvalidArgumentError(msg)
        if use.is_pixel and (value.width_px, value.height_px) != (width_px, height_px):
            msg = (
                f"input {use.port!r}: expected a picture of {width_px} x {height_px} pixels, "
                f"got {value.width_px} x {value.height_px}; resize it first"
            )
            raise InvalidArgumentError(msg)
        if use.is_pixel and not value.window.contains(window):
            msg = f"input {use.port!r}: expected pixels of all of {window}, got {value.window}"
            raise InvalidArgumentError(msg)
        found[use.port] = value
    return found


def _outputs(kernel: Kernel, window: Window, out: Sequence[Array] | None) -> tuple[Array, ...]:
    shapes: list[tuple[int, ...]] = []
    for k, type_ in enumerate(kernel.output_types):
        if not type_.is_float:
            msg = f"output {k}: expected f32 or a vector for a picture, got {type_.value}; convert it with to_f32(...)"
            raise InvalidArgumentError(msg)
        shapes.append((window.height_px, window.width_px, type_.components))
    if out is None:
        return tuple(np.empty(shape, np.float32) for shape in shapes)
    if [a.shape for a in out] != shapes or any(
        a.dtype != np.float32 or not a.flags.c_contiguous or not a.flags.writeable for a in out
    ):
        got = [f"{a.dtype}{list(a.shape)}" for a in out]
        msg = f"out: expected writable C-contiguous float32 arrays of shapes {shapes}, got {', '.join(got)}"
        raise InvalidArgumentError(msg)
    return tuple(out)


class _Run:
    """One run: registers, buffers and the loop over tiles."""

    def __init__(
        self,
        chosen: Executable,
        values: Sequence[Number],
        pictures: dict[str, PictureInput],
        *,
        window: Window,
        outputs: Sequence[Array],
    ) -> None:
        self._chosen = chosen
        self._pictures = pictures
        self._window = window
        self._outputs = outputs
        self._flat_outputs = [o.reshape(o.shape[0], -1) for o in outputs]
        self._registers: Registers = [None] * len(chosen.lanes)
        for lane, value in zip(chosen.numbers, values, strict=True):
            self._registers[lane] = DTYPES[chosen.lanes[lane].kind].type(value)

    def tiles(self, tile_px: int, cancellation: CancellationToken | None) -> None:
        chosen, window, registers = self._chosen, self._window, self._registers
        blocks = -(-window.width_px // tile_px)
        columns = -(-window.width_px // blocks)
        rows = min(max(tile_px // columns, 1), window.height_px)
        self._buffers: list[Array] = [
            np.empty(rows * columns * b.wide, np.uint32 if b.itemsize == 4 else np.bool_)
            for b in chosen.buffers.buffers
        ]
        self._fills = [
            np.full(rows * columns * chosen.lanes[lane].wide, registers[number]) for lane, number in chosen.fills
        ]
        whole = Tile(window.x_px, window.y_px, window.right_px, window.bottom_px, self._pictures)
        for step in chosen.rows:
            step(registers, whole)
        height = window.height_px
        tall = [(lane, np.broadcast_to(registers[lane], (height, 1))) for lane in chosen.row_lanes]
        for x in range(window.x_px, window.right_px, columns):
            right = min(x + columns, window.right_px)
            block = Tile(x, window.y_px, right, window.bottom_px, self._pictures)
            for step in chosen.columns:
                step(registers, block)
            bound_rows = 0
            for y in range(window.y_px, window.bottom_px, rows):
                if cancellation is not None:
                    cancellation.raise_if_cancelled()
                tile = Tile(x, y, right, min(y + rows, window.bottom_px), self._pictures)
                if tile.bottom_px - y != bound_rows:
                    bound_rows = tile.bottom_px - y
                    self._bind(bound_rows, right - x)
                top = y - window.y_px
                for lane, array in tall:
                    registers[lane] = array[top : top + bound_rows]
                self._tile(tile)

    def _bind(self, rows: int, columns: int) -> None:
        """Give the registers that own a buffer their part of it."""
        lanes, plan = self._chosen.lanes, self._chosen.buffers
        views: dict[tuple[int, Type], Array] = {}
        # One array object for each buffer and kind of number, so that steps see by identity what is in place.
        for lane, buffer in (plan.buffer_of | plan.reinterpreted).items():
            kind = lanes[lane].kind
            if (buffer, kind) not in views:
                width = columns * plan.buffers[buffer].wide
                part = self._buffers[buffer][: rows * width].reshape(rows, width)
                views[buffer, kind] = part.view(DTYPES[kind])
            self._registers[lane] = views[buffer, kind]
        for (lane, _), array in zip(self._chosen.fills, self._fills, strict=True):
            width = columns * lanes[lane].wide
            self._registers[lane] = array[: rows * width].reshape(rows, width)

    def _tile(self, tile: Tile) -> None:
        registers = self._registers
        for lane, store in self._chosen.buffers.direct.items():
            registers[lane] = self._output(store, tile)
        for step in self._chosen.pixels:
            step(registers, tile)
        for store in self._chosen.stores:
            found = registers[store.lane]
            out = self._output(store, tile)
            if store.channel is None and self._chosen.lanes[store.lane].wide == 1:
                channels = self._outputs[store.output].shape[2]
                for k in range(channels):
                    np.copyto(out[:, k::channels], found)
            else:
                np.copyto(out, found)

    def _output(self, store: Store, tile: Tile) -> Array:
        """Return the part of an output that a store writes to."""
        window = self._window
        ys = slice(tile.y_px - window.y_px, tile.bottom_px - window.y_px)
        left, right = tile.x_px - window.x_px, tile.right_px - window.x_px
        whole = self._outputs[store.output]
        channels = whole.shape[2]
        if store.channel is None or channels == 1:
            return self._flat_outputs[store.output][ys, left * channels : right * channels]
        return whole[ys, left:right, store.channel]
