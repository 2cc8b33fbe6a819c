"""What a program consists of, by the names of its instructions: for whoever asks which way an expression runs."""

from __future__ import annotations

from typing import Any

from unshape_simd_cffi import native
from unshape_simd_cffi.noise_positions import NOISES_AT

ON_GRID = "grid "
"""Stands before the name of a function that a kernel for grids computes."""
FUNCTION = "function "
"""Stands before the name of a function that is an instruction, by itself or with what comes before and after it."""

_FIRST_STEP, _STEP_WORDS = 4, 3
_FUNCTION_ON_GRID, _NOISE_AT = 13, 3
"""The words of ``lattice_row`` and ``noise_at`` with what they compute; see :mod:`unshape_simd_cffi.code_writer`."""


def listing(program: Any) -> tuple[str, ...]:
    """Return the instructions of all stages of a ``struct us_program``, runs step by step, without ``end``."""
    lib, ffi = native.load().lib, native.load().ffi
    step_names = {number: name for name, number in native.instructions().steps.items()}

    def name_of(number: int) -> str:
        found: str = ffi.string(lib.us_op_name(number)).decode()
        return found

    functions = frozenset(native.instructions().functions.values())
    names: list[str] = []
    for words in (program.columns, program.rows, program.pixels):
        at = 0
        while (name := name_of(words[at])) != "end":
            if name == "run":
                first = at + _FIRST_STEP
                last = first + _STEP_WORDS * words[at + _FIRST_STEP - 1]
                names += [step_names[words[step]] for step in range(first, last, _STEP_WORDS)]
            elif name == "lattice_row":
                names.append(ON_GRID + name_of(words[at + _FUNCTION_ON_GRID]))
            elif name == "noise_at":
                names.append(FUNCTION + NOISES_AT[words[at + _NOISE_AT]])
            else:
                names.append(FUNCTION + name if words[at] in functions else name)
            at += words[at + 1]
    return tuple(names)
