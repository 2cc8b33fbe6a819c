"""How much work a kernel is for each pixel, for cost models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unshape_expr.functions import Function
from unshape_expr.ir import Filter, Sampling
from unshape_expr.kernel import Instruction, Kernel
from unshape_expr.op_table import OPS
from unshape_expr.ops import Op

TYPICAL_LOOP_COUNT = 8
"""Iterations assumed of a loop whose count is known at run time only, if its bound is not smaller."""


MAX_FUNCTION_OPERATIONS = 160
"""Array operations assumed of a function at most: large ones have an implementation of their own."""


@dataclass(frozen=True, slots=True)
class Work:
    """Work for one pixel.

    Parameters
    ----------
    flops : int
        Approximate arithmetic operations, integer ones included; what is equal for all pixels is not counted.
    bytes_read : int
        Of pictures, each texel that is read counted once if it is read at the pixel, and as often as it is read
        otherwise.
    bytes_written : int
        Of the outputs.
    """

    flops: int
    bytes_read: int
    bytes_written: int


def work_of(kernel: Kernel) -> Work:
    """Return the work of a kernel for each pixel."""
    written = sum(4 * kernel.value_types[number].components for number in kernel.outputs)
    pixels = sum(4 * use.type.components for use in kernel.inputs if use.is_pixel)
    return Work(flops_of(kernel.body), pixels + _texel_bytes(kernel.body), written)


def flops_of(body: Sequence[Instruction]) -> int:
    """Return the approximate operations of instructions that are executed once for each pixel."""
    total = 0
    for step in body:
        if step.is_uniform:
            continue
        total += OPS[step.op].flops * step.type.components
        if step.loop is not None:
            total += min(step.loop.max_count, TYPICAL_LOOP_COUNT) * flops_of(step.loop.body)
        elif isinstance(step.attr, Function):
            times = step.type.components if step.attr.is_componentwise else 1
            total += times * flops_of(step.attr.kernel.body)
    return total


def operations_of(body: Sequence[Instruction]) -> int:
    """Return how many array operations an interpreter performs for each tile, about."""
    total = 0
    for step in body:
        total += 1
        if step.loop is not None:
            total += min(step.loop.max_count, TYPICAL_LOOP_COUNT) * operations_of(step.loop.body)
        elif isinstance(step.attr, Function):
            total += min(operations_of(step.attr.kernel.body), MAX_FUNCTION_OPERATIONS)
    return total


def _texel_bytes(body: Sequence[Instruction]) -> int:
    total = 0
    for step in body:
        if step.loop is not None:
            total += min(step.loop.max_count, TYPICAL_LOOP_COUNT) * _texel_bytes(step.loop.body)
        elif step.op in {Op.SAMPLE, Op.FETCH}:
            is_bilinear = isinstance(step.attr, Sampling) and step.attr.filter is Filter.BILINEAR
            total += 4 * step.type.components * (4 if is_bilinear else 1)
    return total
