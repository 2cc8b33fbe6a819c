"""The code of a program, as the engine is given it."""

from __future__ import annotations

from dataclasses import dataclass, field

from unshape_simd_cffi.registers import Register


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
    is_anywhere : bool
        Whether rows may be joined: nothing is computed by rows or by columns.
    block : int
        Pixels of a block.
    units, splats, row_units, column_units, tiles : int
        Sizes of the kinds of memory.
    """

    columns: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    pixels: list[int] = field(default_factory=list)
    registers: list[Register] = field(default_factory=list)
    row_values: list[tuple[int, int]] = field(default_factory=list)
    moving: list[int] = field(default_factory=list)
    pictures: tuple[str, ...] = ()
    is_anywhere: bool = False
    block: int = 64
    units: int = 0
    splats: int = 0
    row_units: int = 0
    column_units: int = 0
    tiles: int = 0
