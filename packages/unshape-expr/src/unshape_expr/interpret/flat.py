"""Flat programs: operations without calls and vectors of explicit width, the first step of interpreting a kernel.

A value has a kind (one of the scalar types), a width and the axes along which it varies. Its width is the number of
components; a value of width 1 beside wider ones stands for all components, so that spreading a number over a vector
costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from unshape_expr.ir import Attr
from unshape_expr.kernel import Varies
from unshape_expr.ops import Op
from unshape_expr.types import Type


@dataclass(frozen=True, slots=True)
class FlatValue:
    """What is known of a value: kind, width, and along which axes it varies."""

    kind: Type
    width: int
    varies: Varies


@dataclass(frozen=True, slots=True)
class FlatOp:
    """One operation: as an instruction, with a literal's number in ``slot`` and a fixed literal in ``attr``."""

    op: Op
    result: int
    args: tuple[int, ...] = ()
    attr: Attr = None
    slot: int | None = None
    loop: FlatLoop | None = None


@dataclass(frozen=True, slots=True)
class FlatLoop:
    """The inside of a loop; the fields are those of :class:`~unshape_expr.kernel.Loop`."""

    max_count: int
    index: int
    states: tuple[int, ...]
    body: tuple[FlatOp, ...]
    next_states: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FlatProgram:
    """Operations in order, what is known of each value, and the values to store."""

    ops: tuple[FlatOp, ...]
    values: tuple[FlatValue, ...]
    outputs: tuple[int, ...]


@dataclass(slots=True)
class FlatBuilder:
    """Writes flat operations: derives what is known of results, and computes equal operations once."""

    values: list[FlatValue] = field(default_factory=list)
    _blocks: list[list[FlatOp]] = field(default_factory=lambda: [[]])
    _known: list[dict[object, int]] = field(default_factory=lambda: [{}])

    def new_value(self, value: FlatValue) -> int:
        """Return the number of a value that no operation defines, such as the state of a loop."""
        self.values.append(value)
        return len(self.values) - 1

    def open_block(self) -> None:
        """Begin the body of a loop; what is computed in it is not used outside."""
        self._blocks.append([])
        self._known.append({})

    def close_block(self) -> tuple[FlatOp, ...]:
        """Return the operations of the innermost block and leave it."""
        self._known.pop()
        return tuple(self._blocks.pop())

    def append(self, op: FlatOp) -> None:
        """Add an operation as it is."""
        self._blocks[-1].append(op)

    def emit(
        self,
        op: Op,
        kind: Type,
        args: Sequence[int] = (),
        *,
        attr: Attr = None,
        slot: int | None = None,
        width: int | None = None,
        varies: Varies = Varies.NONE,
    ) -> int:
        """Return the number of an operation's result.

        Parameters
        ----------
        op, attr, slot
            As in an instruction.
        kind : Type
            Scalar type of the result.
        args : sequence of int
            Numbers of the arguments.
        width : int or None
            Components of the result; None for the widest of the arguments.
        varies : Varies
            Along which axes the operation itself varies; those of the arguments are added.
        """
        args = tuple(args)
        key = (op, kind, args, type(attr), _literal_key(attr), slot, width)
        for known in reversed(self._known):
            if key in known:
                return known[key]
        for argument in args:
            varies |= self.values[argument].varies
        if width is None:
            width = max([self.values[a].width for a in args], default=1)
        number = self.new_value(FlatValue(kind, width, varies))
        self._blocks[-1].append(FlatOp(op, number, args, attr, slot))
        self._known[-1][key] = number
        return number


def _literal_key(attr: Attr) -> object:
    return float(attr).hex() if isinstance(attr, float) else attr
