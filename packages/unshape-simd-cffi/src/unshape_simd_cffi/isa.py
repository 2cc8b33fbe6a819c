"""Instruction sets: which the library was built for, which this machine has, which is used.

``UNSHAPE_SIMD_ISA`` forces one by name.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from unshape_core.errors import InvalidArgumentError
from unshape_simd_cffi import native

VARIABLE = "UNSHAPE_SIMD_ISA"


@dataclass(frozen=True, slots=True)
class Isa:
    """One instruction set.

    Parameters
    ----------
    name : str
        ``"sse2"``, ``"avx2"``, ``"avx512"``, ``"neon"`` or ``"generic"``.
    number : int
        Its place in the library's table.
    """

    name: str
    number: int


def built_isas() -> tuple[Isa, ...]:
    """Return the instruction sets that the library was built for, the most capable last."""
    library = native.load()
    return tuple(
        Isa(library.ffi.string(library.lib.us_isa_name(k)).decode(), k) for k in range(library.lib.us_isa_count())
    )


def usable_isas() -> tuple[Isa, ...]:
    """Return those that this machine has."""
    library = native.load()
    return tuple(isa for isa in built_isas() if library.lib.us_isa_works(isa.number))


def chosen_isa() -> Isa:
    """Return the one that ``UNSHAPE_SIMD_ISA`` names, else the most capable one of this machine.

    Raises
    ------
    InvalidArgumentError
        If the variable names one that is not usable here.
    """
    usable = usable_isas()
    name = os.environ.get(VARIABLE, "").strip().lower()
    if not name:
        return usable[-1]
    for isa in usable:
        if isa.name == name:
            return isa
    names = ", ".join(isa.name for isa in usable)
    msg = f"{VARIABLE}: expected one of {names} on this machine, got {name!r}"
    raise InvalidArgumentError(msg)
