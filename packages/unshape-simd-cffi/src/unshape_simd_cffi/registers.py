"""Where the registers of a program lie: memory is shared by values that are not needed at the same time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum


class Place(IntEnum):
    """Kinds of memory; the numbers are those of engine.inc."""

    BLOCK = 0
    """Planes of one block of pixels."""
    VECTOR = 1
    """One vector that stands for all pixels."""
    NUMBER = 2
    """A value that is equal for all pixels, given by the caller."""
    COLUMNS = 3
    """Planes of one row, kept for all rows."""
    ROWS = 4
    """Planes of one column, for the rows of one job."""
    TILE = 5
    """One tile, of what a run needs again itself."""


@dataclass(slots=True)
class Register:
    """One register.

    Attributes
    ----------
    place : Place
        Kind of its memory.
    number : int
        Where in that memory.
    wide : int
        Values for each pixel.
    output : int
        The output in which it is computed if that is possible, else -1.
    first, last : int
        Positions in the code from which and up to which it is needed.
    """

    place: Place
    number: int = 0
    wide: int = 1
    output: int = -1
    first: int = -1
    last: int = -1


def share_memory(registers: list[Register], place: Place, in_place: frozenset[int]) -> int:
    """Give the registers of one kind their memory and return how many planes that takes.

    Parameters
    ----------
    registers : list of Register
        All registers; ``number`` is set.
    place : Place
        The kind.
    in_place : frozenset of int
        Positions of instructions whose result may lie where an argument lies that is needed no more.
    """
    planes = 0
    free: dict[int, list[int]] = defaultdict(list)
    active: list[Register] = []
    for register in sorted((r for r in registers if r.place is place), key=lambda r: r.first):
        ended = [a for a in active if a.last < register.first or (a.last == register.first and a.last in in_place)]
        for other in ended:
            active.remove(other)
            free[other.wide].append(other.number)
        if free[register.wide]:
            register.number = free[register.wide].pop()
        else:
            register.number = planes
            planes += register.wide
        active.append(register)
    return planes
