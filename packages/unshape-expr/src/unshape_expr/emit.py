"""The base of emitters for C-like languages: a kernel becomes statements.

A small :class:`Target` knows how its language writes declarations, operations, loops and functions; everything else is
here. Vectors are taken apart: every statement computes one scalar, in the order of the kernel, so that a target has to
know scalar operations only and the order of operations is the promised one. Vectors remain where pictures are read and
where functions return them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from unshape_expr.kernel import Instruction, Kernel, Loop
from unshape_expr.kernel_text import instruction_text
from unshape_expr.ops import OUTSIDE_OPS, Op
from unshape_expr.types import Type

if TYPE_CHECKING:
    from unshape_expr.functions import Function


class Target(Protocol):
    """How one language writes things. Texts of values are names or expressions that may be used several times."""

    def declare(self, type: Type, name: str, value: str) -> str:  # noqa: A002 - the field's word
        """Return the statement that names a value, scalar or vector."""

    def variable(self, type: Type, name: str, value: str) -> str:  # noqa: A002 - the field's word
        """Return the statement that makes a variable of a scalar type."""

    def assign(self, name: str, value: str) -> str:
        """Return the statement that gives a variable a value."""

    def literal(self, value: bool | int | float, type: Type) -> str:  # noqa: A002, FBT001 - any literal
        """Return a fixed literal of a scalar type, infinities and NaN included."""

    def slot(self, number: int, type: Type) -> str:  # noqa: A002 - the field's word
        """Return the value of a literal slot."""

    def operation(self, op: Op, type: Type, operand: Type, args: Sequence[str]) -> str:  # noqa: A002
        """Return a scalar operation: arithmetic, comparison, logic, bits, selection or conversion.

        ``type`` is the scalar type of the result, ``operand`` that of the first argument.
        """

    def read(self, step: Instruction, args: Sequence[str]) -> str:
        """Return a value from outside, of ``step.type``.

        That is an input, a uniform, the pixel's position, the size of a picture, or a picture at a position whose
        components are ``args``.
        """

    def component(self, type: Type, value: str, index: int) -> str:  # noqa: A002 - the field's word
        """Return one component of a vector."""

    def vector(self, type: Type, parts: Sequence[str]) -> str:  # noqa: A002 - the field's word
        """Return a vector of its components."""

    def begin_loop(self, index: str, count: str, max_count: int) -> str:
        """Return the head of a loop whose i32 index counts from 0 to below ``min(count, max_count)``."""

    def begin_function(self, name: str, parameters: Sequence[tuple[Type, str]], returns: Type) -> str:
        """Return the head of a function of scalar parameters."""

    def return_value(self, value: str) -> str:
        """Return the statement that ends a function."""

    def end(self) -> str:
        """Return the end of a loop or function."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of emitted code.

    Parameters
    ----------
    text : str
        The code.
    origin : str
        The instruction it comes from, so that a compiler's message about the line can name it.
    """

    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class Emitted:
    """The code of a kernel.

    Parameters
    ----------
    functions : tuple of Line
        Definitions of functions, callees first.
    statements : tuple of Line
        The computation of one pixel.
    outputs : tuple of (tuple of str)
        For each output the texts of its components after the statements.
    """

    functions: tuple[Line, ...]
    statements: tuple[Line, ...]
    outputs: tuple[tuple[str, ...], ...]

    @property
    def function_text(self) -> str:
        """Definitions of functions as one text."""
        return "\n".join(line.text for line in self.functions)

    @property
    def statement_text(self) -> str:
        """The statements as one text."""
        return "\n".join(line.text for line in self.statements)


def emit(kernel: Kernel, target: Target, *, prefix: str = "us_", indent: str = "    ") -> Emitted:
    """Return the code of a kernel.

    Parameters
    ----------
    kernel : Kernel
        What to compute.
    target : Target
        The language.
    prefix : str
        Before the names of functions, so that they meet no name of the language.
    indent : str
        Before each statement.
    """
    functions: list[Line] = []
    for function in kernel.functions:
        functions += emit_function(function, target, prefix=prefix, indent=indent)
    writer = _Writer(target, kernel.value_types, prefix=prefix, where="kernel")
    writer.block(kernel.body, indent)
    outputs = tuple(writer.names[number] for number in kernel.outputs)
    return Emitted(tuple(functions), tuple(writer.lines), outputs)


def emit_function(function: Function, target: Target, *, prefix: str = "us_", indent: str = "    ") -> list[Line]:
    """Return the definition of a function; those that it calls have to come before it. Parameters as in `emit`."""
    kernel = function.kernel
    name = prefix + function.qualified_name
    origin = f"function {function.qualified_name!r}"
    writer = _Writer(target, kernel.value_types, prefix=prefix, where=origin)
    parameters: list[tuple[Type, str]] = []
    for number, parameter in zip(kernel.parameters, function.parameters, strict=True):
        writer.names[number] = _names(number, parameter.type)
        parameters += [(parameter.type.scalar, text) for text in writer.names[number]]
    head = Line(target.begin_function(name, parameters, function.returns), origin)
    writer.block(kernel.body, indent)
    result = writer.names[kernel.result]
    value = target.vector(function.returns, result) if function.returns.is_vector else result[0]
    return [head, *writer.lines, Line(indent + target.return_value(value), origin), Line(target.end(), origin)]


def _names(number: int, type_: Type) -> tuple[str, ...]:
    """Return the names of the components of a value."""
    return tuple(f"v{number}_{k}" for k in range(type_.components)) if type_.is_vector else (f"v{number}",)


class _Writer:
    """Writes statements and remembers what each value is called."""

    def __init__(self, target: Target, value_types: Sequence[Type], *, prefix: str, where: str) -> None:
        self.names: dict[int, tuple[str, ...]] = {}
        self.lines: list[Line] = []
        self._types = value_types
        self._target = target
        self._prefix = prefix
        self._where = where

    def block(self, body: Sequence[Instruction], indent: str) -> None:
        """Write instructions."""
        for step in body:
            origin = f"{self._where}: {instruction_text(step)}"
            if step.loop is not None:
                self._loop(step, step.loop, indent, origin)
            else:
                self.names[step.result] = self._value(step, indent, origin)

    def _add(self, indent: str, text: str, origin: str) -> None:
        self.lines.append(Line(indent + text, origin))

    def _value(self, step: Instruction, indent: str, origin: str) -> tuple[str, ...]:
        from unshape_expr.functions import Function

        args = [self.names[a] for a in step.args]
        match step.op:
            case Op.CONST:
                if step.slot is not None:
                    return (self._target.slot(step.slot, step.type),)
                value = step.attr if isinstance(step.attr, bool | int | float) else 0
                return (self._target.literal(value, step.type),)
            case Op.VEC:
                return tuple(a[0] for a in args)
            case Op.SPLAT:
                return args[0] * step.type.components
            case Op.COMPONENT if isinstance(step.attr, int):
                return (args[0][step.attr],)
            case Op.CALL if isinstance(step.attr, Function):
                return self._call(step, step.attr, args, indent, origin)
        if step.op in OUTSIDE_OPS:
            flat = [part for a in args for part in a]
            return self._declared(step, self._target.read(step, flat), indent, origin)
        operand = self._types[step.args[0]].scalar
        texts = [
            # The condition of a selection is one for all components.
            self._target.operation(step.op, step.type.scalar, operand, [a[k] if len(a) > 1 else a[0] for a in args])
            for k in range(step.type.components)
        ]
        return self._each_declared(step, texts, indent, origin)

    def _declared(self, step: Instruction, text: str, indent: str, origin: str) -> tuple[str, ...]:
        """Name a value that is one text, and return its components."""
        name = f"v{step.result}"
        self._add(indent, self._target.declare(step.type, name, text), origin)
        if not step.type.is_vector:
            return (name,)
        return tuple(self._target.component(step.type, name, k) for k in range(step.type.components))

    def _each_declared(self, step: Instruction, texts: Sequence[str], indent: str, origin: str) -> tuple[str, ...]:
        names = _names(step.result, step.type)
        for name, text in zip(names, texts, strict=True):
            self._add(indent, self._target.declare(step.type.scalar, name, text), origin)
        return names

    def _call(
        self, step: Instruction, function: Function, args: Sequence[tuple[str, ...]], indent: str, origin: str
    ) -> tuple[str, ...]:
        name = self._prefix + function.qualified_name
        if step.type.is_vector and function.is_componentwise:
            texts = [f"{name}({', '.join(a[k] for a in args)})" for k in range(step.type.components)]
            return self._each_declared(step, texts, indent, origin)
        flat = ", ".join(part for a in args for part in a)
        return self._declared(step, f"{name}({flat})", indent, origin)

    def _loop(self, step: Instruction, loop: Loop, indent: str, origin: str) -> None:
        count, *starts = (self.names[a] for a in step.args)
        states = [_names(number, type_) for number, type_ in zip(loop.states, loop.state_types, strict=True)]
        for number, names, start, type_ in zip(loop.states, states, starts, loop.state_types, strict=True):
            self.names[number] = names
            for name, text in zip(names, start, strict=True):
                self._add(indent, self._target.variable(type_.scalar, name, text), origin)
        index = f"v{loop.index}"
        self.names[loop.index] = (index,)
        self._add(indent, self._target.begin_loop(index, count[0], loop.max_count), origin)
        inside = indent + "    "
        self.block(loop.body, inside)
        # All carried values change at once: what a successor is computed from may be another state itself.
        pairs: list[tuple[str, str]] = []
        for names, number, type_ in zip(states, loop.next_states, loop.state_types, strict=True):
            for name, text in zip(names, self.names[number], strict=True):
                self._add(inside, self._target.declare(type_.scalar, f"{name}_next", text), origin)
                pairs.append((name, f"{name}_next"))
        for name, successor in pairs:
            self._add(inside, self._target.assign(name, successor), origin)
        self._add(indent, self._target.end(), origin)
        for number, names in zip(loop.results, states, strict=True):
            self.names[number] = names
