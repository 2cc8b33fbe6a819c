"""Lane programs: flat programs whose vectors have become arrays.

A lane is what one NumPy array holds: one component of a value for all pixels (a plane), or all components of a vector
next to each other (a wide lane, ``wide`` components a pixel, in the memory order of pictures).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from unshape_expr.ir import Attr
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_expr.types import Type


@dataclass(frozen=True, slots=True)
class Lane:
    """Kind, axes along which it varies, and components a pixel of one lane."""

    kind: Type
    varies: Varies
    wide: int = 1


@dataclass(frozen=True, slots=True)
class Widen:
    """An operation of lanes only: planes, or one number for all components, written side by side."""

    wide: int


@dataclass(frozen=True, slots=True)
class Component:
    """One component of something wide: of an input (``port``), or of the wide argument."""

    index: int
    port: str = ""


LaneAttr: TypeAlias = "Attr | Widen | Component"


@dataclass(frozen=True, slots=True)
class LaneOp:
    """One operation on lanes; the results of reading a picture or of a call may be several planes."""

    op: Op
    results: tuple[int, ...]
    args: tuple[int, ...] = ()
    attr: LaneAttr = None
    slot: int | None = None
    widths: tuple[int, ...] = ()
    loop: LaneLoop | None = None


@dataclass(frozen=True, slots=True)
class LaneLoop:
    """The inside of a loop; states, next states and results are in the same order."""

    max_count: int
    index: int
    states: tuple[int, ...]
    body: tuple[LaneOp, ...]
    next_states: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LaneProgram:
    """Operations in order, what is known of each lane, and for each output its planes or its one wide lane."""

    ops: tuple[LaneOp, ...]
    lanes: tuple[Lane, ...]
    outputs: tuple[tuple[int, ...], ...]

    @property
    def output_lanes(self) -> frozenset[int]:
        """All lanes that are stored."""
        return frozenset(lane for output in self.outputs for lane in output)


def used_by(op: LaneOp) -> Iterator[int]:
    """Yield the lanes that an operation needs from outside of itself or its body."""
    yield from op.args
    if op.loop is not None:
        yield from op.loop.next_states
        for inner in op.loop.body:
            yield from used_by(inner)


def defined_by(op: LaneOp) -> Iterator[int]:
    """Yield the lanes that an operation or its body defines, without what a loop returns."""
    yield from op.results
    if op.loop is not None:
        yield op.loop.index
        yield from op.loop.states
        for inner in op.loop.body:
            yield from defined_by(inner)


def without_unused(ops: Sequence[LaneOp], wanted: frozenset[int]) -> tuple[LaneOp, ...]:
    """Return the operations that the wanted lanes need."""
    needed = set(wanted)
    kept: list[LaneOp] = []
    for op in reversed(ops):
        results = op.results if op.loop is None else op.loop.results
        if needed.isdisjoint(results):
            continue
        kept_op = op
        if op.loop is not None:
            body = without_unused(op.loop.body, frozenset(op.loop.next_states))
            kept_op = replace(op, loop=replace(op.loop, body=body))
        needed.update(used_by(kept_op))
        kept.append(kept_op)
    return tuple(reversed(kept))
