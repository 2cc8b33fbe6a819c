"""Small nodes whose runs are counted, and graphs of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unshape_core import (
    BOOL,
    F32,
    F64,
    I32,
    TEXTURE,
    VEC2,
    ContextField,
    EvalContext,
    Graph,
    OpClass,
    Port,
    Value,
    ValueSpec,
    ValueType,
    Vec2,
    Window,
)

RUNS: Counter[str] = Counter()
"""How often each node type ran; emptied before every test."""

NO_FIELDS: frozenset[ContextField] = frozenset()


@dataclass(frozen=True, slots=True)
class Add:
    """``a + b + k`` in one rounding of each output."""

    type_name: ClassVar[str] = "test::Add"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS
    inputs: ClassVar[tuple[Port, ...]] = (Port("a", F32, 0.0), Port("b", F32, 0.0))
    outputs: ClassVar[tuple[Port, ...]] = (Port("value", F32),)

    k: float = 0.0

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (ValueSpec(F32),)

    def execute(self, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
        RUNS[self.type_name] += 1
        return (inputs[0] + inputs[1] + self.k,)


@dataclass(frozen=True, slots=True)
class AddFunction:
    """``a + k``, offered as a function."""

    type_name: ClassVar[str] = "test::AddFunction"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS
    inputs: ClassVar[tuple[Port, ...]] = (Port("a", F32, 0.0),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("value", F32),)

    k: float = 1.0

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (ValueSpec(F32),)

    def execute(self, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
        return (self.scalar_function(inputs[0]),)

    def scalar_function(self, a: Any) -> Any:
        return a + self.k


@dataclass(frozen=True, slots=True)
class Mixed:
    """All scalar types at once, with several outputs."""

    type_name: ClassVar[str] = "test::Mixed"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS
    inputs: ClassVar[tuple[Port, ...]] = (Port("f", F32, 0.0), Port("i", I32, 0), Port("v", VEC2, Vec2(0, 0)))
    outputs: ClassVar[tuple[Port, ...]] = (
        Port("sum", F32),
        Port("double", F64),
        Port("count", I32),
        Port("is_positive", BOOL),
        Port("vector", VEC2),
    )

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return tuple(ValueSpec(port.value_type) for port in self.outputs)

    def execute(self, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Any, ...]:
        f, i, v = inputs
        return (f + 0.1, f + 0.1, np.int64(i + 1), np.bool_(f > 0), Vec2(v.y, v.x))


@dataclass(frozen=True, slots=True)
class AddPicture:
    """A picture plus ``k``."""

    type_name: ClassVar[str] = "test::AddPicture"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)

    k: float = 1.0

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
        RUNS[self.type_name] += 1
        return (inputs[0] + np.float32(self.k),)


@dataclass(frozen=True, slots=True)
class Sum:
    """Two pictures added, which is how diamonds are made."""

    type_name: ClassVar[str] = "test::Sum"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS
    inputs: ClassVar[tuple[Port, ...]] = (Port("a", TEXTURE), Port("b", TEXTURE))
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
        RUNS[self.type_name] += 1
        return (inputs[0] + inputs[1],)


@dataclass(frozen=True, slots=True)
class Fill:
    """A picture of the context's resolution, every pixel ``value``."""

    type_name: ClassVar[str] = "test::Fill"
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset({ContextField.RESOLUTION})
    inputs: ClassVar[tuple[Port, ...]] = (Port("value", F32, 0.5),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)

    channels: int = 1

    def infer(self, _input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (ValueSpec(TEXTURE, (*ctx.resolution[::-1], self.channels)),)

    def execute(self, inputs: Sequence[Any], ctx: EvalContext) -> tuple[Value, ...]:
        RUNS[self.type_name] += 1
        return (np.full((*ctx.resolution[::-1], self.channels), inputs[0], np.float32),)


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a picture: a scalar that depends on an array."""

    type_name: ClassVar[str] = "test::Mean"
    op_class: ClassVar[OpClass] = OpClass.REDUCTION
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("value", F32),)

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (ValueSpec(F32),)

    def execute(self, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
        RUNS[self.type_name] += 1
        return (float(np.mean(inputs[0], dtype=np.float64)),)


@dataclass(frozen=True, slots=True)
class Clock:
    """Whatever the context fields named in ``fields`` say, as a number."""

    type_name: ClassVar[str] = "test::Clock"
    op_class: ClassVar[OpClass] = OpClass.OTHER
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = (Port("value", F32),)

    field: ContextField

    @property
    def context_fields(self) -> frozenset[ContextField]:
        return frozenset({self.field})

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (ValueSpec(F32),)

    def execute(self, _inputs: Sequence[Any], ctx: EvalContext) -> tuple[Value, ...]:
        RUNS[self.type_name] += 1
        value = getattr(ctx, self.field.value)
        return (float(value[0] if isinstance(value, tuple) else value),)


@dataclass(frozen=True, slots=True)
class Raise:
    """Raises what ``make`` makes."""

    type_name: ClassVar[str] = "test::Raise"
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS

    make: Callable[[], BaseException]
    value_type: ValueType = F32

    @property
    def inputs(self) -> tuple[Port, ...]:
        return (Port("value", self.value_type, None if self.value_type == TEXTURE else 0.0),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        return (Port("value", self.value_type),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (input_specs[0],)

    def execute(self, _inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
        raise self.make()


@dataclass(frozen=True, slots=True)
class Call:
    """Calls ``function`` with its inputs and the context and gives out what that returns."""

    type_name: ClassVar[str] = "test::Call"
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS

    call: Callable[..., Any]
    value_type: ValueType = F32

    @property
    def inputs(self) -> tuple[Port, ...]:
        return (Port("value", self.value_type, None if self.value_type == TEXTURE else 0.0),)

    @property
    def outputs(self) -> tuple[Port, ...]:
        return (Port("value", self.value_type),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (input_specs[0],)

    def execute(self, inputs: Sequence[Any], ctx: EvalContext) -> tuple[Value, ...]:
        RUNS[self.type_name] += 1
        return (self.call(inputs[0], ctx),)


@dataclass(frozen=True, slots=True)
class Nap:
    """Sleeps, then passes its input on."""

    type_name: ClassVar[str] = "test::Nap"
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS
    inputs: ClassVar[tuple[Port, ...]] = (Port("value", F32, 0.0),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("value", F32),)

    seconds: float = 0.01

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (ValueSpec(F32),)

    def execute(self, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Value, ...]:
        time.sleep(self.seconds)
        RUNS[self.type_name] += 1
        return (inputs[0],)


@dataclass(frozen=True, slots=True)
class Shear:
    """``out[y, x] = in[y, x] + in[y, x + reach]`` with edge pixels repeated: a node that knows its windows."""

    type_name: ClassVar[str] = "test::Shear"
    op_class: ClassVar[OpClass] = OpClass.CONVOLUTION
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)

    reach: int = 2

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return (input_specs[0],)

    def input_windows(
        self, window: Window, _input_specs: Sequence[ValueSpec], _ctx: EvalContext
    ) -> tuple[Window | None, ...]:
        return (window.expand(x_px=self.reach, y_px=0),)

    def execute(self, inputs: Sequence[Any], ctx: EvalContext) -> tuple[Value, ...]:
        RUNS[self.type_name] += 1
        assert ctx.region is not None
        output, held = ctx.region.output, ctx.region.inputs[0]
        size = ctx.region.input_specs[0].picture_px
        assert held is not None
        assert size is not None
        rows = slice(output.y_px - held.y_px, output.bottom_px - held.y_px)
        here = np.arange(output.x_px, output.right_px)
        there = np.minimum(here + self.reach, size[0] - 1)
        return (inputs[0][rows, here - held.x_px] + inputs[0][rows, there - held.x_px],)


def chain(graph: Graph, node: Callable[[int], Any], length: int, *, start: int | None = None) -> int:
    """Add nodes one after another and return the last one."""
    last = start
    for index in range(length):
        node_id = graph.add_node(node(index))
        if last is not None:
            graph.connect(last, 0, node_id, 0)
        last = node_id
    assert last is not None
    return last
