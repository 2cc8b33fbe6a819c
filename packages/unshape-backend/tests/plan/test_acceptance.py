"""When a plan is used again, and when it is made anew."""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from unshape_backend.cost import Cost
from unshape_backend.executor import backend_evaluator
from unshape_backend.identity import BackendId
from unshape_backend.nodes import Add, Clamp, Compare, Comparison, Floor, Select
from unshape_backend.plan import tasks
from unshape_backend.plan.expression_form import has_same_form
from unshape_backend.registry import BackendRegistry
from unshape_backend.task import Rejection, RejectionCode, Task
from unshape_core.context import EvalContext
from unshape_core.evaluator import LazyEvaluator
from unshape_core.nodes import Constant, GraphInput
from unshape_core.program import Explanation
from unshape_core.protocols import Node
from unshape_core.value_type import F32
from unshape_core.window import Window
from unshape_expr import build as expression
from unshape_expr.body import BodyInputs
from unshape_expr.ir import Expr
from unshape_expr.kernel import Lowering
from unshape_expr.lower import lower
from unshape_testing.fake import FakeBackend
from unshape_testing.graph_builder import GraphBuilder
from unshape_testing.nodes import BoxMean, Gain, Wobble


def plan_after(evaluator: LazyEvaluator, build: GraphBuilder, end: int, ctx: EvalContext) -> Explanation | None:
    return evaluator.evaluate(build.graph, (end,), ctx).plan


def test_moving_a_slider_keeps_the_plan_and_changes_the_picture(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    a, end = build.chain(build.photo(), [Gain(2.0), Gain(0.5)])
    evaluator = backend_evaluator(registry=registry)
    before = plan_after(evaluator, build, end, ctx)
    build.graph.replace_node(a, Gain(3.0))
    result = evaluator.evaluate(build.graph, (end,), ctx)
    assert before is result.plan
    assert np.array_equal(photo * np.float32(3.0) * np.float32(0.5), result.outputs[0][0])


@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        (Gain(2.0), Gain(5.0), True),
        (Gain(0.0), Gain(-0.0), True),
        (Wobble(0.1), Wobble(0.2), True),
        (BoxMean(1), BoxMean(1), True),
    ],
)
def test_parameters_that_change_no_size_no_reach_and_no_form_keep_the_plan(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, before: Node, after: Node, *, is_kept: bool
) -> None:
    end = build.add(before, build.photo())
    evaluator = backend_evaluator(registry=registry)
    plan = plan_after(evaluator, build, end, ctx)
    build.graph.replace_node(end, after)
    assert is_kept == (plan is plan_after(evaluator, build, end, ctx))


def test_another_form_of_the_expression_is_planned_anew(build: GraphBuilder, registry: BackendRegistry) -> None:
    x = build.graph.add_node(GraphInput("x", F32, 1.0))
    end = build.add(Compare(Comparison.LESS), x)
    evaluator = backend_evaluator(registry=registry)
    assert evaluator.evaluate(build.graph, (end,), EvalContext()).outputs == ((False,),)
    build.graph.replace_node(end, Compare(Comparison.GREATER))
    assert evaluator.evaluate(build.graph, (end,), EvalContext()).outputs == ((True,),)


def test_a_reach_that_grows_is_planned_anew(build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry) -> None:
    a = build.add(Gain(2.0), build.photo())
    end = build.add(BoxMean(1), a)
    part = replace(ctx, window=Window(8, 6, 4, 4))
    evaluator = backend_evaluator(registry=registry)
    plan_after(evaluator, build, end, part)
    build.graph.replace_node(end, BoxMean(3))
    whole = backend_evaluator(registry=registry).evaluate(build.graph, (end,), ctx).outputs[0][0]
    result = evaluator.evaluate(build.graph, (end,), part).outputs[0][0]
    assert np.array_equal(np.asarray(whole)[6:10, 8:12], result)


