"""Steps: the operations of a lane program as functions that run on registers.

A register file is a list with one entry for each lane: a NumPy scalar, an array of one row (varies along x), of one
column (varies along y), or of the tile. Steps either write into the array that is already there, or put a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_expr.functions import Function
from unshape_expr.interpret.array_ops import DTYPES, bounded, operation
from unshape_expr.interpret.lanes import Component, Lane, LaneOp, Widen
from unshape_expr.ir import Fetching, Sampling
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_expr.picture_input import PictureInput
from unshape_expr.sampling import fetch, sample
from unshape_expr.types import Type

Array = npt.NDArray[Any]


@dataclass(slots=True)
class Tile:
    """Where the tile is, in pixels of the whole picture, and what can be read."""

    x_px: int
    y_px: int
    right_px: int
    bottom_px: int
    pictures: dict[str, PictureInput] = field(default_factory=dict)


Registers: TypeAlias = "list[Any]"
Step: TypeAlias = Callable[[Registers, Tile], object]

ALIASES = frozenset({Op.BITCAST_F32, Op.BITCAST_U32, Op.COMPONENT})
"""Operations whose result is another view of their argument."""


def is_alias(op: LaneOp, lanes: Sequence[Lane]) -> bool:
    """Return whether the result is another view of the argument."""
    if op.op in {Op.TO_I32, Op.TO_U32}:
        return lanes[op.args[0]].kind in {Type.I32, Type.U32}
    return op.op in ALIASES


def make_step(op: LaneOp, lanes: Sequence[Lane], *, has_array: bool) -> Step:
    """Return the step of an operation without a body.

    Parameters
    ----------
    op : LaneOp
        The operation.
    lanes : sequence of Lane
        All lanes.
    has_array : bool
        Whether the register of the result holds the array to write to; else a new one is put there.
    """
    match op.op:
        case Op.PIXEL_X | Op.PIXEL_Y:
            return _pixel(op)
        case Op.CONST:
            return _constant(op, lanes)
        case Op.INPUT:
            return _input(op, has_array=has_array)
        case Op.SAMPLE | Op.FETCH:
            return _read(op, lanes, has_array=has_array)
        case Op.CALL:
            return _call(op)
        case Op.VEC:
            return _widen(op, lanes, has_array=has_array)
        case Op.COMPONENT:
            return _component(op, lanes)
        case _ if is_alias(op, lanes):
            return _view(op, lanes)
        case _:
            return _elementwise(op, lanes) if has_array else _elementwise_new(op, lanes)


def _pixel(op: LaneOp) -> Step:
    (r,) = op.results
    if op.op is Op.PIXEL_X:

        def columns(registers: Registers, tile: Tile) -> None:
            registers[r] = np.arange(tile.x_px, tile.right_px, dtype=np.int32)[None, :]

        return columns

    def rows(registers: Registers, tile: Tile) -> None:
        registers[r] = np.arange(tile.y_px, tile.bottom_px, dtype=np.int32)[:, None]

    return rows


def _constant(op: LaneOp, lanes: Sequence[Lane]) -> Step:
    (r,) = op.results
    value = DTYPES[lanes[r].kind].type(op.attr)

    def constant(registers: Registers, _tile: Tile) -> None:
        registers[r] = value

    return constant


def _input(op: LaneOp, *, has_array: bool) -> Step:
    (r,) = op.results
    if isinstance(op.attr, Component):
        port, k = op.attr.port, op.attr.index

        def plane(registers: Registers, tile: Tile) -> None:
            picture = tile.pictures[port]
            x, y = picture.window.x_px, picture.window.y_px
            found = picture.array[tile.y_px - y : tile.bottom_px - y, tile.x_px - x : tile.right_px - x, k]
            if has_array:
                np.copyto(registers[r], found)
            else:
                registers[r] = found

        return plane
    port = str(op.attr)

    def wide(registers: Registers, tile: Tile) -> None:
        picture = tile.pictures[port]
        x, y = picture.window.x_px, picture.window.y_px
        ys = slice(tile.y_px - y, tile.bottom_px - y)
        rows, c = picture.rows, picture.channels
        if rows is not None:
            registers[r] = rows[ys, (tile.x_px - x) * c : (tile.right_px - x) * c]
        else:
            found = picture.array[ys, tile.x_px - x : tile.right_px - x]
            registers[r] = np.ascontiguousarray(found).reshape(found.shape[0], -1)

    return wide


def _read(op: LaneOp, lanes: Sequence[Lane], *, has_array: bool) -> Step:
    a, b = op.args
    results = op.results
    is_wide = lanes[results[0]].wide > 1
    attr = op.attr
    assert isinstance(attr, Sampling | Fetching)

    def read(registers: Registers, tile: Tile) -> None:
        x, y = np.atleast_2d(registers[a]), np.atleast_2d(registers[b])
        picture = tile.pictures[attr.port]
        texels = sample(picture, attr, x, y) if isinstance(attr, Sampling) else fetch(picture, attr, x, y)
        if is_wide:
            registers[results[0]] = texels.reshape(texels.shape[0], -1)
            return
        for k, r in enumerate(results):
            if has_array:
                np.copyto(registers[r], texels[..., k])
            else:
                registers[r] = texels[..., k]

    return read


def _call(op: LaneOp) -> Step:
    function = op.attr
    assert isinstance(function, Function)
    implementation = function.numpy
    assert implementation is not None
    args, results = op.args, op.results
    spans: list[tuple[int, int]] = []
    start = 0
    for width in op.widths or (1,) * len(args):
        spans.append((start, start + width))
        start += width

    def call(registers: Registers, _tile: Tile) -> None:
        values = [registers[a] for a in args]
        given = [values[i] if j - i == 1 else tuple(values[i:j]) for i, j in spans]
        found = implementation(*given)
        if len(results) == 1:
            registers[results[0]] = found
        else:
            for r, value in zip(results, found, strict=True):
                registers[r] = value

    return call


def _widen(op: LaneOp, lanes: Sequence[Lane], *, has_array: bool) -> Step:
    (r,) = op.results
    assert isinstance(op.attr, Widen)
    c, args, dtype = op.attr.wide, op.args, DTYPES[lanes[r].kind]
    planes = tuple(args[k if len(args) > 1 else 0] for k in range(c))

    def widen(registers: Registers, tile: Tile) -> None:
        if not has_array:
            shape = np.broadcast_shapes((1, tile.right_px - tile.x_px), *[np.shape(registers[a]) for a in args])
            registers[r] = np.empty((shape[0], shape[1] * c), dtype)
        out = registers[r]
        for k, plane in enumerate(planes):
            out[:, k::c] = registers[plane]

    return widen


def _component(op: LaneOp, lanes: Sequence[Lane]) -> Step:
    (r,), (a,) = op.results, op.args
    assert isinstance(op.attr, Component)
    k, c = op.attr.index, lanes[a].wide

    def component(registers: Registers, _tile: Tile) -> None:
        registers[r] = registers[a][:, k::c]

    return component


def _view(op: LaneOp, lanes: Sequence[Lane]) -> Step:
    (r,), (a,) = op.results, op.args
    dtype = DTYPES[lanes[r].kind]

    def view(registers: Registers, _tile: Tile) -> None:
        registers[r] = registers[a].view(dtype)

    return view


def _elementwise(op: LaneOp, lanes: Sequence[Lane]) -> Step:
    (r,) = op.results
    args = op.args
    kind = lanes[r].kind
    run = operation(op.op, kind, lanes[args[0]].kind)
    if op.op in {Op.MIN, Op.MAX} and kind is Type.F32 and len(args) == 3:
        return _bounded(op)
    if len(args) == 1:
        (a,) = args
        return lambda registers, _tile: run(registers[a], registers[r])
    if len(args) == 2:
        a, b = args
        return lambda registers, _tile: run(registers[a], registers[b], registers[r])
    a, b, c = args
    return lambda registers, _tile: run(registers[a], registers[b], registers[c], registers[r])


def _bounded(op: LaneOp) -> Step:
    """Return MIN or MAX with a bound that is one number: ``args`` are the pixels, an array of it, and it."""
    (r,) = op.results
    a, bounds, number = op.args
    which = op.op
    general = operation(which, Type.F32, Type.F32)

    def step(registers: Registers, _tile: Tile) -> None:
        run = bounded(which, registers[number]) or general
        run(registers[a], registers[bounds], registers[r])

    return step


def _elementwise_new(op: LaneOp, lanes: Sequence[Lane]) -> Step:
    (r,) = op.results
    args = op.args
    dtype = DTYPES[lanes[r].kind]
    run = operation(op.op, lanes[r].kind, lanes[args[0]].kind)

    def step(registers: Registers, _tile: Tile) -> None:
        values = [np.asarray(registers[a]) for a in args]
        out = np.empty(np.broadcast_shapes(*[v.shape for v in values]), dtype)
        run(*values, out)
        registers[r] = out

    return step


def is_uniform(lane: Lane) -> bool:
    """Return whether a lane is one number."""
    return lane.varies is Varies.NONE
