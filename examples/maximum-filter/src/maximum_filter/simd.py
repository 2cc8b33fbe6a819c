"""The kernel in C: called with the node, host arrays, the context, and the backend that says how to compute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from maximum_filter._maximum import ffi, lib
from maximum_filter.node import Maximum, pad
from unshape_backend import KernelSpec
from unshape_core import EvalContext

AT_ONCE = 2**21
"""Floats of one call, which takes some milliseconds: between calls the kernel looks whether it is to stop."""


def maximum(_node: Maximum, inputs: Sequence[Any], ctx: EvalContext, backend: Any) -> tuple[Any, ...]:
    padded = np.ascontiguousarray(pad(inputs[0], ctx), np.float32)
    height, width, channels = padded.shape[0] - 2, padded.shape[1] - 2, padded.shape[2]
    result = backend.buffers.empty((height, width, channels))
    at_once = AT_ONCE // max(width * channels, 1) + 1
    for row in range(0, height if result.size else 0, at_once):
        if ctx.cancellation is not None:
            ctx.cancellation.raise_if_cancelled()
        # Without the lock of Python's interpreter: other threads run on.
        lib.maximum(
            backend.isa.number,
            ffi.from_buffer("float[]", result[row:], require_writable=True),
            ffi.from_buffer("float[]", padded[row:]),
            width * channels,
            min(at_once, height - row),
            channels,
        )
    return (result,)


KERNELS = (KernelSpec(node_type=Maximum.type_name, backend="simd", function=maximum),)
