"""The seam to the C library: the only module that touches cffi.

Importing this module fails with an ImportError where the library was not built; ``load`` says so in words.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from unshape_simd_cffi.instructions import Instructions


class Native(Protocol):
    """What the C library offers; see ``csrc/native.cdef``."""

    ffi: Any
    lib: Any


@cache
def load() -> Native:
    """Return the C library.

    Raises
    ------
    ImportError
        If it was not built.
    """
    found: Native = import_module("unshape_simd_cffi._native")
    return found


@cache
def instructions() -> Instructions:
    """Return what the engine knows."""
    native = load()
    ffi, lib = native.ffi, native.lib

    def text(name: Any) -> str:
        found: str = ffi.string(name).decode()
        return found

    digests = {op: lib.us_function_digest(op) for op in range(lib.us_op_count())}
    return Instructions(
        opcodes={text(lib.us_op_name(op)): op for op, digest in digests.items() if digest == ffi.NULL},
        functions={bytes.fromhex(text(digest)): op for op, digest in digests.items() if digest != ffi.NULL},
        steps={text(lib.us_step_name(step)): step for step in range(lib.us_step_count())},
        max_steps=lib.us_max_steps(),
    )


def floats_at(array: npt.NDArray[np.float32]) -> Any:
    """Return the address of an array's first element as ``float *``."""
    ffi = load().ffi
    return ffi.cast("float *", array.ctypes.data)