def test_a_parameter_that_makes_a_node_dearer_is_planned_anew(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    """The plan is a function of the graph: it must not depend on which parameters came before."""

    def cost(task: Task) -> Cost:
        node = task.node
        return Cost(compute_ns=10**9 if isinstance(node, BoxMean) and node.radius > 4 else 1)

    registry.register(FakeBackend("gpu", cost=cost, link_ns=10))
    end = build.add(BoxMean(2), build.photo())
    evaluator = backend_evaluator(registry=registry)
    plan = plan_after(evaluator, build, end, ctx)
    build.graph.replace_node(end, BoxMean(3))
    assert plan is plan_after(evaluator, build, end, ctx)
    build.graph.replace_node(end, BoxMean(5))
    assert plan is not plan_after(evaluator, build, end, ctx)


def test_a_parameter_that_a_backend_does_not_support_is_planned_anew(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    def supports(task: Task) -> Rejection | None:
        node = task.node
        too_far = isinstance(node, BoxMean) and node.radius > 4
        return Rejection(RejectionCode.LIMIT, "radius over 4") if too_far else None

    gpu = FakeBackend("gpu", cost=1, supports=supports)
    registry.register(gpu)
    end = build.add(BoxMean(2), build.photo())
    evaluator = backend_evaluator("prefer:gpu", registry=registry)
    plan_after(evaluator, build, end, ctx)
    build.graph.replace_node(end, BoxMean(5))
    result = evaluator.evaluate(build.graph, (end,), ctx, keeps_records=True)
    assert ["cpu"] == [record.backend for record in result.records if record.node_ids == (end,)]
    assert gpu.subjects("run") == ["testing::BoxMean"]


def test_a_backend_that_comes_or_goes_makes_a_new_plan(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry
) -> None:
    end = build.add(Gain(2.0), build.photo())
    evaluator = backend_evaluator("prefer:gpu", registry=registry)

    def backend() -> str:
        return next(r.backend for r in evaluator.evaluate(build.graph, (end,), ctx, keeps_records=True).records[::-1])

    assert backend() == "cpu"
    registry.register(FakeBackend("gpu", cost=1))
    build.graph.replace_node(end, Gain(2.5))
    assert backend() == "gpu"
    registry.set_available(BackendId("gpu"), is_available=False)
    build.graph.replace_node(end, Gain(3.5))
    assert backend() == "cpu"


def test_another_size_of_an_input_makes_a_new_plan(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    end = build.add(Gain(2.0), build.photo())
    evaluator = backend_evaluator(registry=registry)
    evaluator.evaluate(build.graph, (end,), ctx)
    half = photo[::2, ::3]
    result = evaluator.evaluate(build.graph, (end,), replace(ctx, inputs={"photo": half})).outputs[0][0]
    assert np.array_equal(half * np.float32(2.0), result)


def test_a_changed_constant_keeps_the_plan_of_numbers(build: GraphBuilder, registry: BackendRegistry) -> None:
    constant = build.graph.add_node(Constant(2.0))
    end = build.add(Add(), constant, build.graph.add_node(Constant(3.0)))
    evaluator = backend_evaluator(registry=registry)
    before = evaluator.evaluate(build.graph, (end,), EvalContext())
    build.graph.replace_node(constant, Constant(20.0))
    after = evaluator.evaluate(build.graph, (end,), EvalContext())
    assert before.plan is after.plan
    assert (before.outputs, after.outputs) == (((5.0,),), ((23.0,),))


def test_expressions_of_one_form_differ_in_literals_only() -> None:
    x = expression.input_scalar("x", expression.literal(1.0).type)
    one, other = (x * expression.literal(v) + expression.literal(v + 1) for v in (1.0, 5.0))
    assert has_same_form([one], [other])
    assert not has_same_form([one], [x * expression.literal(1.0)])
    assert not has_same_form([one], [x + expression.literal(1.0) * expression.literal(2.0)])


def test_sharing_is_part_of_the_form() -> None:
    """Two uses of one literal are one slot; two literals of one value are two."""
    shared = expression.literal(2.0)
    x = expression.input_scalar("x", shared.type)
    assert not has_same_form([x * shared + shared], [x * expression.literal(2.0) + expression.literal(2.0)])


def test_loops_of_one_form_have_equal_bounds_and_equal_bodies() -> None:
    def doubled(factor: float, max_count: int, extra: float | None = None) -> Expr:
        def step(_index: Expr, value: Expr) -> Expr:
            return value * factor if extra is None else value * factor + extra

        (result,) = expression.loop(3, [1.0], step, max_count=max_count)
        return result

    assert has_same_form([doubled(2.0, 5)], [doubled(4.0, 5)])
    assert not has_same_form([doubled(2.0, 5)], [doubled(2.0, 6)])
    assert not has_same_form([doubled(2.0, 5)], [doubled(2.0, 5, 1.0)])


def test_a_slider_builds_no_expression_once_it_is_known(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    built: list[float] = []

    class Counting(Gain):
        def body(self, inputs: BodyInputs) -> Sequence[Expr]:
            built.append(self.gain)
            return super().body(inputs)

    end = build.add(Counting(2.0), build.photo())
    evaluator = backend_evaluator(registry=registry)
    before = plan_after(evaluator, build, end, ctx)
    assert built == [2.0]
    build.graph.replace_node(end, Counting(3.0))
    assert before is plan_after(evaluator, build, end, ctx)
    assert built == [2.0, 3.0, 3.0]  # once to compare it with the plan, once to learn where its literals come from
    for gain in (4.0, 5.0, 6.0):
        build.graph.replace_node(end, Counting(gain))
        result = evaluator.evaluate(build.graph, (end,), ctx)
        assert before is result.plan
        assert np.array_equal(photo * np.float32(gain), result.outputs[0][0])
    assert built == [2.0, 3.0, 3.0]


def test_a_slider_whose_literals_cannot_be_read_builds_its_expression(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    """The twin: the count notices a body that is built."""
    built: list[float] = []

    class Opaque(Gain):
        def body(self, inputs: BodyInputs) -> Sequence[Expr]:
            built.append(float(self.gain))
            return (inputs["picture"] * expression.literal(math.sqrt(self.gain)),)

    end = build.add(Opaque(4.0), build.photo())
    evaluator = backend_evaluator(registry=registry)
    before = plan_after(evaluator, build, end, ctx)
    for gain in (9.0, 16.0, 25.0):
        build.graph.replace_node(end, Opaque(gain))
        result = evaluator.evaluate(build.graph, (end,), ctx)
        assert before is result.plan
        assert np.array_equal(photo * np.float32(math.sqrt(gain)), result.outputs[0][0])
    assert {4.0, 9.0, 16.0, 25.0} == set(built)


def test_a_slider_lowers_nothing(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    lowered: list[int] = []

    def counting(outputs: Sequence[Expr]) -> Lowering:
        lowered.append(len(outputs))
        return lower(outputs)

    monkeypatch.setattr(tasks, "lower", counting)
    a, end = build.chain(build.photo(), [Gain(2.0), Gain(0.5)])
    evaluator = backend_evaluator(registry=registry)
    plan_after(evaluator, build, end, ctx)
    assert lowered
    lowered.clear()
    for gain in (3.0, 4.0, 5.0):
        build.graph.replace_node(a, Gain(gain))
        plan_after(evaluator, build, end, ctx)
    assert not lowered
    build.graph.replace_node(a, Wobble(0.1))
    plan_after(evaluator, build, end, ctx)
    assert lowered


def test_two_nodes_of_the_graph_that_are_one_object_can_be_changed_apart(
    build: GraphBuilder, ctx: EvalContext, registry: BackendRegistry, photo: npt.NDArray[Any]
) -> None:
    """Literals are slots by identity, so the two need a body each."""
    gain = Gain(2.0)
    first, end = build.chain(build.photo(), [gain, gain])
    evaluator = backend_evaluator(registry=registry)
    before = plan_after(evaluator, build, end, ctx)
    build.graph.replace_node(first, Gain(3.0))
    result = evaluator.evaluate(build.graph, (end,), ctx)
    assert before is result.plan
    assert np.array_equal(photo * np.float32(3.0) * np.float32(2.0), result.outputs[0][0])


@pytest.mark.parametrize("node", [Add(), Clamp(), Select(), Floor()])
def test_a_node_of_numbers_has_the_form_of_its_equal(node: Node) -> None:
    from unshape_backend.plan.bodies import body_of
    from unshape_core.spec import ValueSpec

    specs = tuple(ValueSpec(port.value_type) for port in node.inputs)
    first, second = body_of(node, specs), body_of(node, specs)
    assert first is not None
    assert second is not None
    assert has_same_form(first.outputs, second.outputs)


def test_a_plan_that_is_kept_does_not_keep_the_callers_arrays(build: GraphBuilder, registry: BackendRegistry) -> None:
    end = build.add(Gain(2.0), build.photo())
    evaluator = backend_evaluator(registry=registry)
    array = np.ones((16, 24, 3), np.float32)
    before = sys.getrefcount(array)
    evaluator.evaluate(build.graph, (end,), EvalContext(resolution=(24, 16), inputs={"photo": array}))
    gc.collect()
    assert sys.getrefcount(array) == before
