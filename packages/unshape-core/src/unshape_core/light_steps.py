"""Running scalar steps with next to no overhead.

A graph of a thousand scalar nodes is run for every move of a slider, so the loop does nothing but call: operations of
one shape lie beside each other, inputs and outputs are numbered slots, and what can be checked once is checked at the
first call after a change. ``F32`` results are rounded to float32 on their way into the slot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from unshape_core.coercion import coerce_value, fits
from unshape_core.errors import NodeError
from unshape_core.program import supports_bind, supports_bind_function
from unshape_core.value_type import F32

if TYPE_CHECKING:
    from unshape_core.compiled_program import CompiledProgram
    from unshape_core.context import EvalContext
    from unshape_core.program import Step
    from unshape_core.protocols import Node
    from unshape_core.value import Value
    from unshape_core.value_type import ValueType


_RUNS_KEPT = 16


class Shape(IntEnum):
    """How a step is called; those named have one ``F32`` output."""

    FUNCTION_OF_1 = 0
    FUNCTION_OF_2 = 1
    SEQUENCE_OF_1 = 2
    SEQUENCE_OF_2 = 3
    OTHER = 4


Operation = list[Any]
"""Callable, input slots, output slot: a list, so that a changed node changes it in place everywhere."""


class LightSteps:
    """The light steps of a program, bound to nodes.

    Parameters
    ----------
    compiled : CompiledProgram
        The program.
    values : list of (Value or None)
        The slots.
    """

    def __init__(self, compiled: CompiledProgram, values: list[Value | None]) -> None:
        self._compiled = compiled
        self._values = values
        self._shapes: dict[int, Shape] = {}
        self._operations: dict[int, Operation] = {}
        self._runs: dict[frozenset[int] | None, list[tuple[Shape, list[Operation]]]] = {}
        self._cell = memoryview(bytearray(4)).cast("f")

    def bind(self, index: int, nodes: tuple[Node, ...]) -> None:
        """Take the nodes of a step as they are now."""
        step = self._compiled.steps[index]
        types = [self._compiled.slot_types[slot] for slot in step.output_slots]
        function = None
        if len(types) == 1 and not step.context_fields and supports_bind_function(step.run):
            function = step.run.bind_function(nodes)
        arity = len(step.input_slots)
        is_f32 = len(types) == 1 and types[0] is F32
        shape = Shape.OTHER
        if is_f32 and arity in {1, 2}:
            shape = Shape((0 if function is not None else 2) + arity - 1)
        if self._shapes.get(index) is not shape:
            self._runs.clear()
            self._shapes[index] = shape
        if shape is Shape.OTHER:
            operation: Operation = [None, step.input_slots, step.output_slots, tuple(t is F32 for t in types)]
        else:
            operation = [None, *step.input_slots, step.output_slots[0]]
        current = self._operations.setdefault(index, operation)
        is_function = function is not None and shape is not Shape.OTHER
        call: Callable[..., Any]
        if function is None:
            call = bind_step(step, nodes)
        else:
            call = function if is_function else _as_sequence_call(function)
        current[0] = _FirstCall(call, current, nodes, step, types, is_function=is_function)

    def run(self, indices: Sequence[int], sources: frozenset[int] | None, ctx: EvalContext) -> None:
        """Run steps in order, as fast as can be; ``sources`` stands for them.

        Raises
        ------
        StepFailure
            If a step raises; it says which.
        """
        runs = self._runs.get(sources)
        if runs is None:
            if len(self._runs) >= _RUNS_KEPT:
                self._runs.clear()
            runs = self._runs[sources] = self._grouped(indices)
        self._run(runs, ctx)

    def run_one(self, index: int, ctx: EvalContext) -> None:
        """Run one step; raises as :meth:`run` does."""
        self._run(self._grouped((index,)), ctx)

    def _run(self, runs: list[tuple[Shape, list[Operation]]], ctx: EvalContext) -> None:
        values: list[Any] = self._values
        cell = self._cell
        out: Any = None
        try:
            for shape, operations in runs:
                if shape == 0:
                    for call, first, out in operations:
                        cell[0] = call(values[first])
                        values[out] = cell[0]
                elif shape == 1:
                    for call, first, second, out in operations:
                        cell[0] = call(values[first], values[second])
                        values[out] = cell[0]
                elif shape == 2:
                    for call, first, out in operations:
                        cell[0] = call((values[first],), ctx)[0]
                        values[out] = cell[0]
                elif shape == 3:
                    for call, first, second, out in operations:
                        cell[0] = call((values[first], values[second]), ctx)[0]
                        values[out] = cell[0]
                else:
                    for call, inputs, out, roundings in operations:
                        outputs = call([values[slot] for slot in inputs], ctx)
                        for slot, value, is_f32 in zip(out, outputs, roundings, strict=True):
                            if is_f32:
                                cell[0] = value
                                values[slot] = cell[0]
                            else:
                                values[slot] = value
        except Exception as error:
            slot = out[0] if isinstance(out, tuple) else out
            raise StepFailure(self._compiled.producer[slot]) from error

    def _grouped(self, indices: Sequence[int]) -> list[tuple[Shape, list[Operation]]]:
        runs: list[tuple[Shape, list[Operation]]] = []
        for index in indices:
            shape = self._shapes[index]
            if not runs or runs[-1][0] is not shape:
                runs.append((shape, []))
            runs[-1][1].append(self._operations[index])
        return runs


class StepFailure(Exception):  # never reaches a caller: it tells the loop's owner which step it was
    """A step raised; the error is ``__cause__``."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def bind_step(step: Step, nodes: tuple[Node, ...]) -> Callable[[Sequence[Value], EvalContext], Sequence[Value]]:
    """Return the work of a step as a function of inputs and context."""
    if supports_bind(step.run):
        return step.run.bind(nodes)
    run = step.run
    return lambda inputs, ctx: run(nodes, inputs, ctx)


