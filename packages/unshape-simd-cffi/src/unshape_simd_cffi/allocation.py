"""Registers for the lanes of a program while its code is written: which there are, and where each is needed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from unshape_expr.interpret.lanes import Lane
from unshape_expr.kernel import Varies
from unshape_simd_cffi.registers import Place, Register
from unshape_simd_cffi.runs import Lanes


@dataclass(slots=True)
class Allocation:
    """The registers so far, and the position in the code.

    Parameters
    ----------
    lanes : sequence of Lane
        What is known of each lane.
    same : Lanes
        Which lanes are the same.

    Attributes
    ----------
    registers : list of Register
        All registers.
    of_lane : dict of int to int
        The register of a lane.
    stage : Varies
        The stage that is written.
    position : int
        Of the instruction, or the step of a run, that is written.
    loops : list of (int, list of int)
        The loops around that position: where each begins, and the registers from outside that it needs.
    """

    lanes: Sequence[Lane]
    same: Lanes
    registers: list[Register] = field(default_factory=list)
    of_lane: dict[int, int] = field(default_factory=dict)
    stage: Varies = Varies.BOTH
    position: int = 0
    loops: list[tuple[int, list[int]]] = field(default_factory=list)

    def new(self, place: Place, wide: int = 1) -> int:
        """Return a new register that is needed here."""
        self.registers.append(Register(place, wide=wide, first=self.position, last=self.position))
        return len(self.registers) - 1

    def define(self, lane: int) -> int:
        """Return a new register for a lane, in the kind of memory that the stage and the lane want."""
        self.of_lane[lane] = self.new(self.place(lane), self.lanes[lane].wide)
        return self.of_lane[lane]

    def place(self, lane: int) -> Place:
        """Return the kind of memory that a lane is computed in."""
        varies = self.lanes[lane].varies
        if self.stage is Varies.Y:
            return Place.ROWS if Varies.Y in varies else Place.VECTOR
        return Place.BLOCK if Varies.X in varies else Place.VECTOR

    def use(self, lane: int) -> int:
        """Return the register of a lane, which is needed here."""
        number = self.of_lane[self.same.of(lane)]
        self.touch((number,))
        return number

    def touch(self, numbers: Iterable[int]) -> None:
        """Note that registers are needed here; those from outside of a loop are needed until the loop ends."""
        for number in numbers:
            register = self.registers[number]
            register.last = max(register.last, self.position)
            for start, touched in self.loops:
                if register.first < start:
                    touched.append(number)
                    break

    def size(self, number: int) -> int:
        """Return how many values a pixel an instruction computes for a register; 0 for one vector in all."""
        register = self.registers[number]
        return 0 if register.place in {Place.VECTOR, Place.NUMBER} else register.wide
