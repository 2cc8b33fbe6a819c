"""Small tables in place of selections: what depends on a few neighbouring bits of one value is looked up.

Lattice noise chooses a gradient by the upper bits of a hash: a few selections, masks and shifts for each component, at
each corner of a cell. They cost a GPU more than everything else, since it has fewer units for them than for sums and
products; a table in local memory gives the same bits at once. A table is filled with what the instructions compute, so
nothing is known here of noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_expr.functions import Function
from unshape_expr.kernel import FunctionKernel, Instruction, Kernel
from unshape_expr.ops import Op
from unshape_expr.types import Type
from unshape_opencl.bit_origin import BITS, LITERAL, Origin, origin_of

MAX_BITS = 6
LEAST_SAVED = 4
"""Instructions that a look-up has to replace to be worth it."""

Words: TypeAlias = npt.NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Lookup:
    """Where a value is found.

    Parameters
    ----------
    first : int
        Where its table begins among the words of all tables.
    shift, mask : int
        The entry is ``(source >> shift) & mask``.
    """

    first: int
    shift: int
    mask: int


@dataclass(frozen=True, slots=True)
class TabledFunction:
    """A function whose selections are looked up; has what is emitted of a function."""

    kernel: FunctionKernel
    function: Function

    @property
    def qualified_name(self) -> str:
        """Name of the function."""
        return self.function.qualified_name

    @property
    def parameters(self) -> Sequence[object]:
        """Its parameters."""
        return self.function.parameters

    @property
    def returns(self) -> Type:
        """Type of its result."""
        return self.function.returns


def has_lookups(kernel: Kernel) -> bool:
    """Return whether a kernel calls functions in which something can be looked up."""
    return any(_looks_up(function) for function in kernel.functions)


@lru_cache(maxsize=256)
def _looks_up(function: Function) -> bool:
    tables = Tables()
    tables.rewritten(function)
    return bool(tables.words)


class Tables:
    """The tables of one kernel.

    Attributes
    ----------
    words : list of int
        The entries of all tables, one after another.
    lookups : dict of str to Lookup
        Where values are found, by the name under which instructions read them.
    """

    def __init__(self) -> None:
        self.words: list[int] = []
        self.lookups: dict[str, Lookup] = {}
        self._known: dict[bytes, int] = {}

    def rewritten(self, function: Function) -> TabledFunction:
        """Return a function with look-ups in place of what can be looked up; equal tables are shared."""
        kernel = function.kernel
        if any(step.loop is not None for step in kernel.body):
            return TabledFunction(kernel, function)
        steps = {step.result: step for step in kernel.body}
        origins: dict[int, Origin] = {}
        for step in kernel.body:
            origin = origin_of(step, origins, kernel.value_types)
            if origin is not None:
                origins[step.result] = origin
        found = _worthwhile(kernel, steps, origins)
        windows = _windows([origins[number] for number in found])
        body = []
        for step in kernel.body:
            source = origins[step.result].source if step.result in found else LITERAL
            if source in windows:
                low, high = windows[source]
                entries = _entries(step.result, source, steps, low=low, high=high)
                body.append(self._read(step, source, low, entries))
            else:
                body.append(step)
        return TabledFunction(replace(kernel, body=_needed(body, kernel.result)), function)

    def _read(self, step: Instruction, source: int, shift: int, entries: Words) -> Instruction:
        key = entries.tobytes()
        if key not in self._known:
            self._known[key] = len(self.words)
            self.words += entries.tolist()
        lookup = Lookup(self._known[key], shift, len(entries) - 1)
        name = f"table {lookup.first} {lookup.shift} {lookup.mask}"
        self.lookups[name] = lookup
        return replace(step, op=Op.UNIFORM, args=(source,), attr=name)


def _worthwhile(
    kernel: FunctionKernel, steps: Mapping[int, Instruction], origins: Mapping[int, Origin]
) -> frozenset[int]:
    """Return the values to look up: used by what cannot be looked up, and made of several instructions."""
    narrow = {number for number, origin in origins.items() if origin.source != LITERAL and _is_narrow(origin.mask)}
    used = {kernel.result}
    for step in kernel.body:
        if step.result not in narrow:
            used |= set(step.args)
    return frozenset(
        number
        for number in used & narrow
        if steps[number].type in {Type.F32, Type.U32} and _count(number, origins[number].source, steps) >= LEAST_SAVED
    )


def _is_narrow(mask: int) -> bool:
    low, high = _window(mask)
    return 0 <= high - low < MAX_BITS


def _window(mask: int) -> tuple[int, int]:
    """Return the lowest and the highest bit of a mask."""
    return (mask & -mask).bit_length() - 1, mask.bit_length() - 1


def _count(number: int, source: int, steps: Mapping[int, Instruction]) -> int:
    """Return how many instructions lead from the source to a value, literals apart."""
    waiting, seen = [number], set[int]()
    while waiting:
        each = waiting.pop()
        if each != source and each not in seen and steps[each].op is not Op.CONST:
            seen.add(each)
            waiting += steps[each].args
    return len(seen)


def _windows(origins: Sequence[Origin]) -> dict[int, tuple[int, int]]:
    """Return for each source the bits that its values depend on, if these are few: they share an index."""
    masks: dict[int, int] = {}
    for origin in origins:
        masks[origin.source] = masks.get(origin.source, 0) | origin.mask
    return {source: _window(mask) for source, mask in masks.items() if _is_narrow(mask)}


def _entries(number: int, source: int, steps: Mapping[int, Instruction], *, low: int, high: int) -> Words:
    """Return what a value is for each pattern of the source's bits from ``low`` to ``high``."""
    patterns = np.arange(1 << (high - low + 1), dtype=np.uint32) << np.uint32(low)
    values: dict[int, Words] = {source: patterns}

    def value(each: int) -> Words:
        if each not in values:
            step = steps[each]
            values[each] = _computed(step, [value(argument) for argument in step.args])
        return values[each]

    return np.broadcast_to(value(number), patterns.shape).copy()


