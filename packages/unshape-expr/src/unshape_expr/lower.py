"""Lowering: from expressions to the straight-line form that interpreters and emitters consume.

Literals outside function definitions become numbered slots whose values travel beside the kernel, so two kernels that
differ only in literals have the same ``key`` and share compiled code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from unshape_expr.blocks import assign_blocks
from unshape_expr.dependence import dependence
from unshape_expr.errors import ExpressionError
from unshape_expr.ir import Expr, LoopScope
from unshape_expr.kernel import FunctionKernel, InputUse, Instruction, Kernel, Loop, Lowering, Varies
from unshape_expr.kernel_inputs import input_uses, uniforms_of
from unshape_expr.kernel_key import function_key, kernel_key
from unshape_expr.ops import Op
from unshape_expr.simplify import simplify_definition
from unshape_expr.traverse import postorder
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.functions import Function

__all__ = [
    "FunctionKernel",
    "InputUse",
    "Instruction",
    "Kernel",
    "Loop",
    "Lowering",
    "Varies",
    "lower",
    "lower_function",
]


def lower(outputs: Sequence[Expr]) -> Lowering:
    """Return the kernel that computes the outputs, and the values of their literals.

    Parameters
    ----------
    outputs : sequence of Expr
        What to compute for each pixel; what they share is computed once.

    Raises
    ------
    ExpressionError
        If loops or uniform parameters are used in a way that no backend could run.
    """
    order = postorder(outputs)
    if any(e.op is Op.ARGUMENT for e in order):
        msg = "lower: a function's parameter is used outside of its definition; pass an expression instead"
        raise ExpressionError(msg)
    writer = _Writer(order, arguments=None)
    body = writer.write()
    numbers = tuple(writer.numbers[e] for e in outputs)
    slots = [e for e in order if e.op is Op.CONST]
    slot_types = tuple(e.type for e in slots)
    functions = called_functions(order)
    inputs, uniforms = input_uses(order), uniforms_of(order)
    value_types = tuple(writer.value_types)
    kernel = Kernel(
        body=body,
        outputs=numbers,
        value_types=value_types,
        slots=slot_types,
        inputs=inputs,
        uniforms=uniforms,
        functions=functions,
        key=kernel_key(body, outputs=numbers, slots=slot_types, inputs=inputs, uniforms=uniforms, functions=functions),
    )
    return Lowering(kernel, tuple(_slot_value(e) for e in slots))


def _slot_value(expr: Expr) -> bool | int | float:
    assert isinstance(expr.attr, bool | int | float)
    return expr.attr


def lower_function(function: Function) -> FunctionKernel:
    """Return the lowered definition of a function; ``function.kernel`` keeps it."""
    definition = simplify_definition(function.definition)
    order = postorder((definition,))
    arguments = {p.name: Varies.NONE if p.is_uniform else Varies.BOTH for p in function.parameters}
    foreign = [e for e in order if e.op is Op.ARGUMENT and e.attr not in arguments]
    if foreign:
        msg = f"function {function.name!r}: {foreign[0].attr!r} is the parameter of another function; pass it in"
        raise ExpressionError(msg)
    _refuse_recursion(function)
    functions = called_functions(order)
    writer = _Writer(order, arguments=arguments)
    parameters = tuple(writer.new_number(p.type) for p in function.parameters)
    numbers = {p.name: number for p, number in zip(function.parameters, parameters, strict=True)}
    for expr in order:
        if expr.op is Op.ARGUMENT:
            writer.numbers[expr] = numbers[str(expr.attr)]
    body = writer.write()
    result = writer.numbers[definition]
    return FunctionKernel(
        parameters=parameters,
        body=body,
        result=result,
        value_types=tuple(writer.value_types),
        functions=functions,
        key=function_key(function, body, parameters=parameters, result=result, functions=functions),
    )


def called_functions(order: Sequence[Expr]) -> tuple[Function, ...]:
    """Return every function that expressions call, directly or not, callees first.

    Raises
    ------
    ExpressionError
        If a function calls itself.
    """
    found: dict[Function, None] = {}
    for function in _direct_calls(order):
        found.update(dict.fromkeys((*function.kernel.functions, function)))
    return tuple(found)


def _direct_calls(order: Sequence[Expr]) -> dict[Function, None]:
    return dict.fromkeys(cast("Function", e.attr) for e in order if e.op is Op.CALL)


def _refuse_recursion(function: Function, callers: tuple[Function, ...] = ()) -> None:
    """Check that a function does not call itself, before its kernel is asked for those of its callees."""
    if function in callers:
        msg = f"function {function.name!r} calls itself; use loop(...) instead of recursion"
        raise ExpressionError(msg)
    if function.is_lowered:
        return
    for callee in _direct_calls(postorder((function.definition,))):
        _refuse_recursion(callee, (*callers, function))


class _Writer:
    """Numbers values and writes instructions, block by block."""

    def __init__(self, order: Sequence[Expr], *, arguments: Mapping[str, Varies] | None) -> None:
        self.numbers: dict[Expr, int] = {}
        self.value_types: list[Type] = []
        self._varies, self._state_varies = dependence(order, arguments)
        self._blocks = assign_blocks(order)
        self._has_slots = arguments is None
        self._slot_numbers = {e: k for k, e in enumerate(e for e in order if e.op is Op.CONST)}
        self._indices: dict[LoopScope, int] = {}
        self._states: dict[LoopScope, tuple[int, ...]] = {}
        self._results: dict[Expr, tuple[int, ...]] = {}

    def new_number(self, type: Type) -> int:  # noqa: A002 - the field's word
        self.value_types.append(type)
        return len(self.value_types) - 1

    def write(self, scope: LoopScope | None = None) -> tuple[Instruction, ...]:
        body: list[Instruction] = []
        for expr in self._blocks[scope]:
            if expr.op is Op.ARGUMENT:
                continue
            if expr.op is Op.LOOP_INDEX:
                assert isinstance(expr.attr, LoopScope)
                self.numbers[expr] = self._indices[expr.attr]
            elif expr.op is Op.LOOP_STATE:
                self.numbers[expr] = self._state_number(expr)
            elif expr.op is Op.LOOP_RESULT:
                assert isinstance(expr.attr, int)
                self.numbers[expr] = self._results[expr.args[0]][expr.attr]
            elif expr.op is Op.LOOP:
                body.append(self._loop(expr))
            else:
                body.append(self._plain(expr))
        return tuple(body)

    def _state_number(self, expr: Expr) -> int:
        from unshape_expr.ir import LoopState

        assert isinstance(expr.attr, LoopState)
        return self._states[expr.attr.scope][expr.attr.index]

    def _plain(self, expr: Expr) -> Instruction:
        args = tuple([self.numbers[a] for a in expr.args])
        number = self.new_number(expr.type)
        self.numbers[expr] = number
        is_slot = self._has_slots and expr.op is Op.CONST
        return Instruction(
            result=number,
            op=expr.op,
            type=expr.type,
            args=args,
            attr=None if is_slot else expr.attr,
            slot=self._slot_numbers[expr] if is_slot else None,
            varies=self._varies[expr],
        )

    def _loop(self, expr: Expr) -> Instruction:
        scope = expr.attr
        assert isinstance(scope, LoopScope)
        types = tuple(a.type for a in expr.args[1:])
        index = self.new_number(Type.I32)
        states = tuple(self.new_number(t) for t in types)
        self._indices[scope], self._states[scope] = index, states
        body = self.write(scope)
        results = tuple(self.new_number(t) for t in types)
        self._results[expr] = results
        varies = self._state_varies[scope]
        joined = Varies.NONE
        for one in varies:
            joined |= one
        inside = Loop(
            max_count=scope.max_count,
            index=index,
            states=states,
            state_types=types,
            state_varies=varies,
            body=body,
            next_states=tuple(self.numbers[r] for r in scope.results),
            results=results,
        )
        args = tuple(self.numbers[a] for a in expr.args)
        return Instruction(result=-1, op=Op.LOOP, type=expr.type, args=args, varies=joined, loop=inside)
