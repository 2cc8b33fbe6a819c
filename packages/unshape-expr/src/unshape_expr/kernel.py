"""The straight-line form of expressions, which interpreters and emitters consume.

A :class:`Kernel` is a list of instructions in an order that respects their arguments, loops nested.
Values are numbered.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Flag
from typing import TYPE_CHECKING

from unshape_expr.ir import Attr
from unshape_expr.ops import Op
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.functions import Function


class Varies(Flag):
    """Along which axes of the picture a value may differ."""

    NONE = 0
    X = 1
    Y = 2
    BOTH = 3


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation.

    Parameters
    ----------
    result : int
        Number of the value it defines; numbers are unique within a kernel and count up from 0. A LOOP defines none
        itself (-1): its ``results`` do.
    op, type, attr
        As in :class:`~unshape_expr.ir.Expr`. A literal that is a slot is ``Op.CONST`` with ``attr`` None and its number
        in ``slot``; a fixed literal (inside the definition of a function) has its value in ``attr``. ``LOOP_INDEX``,
        ``LOOP_STATE``, ``LOOP_RESULT`` and ``ARGUMENT`` do not occur: they are the numbers that :class:`Loop` and
        :class:`FunctionKernel` name.
    args : tuple of int
        Numbers of the arguments.
    varies : Varies
        Along which axes the value may differ between pixels. Inside a function, along which its arguments are taken to
        differ: BOTH, except for uniform parameters.
    loop : Loop or None
        The inside of a LOOP.
    """

    result: int
    op: Op
    type: Type
    args: tuple[int, ...] = ()
    attr: Attr = None
    slot: int | None = None
    varies: Varies = Varies.BOTH
    loop: Loop | None = None

    @property
    def is_uniform(self) -> bool:
        """Whether the value is equal for all pixels."""
        return self.varies is Varies.NONE


@dataclass(frozen=True, slots=True)
class Loop:
    """The inside of a loop.

    Parameters
    ----------
    max_count : int
        The count (``args[0]`` of the instruction) is cut to ``[0, max_count]``.
    index : int
        Number of the i32 iteration index, which is uniform.
    states : tuple of int
        Numbers of the carried values inside the body; they start as ``args[1:]``.
    state_types : tuple of Type
        Their types, which are those of the results as well.
    state_varies : tuple of Varies
        Along which axes they may differ, in any iteration and after the loop.
    body : tuple of Instruction
        One iteration; may use values from outside.
    next_states : tuple of int
        Numbers of the values that become the states of the next iteration, all at once.
    results : tuple of int
        Numbers of the carried values after the loop.
    """

    max_count: int
    index: int
    states: tuple[int, ...]
    state_types: tuple[Type, ...]
    state_varies: tuple[Varies, ...]
    body: tuple[Instruction, ...]
    next_states: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class InputUse:
    """How a kernel uses one of its inputs.

    Parameters
    ----------
    port : str
        The input.
    type : Type
        Of a scalar input the value's, of a picture that of one texel.
    is_pixel, is_sampled : bool
        Whether a picture is read at the very pixel, and whether at computed positions. Both are false for a picture of
        which only the size is used, whose type is given as F32.
    is_scalar : bool
        Whether it is a number or vector instead of a picture.
    """

    port: str
    type: Type
    is_pixel: bool = False
    is_sampled: bool = False
    is_scalar: bool = False


@dataclass(frozen=True, slots=True)
class Kernel:
    """A lowered expression.

    Parameters
    ----------
    body : tuple of Instruction
        In order.
    outputs : tuple of int
        Numbers of the values to store.
    value_types : tuple of Type
        Type of each value by its number.
    slots : tuple of Type
        Types of the literal slots, in order.
    inputs : tuple of InputUse
        Inputs that are read, in the order of first use.
    uniforms : tuple of (name, type)
        Named values wanted at run time.
    functions : tuple of Function
        Every function called, directly or not, callees first.
    key : bytes
        Digest of all of the above; equal keys mean interchangeable compiled code.
    """

    body: tuple[Instruction, ...]
    outputs: tuple[int, ...]
    value_types: tuple[Type, ...]
    slots: tuple[Type, ...]
    inputs: tuple[InputUse, ...]
    uniforms: tuple[tuple[str, Type], ...]
    functions: tuple[Function, ...]
    key: bytes

    @property
    def output_types(self) -> tuple[Type, ...]:
        """Types of the values to store."""
        return tuple(self.value_types[number] for number in self.outputs)

    @property
    def may_contract(self) -> bool:
        """Whether ``precision="fast"`` may contract it.

        Not if it reads pictures at positions: one that is off by a rounding reads other texels.
        """
        return not any(use.is_sampled for use in self.inputs)


@dataclass(frozen=True, slots=True)
class FunctionKernel:
    """The lowered definition of a function; its literals are fixed.

    Parameters
    ----------
    parameters : tuple of int
        Number of each parameter.
    body : tuple of Instruction
        In order.
    result : int
        Number of the value it returns.
    value_types : tuple of Type
        Type of each value by its number.
    functions : tuple of Function
        Every function called, directly or not, callees first.
    key : bytes
        Digest of all of the above.
    """

    parameters: tuple[int, ...]
    body: tuple[Instruction, ...]
    result: int
    value_types: tuple[Type, ...]
    functions: tuple[Function, ...]
    key: bytes


@dataclass(frozen=True, slots=True)
class Lowering:
    """A kernel and what the literals of the lowered expressions are.

    Parameters
    ----------
    kernel : Kernel
        The structure.
    slot_values : tuple of bool, int or float
        One for each slot.
    """

    kernel: Kernel
    slot_values: tuple[bool | int | float, ...]
