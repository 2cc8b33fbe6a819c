"""On which bits of which other value a value depends, as far as it is made by moving, masking and choosing bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

import numpy as np

from unshape_expr.kernel import Instruction
from unshape_expr.ops import Op
from unshape_expr.types import Type

BITS = 32
LITERAL = -1
"""The source of a literal."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the bits of a value come from.

    Parameters
    ----------
    source : int
        Number of the value that it is made of, or ``LITERAL``.
    bits : tuple of int
        For each of its bits, or for the one of a condition, the mask of the source's bits that it depends on.
    literal : int
        The bits of a literal.
    """

    source: int
    bits: tuple[int, ...]
    literal: int = 0

    @property
    def mask(self) -> int:
        """The source's bits that it depends on."""
        return reduce(or_, self.bits)


def origin_of(step: Instruction, origins: Mapping[int, Origin], types: Sequence[Type]) -> Origin | None:
    """Return the origin of what an instruction computes, None if it is computed in another way.

    Parameters
    ----------
    step : Instruction
        The instruction.
    origins : mapping of int to Origin
        Those of the values before it.
    types : sequence of Type
        Type of each value.
    """
    if step.op is Op.CONST:
        return _literal(step)
    args = [_known(number, origins, types) for number in step.args]
    known = [each for each in args if each is not None]
    sources = {each.source for each in known} - {LITERAL}
    if len(known) < len(args) or len(sources) != 1:
        return None
    if step.op in {Op.EQ, Op.NE} and types[step.args[0]] is not Type.U32:
        return None  # of floats it is no question of bits
    bits = _moved(step.op, known)
    return None if bits is None else Origin(sources.pop(), bits)


def _literal(step: Instruction) -> Origin | None:
    if step.slot is not None or not isinstance(step.attr, bool | int | float):
        return None
    match step.type:
        case Type.BOOL:
            return Origin(LITERAL, (0,), int(step.attr))
        case Type.U32:
            return Origin(LITERAL, (0,) * BITS, int(step.attr))
        case Type.F32:
            return Origin(LITERAL, (0,) * BITS, int(np.float32(step.attr).view(np.uint32)))
        case _:
            return None


def _known(number: int, origins: Mapping[int, Origin], types: Sequence[Type]) -> Origin | None:
    found = origins.get(number)
    if found is None and types[number] is Type.U32:
        return Origin(number, tuple(1 << bit for bit in range(BITS)))
    return found


def _moved(op: Op, args: Sequence[Origin]) -> tuple[int, ...] | None:
    first, *rest = args
    match op:
        case Op.BITCAST_F32 | Op.BITCAST_U32 | Op.NOT | Op.BIT_NOT:
            return first.bits
        case Op.BIT_AND if rest[0].source == LITERAL:
            return tuple(mask if rest[0].literal >> bit & 1 else 0 for bit, mask in enumerate(first.bits))
        case Op.SHL if rest[0].source == LITERAL:
            by = rest[0].literal % BITS
            return ((0,) * by + first.bits)[:BITS]
        case Op.SHR if rest[0].source == LITERAL:
            by = rest[0].literal % BITS
            return first.bits[by:] + (0,) * by
        case Op.BIT_AND | Op.BIT_OR | Op.BIT_XOR | Op.AND | Op.OR:
            return tuple(map(or_, first.bits, rest[0].bits))
        case Op.EQ | Op.NE:
            return (first.mask | rest[0].mask,)
        case Op.SELECT:
            return tuple(first.mask | a | b for a, b in zip(rest[0].bits, rest[1].bits, strict=True))
        case _:
            return None
