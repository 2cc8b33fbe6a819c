"""Nodes whose sizes depend on data: placed where sizes do not matter, and made ready when they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.errors import SelectionError
from unshape_backend.executor import backend_evaluator
from unshape_backend.registry import BackendRegistry
from unshape_backend.task import RejectionCode
from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.port import Port
from unshape_core.spec import ValueSpec
from unshape_core.value import Value
from unshape_core.value_type import TEXTURE
from unshape_core.workload import OpClass
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import GraphBuilder, plan_graph
from unshape_testing.nodes import BoxMean, Gain, Merge


@dataclass(frozen=True, slots=True)
class CropToBright:
    """Keep the rows that hold anything brighter than a half: how many is known when they have been seen."""

    type_name: ClassVar[str] = "testing::CropToBright"
    op_class: ClassVar[OpClass] = OpClass.OTHER
    context_fields: ClassVar[frozenset[ContextField]] = frozenset()
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    def infer(self, input_specs: Sequence[ValueSpec], _ctx: EvalContext, /) -> tuple[ValueSpec, ...]:
        return (ValueSpec(TEXTURE),)

    def execute(self, inputs: Sequence[Value], _ctx: EvalContext, /) -> tuple[Value, ...]:
        picture = np.asarray(inputs[0])
        return (picture[(picture > 0.5).any(axis=(1, 2))],)


@pytest.fixture
def photo() -> npt.NDArray[Any]:
    """A picture whose upper half is dark."""
    picture = np.full((8, 6, 3), 0.25, np.float32)
    picture[4:] = 0.75
    return picture


def test_nodes_behind_it_are_computed_with_the_size_that_it_turns_out_to_be(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    cropped = build.add(CropToBright(), build.photo())
    a = build.add(Gain(2.0), cropped)
    blurred = build.add(BoxMean(1), a)
    end = build.add(Merge(), a, blurred)
    (result,) = backend_evaluator(registry=registry).evaluate(build.graph, (end,), ctx).outputs[0]
    assert np.array_equal(np.full((4, 6, 3), 1.5, np.float32), result)


def test_another_picture_gives_another_size(build: GraphBuilder, registry: BackendRegistry) -> None:
    end = build.add(Gain(2.0), build.add(CropToBright(), build.photo()))
    evaluator = backend_evaluator(registry=registry)
    for bright in (1, 5):
        picture = np.zeros((8, 6, 3), np.float32)
        picture[:bright] = 0.75
        ctx = EvalContext(resolution=(6, 8), inputs={"photo": picture})
        (result,) = evaluator.evaluate(build.graph, (end,), ctx).outputs[0]
        assert np.asarray(result).shape == (bright, 6, 3)


def test_it_is_placed_on_the_reference_and_says_why(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    registry.register(FakeBackend("gpu", cost=1))
    end = build.add(Gain(2.0), build.add(CropToBright(), build.photo()))
    plan = plan_graph(build.graph, [end], ctx, registry, policy="prefer:gpu")
    decision = plan.decision_of(end)
    assert decision is not None
    assert decision.pick == "cpu"
    assert decision.rejected["gpu"].code is RejectionCode.SIZE
    assert plan.cost is None


def test_a_named_backend_that_needs_sizes_is_an_error(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    registry.register(FakeBackend("gpu", cost=1))
    end = build.add(CropToBright(), build.photo())
    with pytest.raises(SelectionError, match="depends on data"):
        plan_graph(build.graph, [end], ctx, registry, policy="named:gpu")


def test_sizes_that_do_not_fit_are_told_with_the_node_when_they_are_known(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    photo = build.photo()
    end = build.add(Merge(), build.add(CropToBright(), photo), photo)
    with pytest.raises(InvalidArgumentError, match="Resize") as caught:
        backend_evaluator(registry=registry).evaluate(build.graph, (end,), ctx)
    assert end == caught.value.node_id
