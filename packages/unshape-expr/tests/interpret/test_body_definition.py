"""Nodes with a body, run by the interpreter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import pytest

from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.executor import DefinitionExecutor
from unshape_core.graph import Graph
from unshape_core.nodes import Constant
from unshape_core.port import Port
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_core.value_type import F32, TEXTURE
from unshape_core.window import Window
from unshape_core.workload import OpClass
from unshape_expr import build as b
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.body_definition import BodyDefinition, run_body
from unshape_expr.ir import Expr


@dataclass(frozen=True, slots=True)
class Brighten:
    """A picture times a gain, and the gain squared as a number."""

    gain: float = 2.0
    type_name: ClassVar[str] = "test::Brighten"
    inputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE), Port("more", F32, 1.0))
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE), Port("square", F32))
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        gain = b.literal(self.gain)
        return [inputs["image"] * gain * inputs["more"], gain * gain]


@dataclass(frozen=True, slots=True)
class Ramp:
    """The horizontal position, as a picture."""

    scale: float = 1.0
    type_name: ClassVar[str] = "test::Ramp"
    inputs: ClassVar[tuple[Port, ...]] = ()
    outputs: ClassVar[tuple[Port, ...]] = (Port("image", TEXTURE),)
    op_class: ClassVar[OpClass] = OpClass.GENERATE
    context_fields: ClassVar[frozenset[ContextField]] = frozenset({ContextField.RESOLUTION})

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        return [b.u() * b.literal(self.scale)]


if TYPE_CHECKING:
    _brighten: type[Node] = Brighten
    _ramp: type[Node] = Ramp


def test_pictures_and_numbers_come_back_in_port_order() -> None:
    image = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    picture, square = run_body(Brighten(3.0), [image, 0.5])
    assert isinstance(picture, np.ndarray)
    assert np.array_equal(image * 1.5, picture)
    assert square == 9.0


def test_a_generator_takes_resolution_and_window_from_the_context() -> None:
    (whole,) = run_body(Ramp(), [], EvalContext(resolution=(8, 3)))
    (part,) = run_body(Ramp(), [], EvalContext(resolution=(8, 3), window=Window(2, 1, 4, 2)))
    assert isinstance(whole, np.ndarray)
    assert isinstance(part, np.ndarray)
    assert [(k + 0.5) / 8 for k in range(8)] == whole[0, :, 0].tolist()
    assert np.array_equal(whole[1:, 2:6], part)


def test_an_executor_runs_bodies_of_a_graph() -> None:
    graph = Graph()
    ramp = graph.add_node(Ramp(4.0))
    bright = graph.add_node(Brighten(2.0))
    more = graph.add_node(Constant(0.25))
    graph.connect(ramp, 0, bright, "image")
    graph.connect(more, 0, bright, "more")
    executor = DefinitionExecutor(definitions=[BodyDefinition()])
    ctx = EvalContext(resolution=(4, 1))
    program = executor.prepare(graph.snapshot(), [bright], ctx)
    slots = dict(program.constants)
    for step in program.steps:
        nodes = tuple(graph.snapshot().nodes[node_id] for node_id in step.node_ids)
        results = step.run(nodes, [slots[s] for s in step.input_slots], ctx)
        slots.update(zip(step.output_slots, results, strict=True))
    picture, square = (slots[s] for s in program.outputs[bright])
    assert isinstance(picture, np.ndarray)
    assert picture[0, :, 0].tolist() == [0.25, 0.75, 1.25, 1.75]
    assert square == 4.0


def test_a_node_without_a_body_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="expected a node with a body"):
        run_body(Constant(1.0), [])
