"""Windows: which part of each picture is computed, and that it is the part of the whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_backend.config import Settings
from unshape_backend.executor import backend_evaluator
from unshape_backend.registry import BackendRegistry
from unshape_core.context import ContextField, EvalContext
from unshape_core.errors import InvalidArgumentError, NodeError
from unshape_core.port import Port
from unshape_core.program import StepKind
from unshape_core.protocols import Node
from unshape_core.spec import ValueSpec
from unshape_core.value_type import TEXTURE
from unshape_core.window import Window
from unshape_core.workload import OpClass
from unshape_expr import build as expression
from unshape_expr.body import BodyInputs, infer_body
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import GraphBuilder, arrays_of, clusters_of, plan_graph
from unshape_testing.nodes import BoxMean, Flip, Gain, Merge, Ramp, Wobble

SIZE = EvalContext(resolution=(24, 16))
PART = replace(SIZE, window=Window(5, 3, 9, 6))


@dataclass(frozen=True, slots=True)
class Shift:
    """Read the picture some pixels to the right, or further the later it is."""

    type_name: ClassVar[str] = "testing::Shift"
    op_class: ClassVar[OpClass] = OpClass.MEMORY
    context_fields: ClassVar[frozenset[ContextField]] = frozenset({ContextField.FRAME})
    inputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("picture", TEXTURE),)

    by_px: int = 2
    follows_frame: bool = False

    def infer(self, input_specs: Sequence[ValueSpec], ctx: EvalContext) -> tuple[ValueSpec, ...]:
        return infer_body(self, input_specs, ctx)

    def body(self, inputs: BodyInputs) -> Sequence[Expr]:
        type_ = inputs.texture_type("picture")
        column = expression.pixel_x() + expression.literal(self.by_px, Type.I32)
        if self.follows_frame:
            column += expression.frame()
        return (expression.fetch("picture", column, expression.pixel_y(), type=type_),)


def region_of(build: GraphBuilder, node: int, output: int, ctx: EvalContext, registry: BackendRegistry) -> Window:
    return plan_graph(build.graph, [output], ctx, registry).facts.regions[node].region.output


def test_a_blur_asks_for_its_reach_around_the_window(build: GraphBuilder, registry: BackendRegistry) -> None:
    ramp = build.add(Ramp())
    blurred = build.add(BoxMean(2), ramp)
    assert Window(5 - 2, 3 - 2, 9 + 4, 6 + 4) == region_of(build, ramp, blurred, PART, registry)


def test_demand_is_cut_off_at_the_edge_of_the_picture(build: GraphBuilder, registry: BackendRegistry) -> None:
    ramp = build.add(Ramp())
    blurred = build.add(BoxMean(50), ramp)
    assert Window(0, 0, 24, 16) == region_of(build, ramp, blurred, PART, registry)


def test_a_node_computes_what_all_its_consumers_need(build: GraphBuilder, registry: BackendRegistry) -> None:
    ramp = build.add(Ramp())
    end = build.add(Merge(), build.add(BoxMean(1), ramp), build.add(Shift(4), ramp))
    assert Window(4, 2, 5 + 9 + 4 - 4, 6 + 2) == region_of(build, ramp, end, PART, registry)


def test_an_expression_that_reads_elsewhere_asks_for_what_it_reads(
    build: GraphBuilder, registry: BackendRegistry
) -> None:
    ramp = build.add(Ramp())
    shifted = build.add(Shift(3), ramp)
    assert Window(8, 3, 9, 6) == region_of(build, ramp, shifted, PART, registry)


def test_an_expression_that_moves_with_time_asks_for_everything(build: GraphBuilder, registry: BackendRegistry) -> None:
    """The plan is used for every frame, so it must not depend on one."""
    ramp = build.add(Ramp())
    shifted = build.add(Shift(3, follows_frame=True), ramp)
    assert Window(0, 3, 24, 6) == region_of(build, ramp, shifted, PART, registry)
    whole = [arrays_of(build.graph, [shifted], replace(SIZE, frame=f), registry)[0] for f in (0, 5)]
    for frame, picture in zip((0, 5), whole, strict=True):
        (part,) = arrays_of(build.graph, [shifted], replace(PART, frame=frame), registry)
        assert np.array_equal(picture[3:9, 5:14], part)


def test_a_node_that_knows_nothing_of_windows_computes_everything(
    build: GraphBuilder, registry: BackendRegistry
) -> None:
    ramp = build.add(Ramp())
    flipped = build.add(Flip(), ramp)
    assert Window(0, 0, 24, 16) == region_of(build, ramp, flipped, PART, registry)
    whole, part = (arrays_of(build.graph, [flipped], each, registry)[0] for each in (SIZE, PART))
    assert np.array_equal(whole[3:9, 5:14], part)


def test_a_result_that_others_need_more_of_is_cut_to_the_window(build: GraphBuilder, registry: BackendRegistry) -> None:
    ramp = build.add(Ramp())
    blurred = build.add(BoxMean(2), ramp)
    plan = plan_graph(build.graph, [blurred, ramp], PART, registry)
    assert [False, False, True] == [step.is_excerpt for step in plan.tasks]
    whole = arrays_of(build.graph, [blurred, ramp], SIZE, registry)
    parts = arrays_of(build.graph, [blurred, ramp], PART, registry)
    for picture, part in zip(whole, parts, strict=True):
        assert np.array_equal(picture[3:9, 5:14], part)
        assert part.base is None or part.base.nbytes == part.nbytes


def test_a_given_picture_that_is_asked_for_is_cut(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    (part,) = arrays_of(build.graph, [build.photo()], replace(ctx, window=PART.window), registry)
    assert np.array_equal(photo[3:9, 5:14], part)


def test_a_cut_result_on_a_device_is_the_part_of_the_whole(build: GraphBuilder, registry: BackendRegistry) -> None:
    registry.register(FakeBackend("gpu", cost=1))
    ramp = build.add(Ramp())
    blurred = build.add(BoxMean(2), ramp)
    policy = "prefer:gpu"
    whole = arrays_of(build.graph, [ramp, blurred], SIZE, registry, policy=policy)
    parts = arrays_of(build.graph, [ramp, blurred], PART, registry, policy=policy)
    for picture, part in zip(whole, parts, strict=True):
        assert np.array_equal(picture[3:9, 5:14], part)


def test_nodes_with_different_windows_are_not_fused(build: GraphBuilder, registry: BackendRegistry) -> None:
    a = build.add(Gain(), build.add(Ramp()))
    b = build.add(Gain(2.0), a)
    blurred = build.add(BoxMean(2), a)
    end = build.add(Merge(), b, blurred)
    clusters = clusters_of(plan_graph(build.graph, [end], PART, registry))
    assert not any({a, b} <= set(cluster) for cluster in clusters)


def test_a_window_outside_of_the_resolution_is_refused(build: GraphBuilder, registry: BackendRegistry) -> None:
    ramp = build.add(Ramp())
    ctx = replace(SIZE, window=Window(20, 0, 5, 5))
    with pytest.raises(InvalidArgumentError, match=r"part of the resolution, 24 x 16 px"):
        plan_graph(build.graph, [ramp], ctx, registry)


def test_a_window_of_a_picture_of_another_size_is_refused_with_the_size_to_set(
    build: GraphBuilder, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    end = build.add(Gain(), build.photo())
    ctx = EvalContext(resolution=(100, 100), window=Window(0, 0, 10, 10), inputs={"photo": photo})
    with pytest.raises(InvalidArgumentError, match=r"set resolution=\(24, 16\)") as caught:
        plan_graph(build.graph, [end], ctx, registry)
    assert end == caught.value.node_id


def test_one_node_object_at_two_places_has_the_windows_of_both(build: GraphBuilder, registry: BackendRegistry) -> None:
    shift = Shift(2)
    ramp = build.add(Ramp())
    first = build.add(shift, ramp)
    second = build.add(shift, first)
    assert Window(9, 3, 9, 6) == region_of(build, ramp, second, PART, registry)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_any_window_of_any_small_graph_is_that_part_of_the_whole(data: st.DataObject) -> None:
    registry = BackendRegistry.with_cpu(settings=Settings())
    build = GraphBuilder()
    ids = [build.add(Ramp())]
    makers: list[Callable[[], Node]] = [
        lambda: BoxMean(2),
        lambda: Gain(1.5),
        lambda: Shift(-3),
        Flip,
        lambda: Wobble(0.2),
        Merge,
    ]
    for _ in range(data.draw(st.integers(1, 6))):
        node = data.draw(st.sampled_from(makers))()
        pictures = [port for port in node.inputs if port.value_type == TEXTURE]
        ids.append(build.add(node, *[data.draw(st.sampled_from(ids)) for _ in pictures]))
    x, y = data.draw(st.integers(0, 23)), data.draw(st.integers(0, 15))
    window = Window(x, y, data.draw(st.integers(1, 24 - x)), data.draw(st.integers(1, 16 - y)))
    outputs = list(dict.fromkeys((ids[-1], data.draw(st.sampled_from(ids)))))
    whole = arrays_of(build.graph, outputs, SIZE, registry)
    parts = arrays_of(build.graph, outputs, replace(SIZE, window=window), registry)
    for picture, part in zip(whole, parts, strict=True):
        assert np.array_equal(picture[window.y_px : window.bottom_px, window.x_px : window.right_px], part)


def test_a_node_that_understates_its_reach_is_noticed(build: GraphBuilder, registry: BackendRegistry) -> None:
    """Sabotage twin: a node that reads more than it says finds that it is not there."""

    @dataclass(frozen=True, slots=True)
    class Understated(BoxMean):
        def input_windows(
            self, window: Window, _input_specs: Sequence[ValueSpec], _ctx: EvalContext
        ) -> tuple[Window | None, ...]:
            return (window,)

    end = build.add(Understated(1), build.add(Ramp()))
    assert arrays_of(build.graph, [end], SIZE, registry)[0].shape == (16, 24, 3)
    with pytest.raises(NodeError):
        arrays_of(build.graph, [end], PART, registry)


def test_records_call_a_cut_a_cut(build: GraphBuilder, registry: BackendRegistry) -> None:
    ramp = build.add(Ramp())
    blurred = build.add(BoxMean(2), ramp)
    result = backend_evaluator(registry=registry).evaluate(build.graph, (blurred, ramp), PART, keeps_records=True)
    assert [StepKind.NODE, StepKind.NODE, StepKind.CUT] == [record.kind for record in result.records]