def _computed(step: Instruction, args: Sequence[Words]) -> Words:
    """Return what an instruction computes, all types as their bits, conditions as 0 and 1."""
    match step.op:
        case Op.CONST:
            origin = origin_of(step, {}, ())
            assert origin is not None  # a literal that is no slot
            return np.uint32(origin.literal).reshape(1)
        case Op.BITCAST_F32 | Op.BITCAST_U32:
            return args[0]
        case Op.NOT:
            return args[0] ^ np.uint32(1)
        case Op.BIT_NOT:
            return ~args[0]
        case Op.BIT_AND | Op.AND:
            return args[0] & args[1]
        case Op.BIT_OR | Op.OR:
            return args[0] | args[1]
        case Op.BIT_XOR:
            return args[0] ^ args[1]
        case Op.SHL:
            higher: Words = np.left_shift(args[0], args[1] % BITS)
            return higher
        case Op.SHR:
            lower: Words = np.right_shift(args[0], args[1] % BITS)
            return lower
        case Op.EQ:
            return np.where(args[0] == args[1], np.uint32(1), np.uint32(0))
        case Op.NE:
            return np.where(args[0] != args[1], np.uint32(1), np.uint32(0))
        case Op.SELECT:
            return np.where(args[0] != 0, args[1], args[2])
        case _:
            msg = f"{step.op.value} has no origin in bits"
            raise AssertionError(msg)


def _needed(body: Sequence[Instruction], result: int) -> tuple[Instruction, ...]:
    """Return the instructions that a result depends on."""
    wanted, kept = {result}, []
    for step in reversed(body):
        if step.result in wanted:
            wanted |= set(step.args)
            kept.append(step)
    return tuple(reversed(kept))
