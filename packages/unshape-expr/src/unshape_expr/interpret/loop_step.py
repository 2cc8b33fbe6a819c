"""Loops that are not unrolled, as steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unshape_expr.interpret.buffers import BufferPlan
from unshape_expr.interpret.lanes import Lane, LaneLoop, LaneOp
from unshape_expr.interpret.steps import Registers, Step, Tile, make_step


def make_loop_step(op: LaneOp, loop: LaneLoop, lanes: Sequence[Lane], buffers: BufferPlan) -> Step:
    """Return the step of a loop.

    Carried values that vary along both axes live in buffers of their own; the others are replaced.
    """
    count, *starts = op.args
    body = tuple(_step(inner, lanes, buffers) for inner in loop.body if not buffers.is_bound(inner))
    states, next_states, index = loop.states, loop.next_states, loop.index
    has_buffer = tuple(s in buffers.buffer_of for s in states)

    def run(registers: Registers, tile: Tile) -> None:
        _carry(registers, states, starts, has_buffer)
        for iteration in range(min(int(registers[count]), loop.max_count)):
            registers[index] = np.int32(iteration)
            for step in body:
                step(registers, tile)
            _carry(registers, states, next_states, has_buffer)
        for state, result in zip(states, loop.results, strict=True):
            registers[result] = registers[state]

    return run


def _step(op: LaneOp, lanes: Sequence[Lane], buffers: BufferPlan) -> Step:
    if op.loop is not None:
        return make_loop_step(op, op.loop, lanes, buffers)
    return make_step(op, lanes, has_array=buffers.has_array(op))


def _carry(registers: Registers, states: Sequence[int], sources: Sequence[int], has_buffer: Sequence[bool]) -> None:
    """Give carried values their new contents, all at once."""
    arrays: list[Any] = [registers[s] for s in sources]
    targets = [registers[s] if own else None for s, own in zip(states, has_buffer, strict=True)]
    for k, source in enumerate(arrays):
        # A source that lies in the buffer of another carried value would be overwritten before it is read.
        if any(t is not None and j != k and np.may_share_memory(t, source) for j, t in enumerate(targets)):
            arrays[k] = np.array(source)
    for state, target, source in zip(states, targets, arrays, strict=True):
        if target is None:
            registers[state] = source
        else:
            np.copyto(target, source)
