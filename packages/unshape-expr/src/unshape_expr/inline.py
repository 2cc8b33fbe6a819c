"""Inlining: calls replaced by the definitions of the functions, for backends that have no functions.

The bits stay the same: a definition is the meaning of its function. Literals of definitions stay fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from unshape_expr.kernel import Instruction, Kernel, Loop, Varies
from unshape_expr.kernel_key import kernel_key
from unshape_expr.ops import Op
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.functions import Function


def inline(kernel: Kernel, *, keep: Callable[[Function], bool] = lambda _: False) -> Kernel:
    """Return a kernel in which functions are called only if they are to be kept.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    keep : callable
        Whether calls of a function stay, because the backend has it as one instruction.
    """
    inliner = _Inliner(keep)
    body = inliner.block(kernel.body)
    outputs = tuple(inliner.number(n) for n in kernel.outputs)
    functions = tuple(inliner.kept)
    key = kernel_key(
        body,
        outputs=outputs,
        slots=kernel.slots,
        inputs=kernel.inputs,
        uniforms=kernel.uniforms,
        functions=functions,
    )
    return replace(
        kernel, body=body, outputs=outputs, value_types=tuple(inliner.value_types), functions=functions, key=key
    )


class _Inliner:
    """Numbers values anew, from 0, in the order in which they are computed."""

    def __init__(self, keep: Callable[[Function], bool]) -> None:
        self.value_types: list[Type] = []
        self.kept: dict[Function, None] = {}
        self._keep = keep
        self._numbers: dict[int, int] = {}
        self._varies: dict[int, Varies] = {}

    def number(self, old: int) -> int:
        """Return the new number of a value of the kernel."""
        return self._numbers[old]

    def block(self, body: Sequence[Instruction]) -> tuple[Instruction, ...]:
        """Return instructions with calls replaced."""
        made: list[Instruction] = []
        for step in body:
            self._step(step, made)
        return tuple(made)

    def _step(self, step: Instruction, made: list[Instruction]) -> None:
        from unshape_expr.functions import Function

        args = tuple([self._numbers[a] for a in step.args])
        if step.loop is not None:
            made.append(replace(step, args=args, loop=self._loop(step.loop)))
        elif isinstance(step.attr, Function) and not self._keep(step.attr):
            self._numbers[step.result] = self._call(step, step.attr, args, made)
        else:
            if isinstance(step.attr, Function):
                self.kept.update(dict.fromkeys((*step.attr.kernel.functions, step.attr)))
            self._numbers[step.result] = self._append(made, replace(step, args=args))

    def _append(self, made: list[Instruction], step: Instruction) -> int:
        number = self._new(step.type, step.varies)
        made.append(replace(step, result=number))
        return number

    def _new(self, type_: Type, varies: Varies) -> int:
        self.value_types.append(type_)
        number = len(self.value_types) - 1
        self._varies[number] = varies
        return number

    def _loop(self, loop: Loop) -> Loop:
        index = self._renumber(loop.index, Type.I32, Varies.NONE)
        states = self._renumber_all(loop.states, loop)
        body = self.block(loop.body)
        results = self._renumber_all(loop.results, loop)
        return replace(
            loop,
            index=index,
            states=states,
            body=body,
            next_states=tuple(self._numbers[n] for n in loop.next_states),
            results=results,
        )

    def _renumber_all(self, old: Sequence[int], loop: Loop) -> tuple[int, ...]:
        each = zip(old, loop.state_types, loop.state_varies, strict=True)
        return tuple([self._renumber(number, type_, varies) for number, type_, varies in each])

    def _renumber(self, old: int, type_: Type, varies: Varies) -> int:
        self._numbers[old] = self._new(type_, varies)
        return self._numbers[old]

    def _call(self, step: Instruction, function: Function, args: tuple[int, ...], made: list[Instruction]) -> int:
        if not step.type.is_vector or not function.is_componentwise:
            return self._definition(function, args, made)
        results: list[int] = []
        for k in range(step.type.components):
            parts = tuple(
                [
                    self._append(
                        made,
                        Instruction(
                            result=-1, op=Op.COMPONENT, type=Type.F32, args=(a,), attr=k, varies=self._varies[a]
                        ),
                    )
                    for a in args
                ]
            )
            results.append(self._definition(function, parts, made))
        varies = _joined([self._varies[r] for r in results])
        return self._append(made, Instruction(result=-1, op=Op.VEC, type=step.type, args=tuple(results), varies=varies))

    def _definition(self, function: Function, args: tuple[int, ...], made: list[Instruction]) -> int:
        """Append the definition of a function and return the number of its result."""
        kernel = function.kernel
        outer = self._numbers
        self._numbers = dict(zip(kernel.parameters, args, strict=True))
        for step in kernel.body:
            self._step(self._known_dependence(step), made)
        result = self._numbers[kernel.result]
        self._numbers = outer
        return result

    def _known_dependence(self, step: Instruction) -> Instruction:
        """Return an instruction of a definition with the dependence that it has for these arguments."""
        if step.loop is None:
            return replace(step, varies=_joined([self._varies[self._numbers[a]] for a in step.args]))
        return step


def _joined(each: Sequence[Varies]) -> Varies:
    joined = Varies.NONE
    for varies in each:
        joined |= varies
    return joined