def _as_sequence_call(function: Callable[..., Value]) -> Callable[[Sequence[Value], EvalContext], Sequence[Value]]:
    return lambda inputs, _ctx: (function(*inputs),)


class _FirstCall:
    """Checks what a step returns the first time, and then gets out of the way.

    A step whose results have to be brought to the type of their port stays under watch.
    """

    __slots__ = ("_call", "_is_function", "_nodes", "_operation", "_step", "_types")

    def __init__(
        self,
        call: Callable[..., Any],
        operation: Operation,
        nodes: tuple[Node, ...],
        step: Step,
        types: Sequence[ValueType | None],
        *,
        is_function: bool,
    ) -> None:
        self._call = call
        self._operation = operation
        self._nodes = nodes
        self._step = step
        self._types = types
        self._is_function = is_function

    def __call__(self, *arguments: Any) -> Any:
        result = self._call(*arguments)
        outputs = (result,) if self._is_function else result
        if type(outputs) is tuple and len(outputs) == 1 and type(outputs[0]) is float and self._types[0] is F32:
            self._operation[0] = self._call  # by far the most frequent case; the slot rounds it
            return result
        checked = check_outputs(outputs, self._types, self._step, self._nodes)
        if all(_is_settled(value, given) for value, given in zip(checked, outputs, strict=True)):
            self._operation[0] = self._call
        return checked[0] if self._is_function else checked


def _is_settled(checked: Value, given: object) -> bool:
    return type(checked) is type(given) or isinstance(given, np.floating)


def check_outputs(
    outputs: object, types: Sequence[ValueType | None], step: Step, nodes: tuple[Node, ...]
) -> list[Value]:
    """Return what a step computed, brought to the types of its ports.

    Raises
    ------
    NodeError
        If it returned another number of values.
    PortTypeError, InvalidArgumentError
        If a value does not fit its port.
    """
    node_id, type_name = step.node_ids[-1], nodes[-1].type_name
    if not isinstance(outputs, tuple | list) or len(outputs) != len(types):
        got = f"{len(outputs)}" if isinstance(outputs, tuple | list) else f"a {type(outputs).__name__}"
        msg = f"node {node_id} ({type_name}): expected a tuple of {len(types)} outputs, got {got}"
        raise NodeError(msg, node_id=node_id, type_name=type_name)
    checked: list[Value] = []
    for port, (value, value_type) in enumerate(zip(outputs, types, strict=True)):
        if value_type is None or fits(value, value_type):
            checked.append(value)
        else:
            where = f"node {node_id} ({type_name}): output {port}"
            checked.append(coerce_value(value, value_type, where=where))
    return checked
