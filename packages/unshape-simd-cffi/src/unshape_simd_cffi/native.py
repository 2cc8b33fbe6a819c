"""The seam to the C library: the only module that touches cffi.

Importing this module fails with an ImportError where the library was not built; ``load`` says so in words.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt


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
def opcodes() -> dict[str, int]:
    """Return the instructions of the engine by name, without functions."""
    native = load()
    return {
        native.ffi.string(native.lib.us_op_name(op)).decode(): op
        for op in range(native.lib.us_op_count())
        if native.lib.us_function_digest(op) == native.ffi.NULL
    }


@cache
def function_opcodes() -> dict[bytes, int]:
    """Return the instructions that are functions, by the digest of the definition."""
    native = load()
    digests = {op: native.lib.us_function_digest(op) for op in range(native.lib.us_op_count())}
    return {
        bytes.fromhex(native.ffi.string(digest).decode()): op
        for op, digest in digests.items()
        if digest != native.ffi.NULL
    }


def floats_at(array: npt.NDArray[np.float32]) -> Any:
    """Return the address of an array's first element as ``float *``."""
    ffi = load().ffi
    return ffi.cast("float *", array.ctypes.data)
