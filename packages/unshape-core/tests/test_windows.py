"""Windows: any part of a picture equals that part of the whole, and no more than needed is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from core_nodes import RUNS, AddPicture, Fill, Shear
from hypothesis import given, settings
from hypothesis import strategies as st

from unshape_core import (
    TEXTURE,
    DefinitionExecutor,
    EvalContext,
    Graph,
    GraphInput,
    GraphOutput,
    LazyEvaluator,
    Window,
)
from unshape_core.spec import Region

WIDTH, HEIGHT = 17, 11
PICTURE = np.random.default_rng(5).normal(size=(HEIGHT, WIDTH, 3)).astype(np.float32)

windows = st.tuples(st.integers(0, WIDTH), st.integers(0, HEIGHT), st.integers(0, WIDTH), st.integers(0, HEIGHT)).map(
    lambda w: Window(w[0], w[1], min(w[2], WIDTH - w[0]), min(w[3], HEIGHT - w[1]))
)


def _graph(nodes: Sequence[Any]) -> tuple[Graph, int]:
    graph = Graph()
    last = graph.add_node(GraphInput("picture", TEXTURE))
    for node in nodes:
        after = graph.add_node(node)
        graph.connect(last, 0, after, 0)
        last = after
    return graph, last


def _evaluate(evaluator: LazyEvaluator, graph: Graph, node: int, window: Window | None) -> Any:
    ctx = EvalContext(inputs={"picture": PICTURE}, resolution=(WIDTH, HEIGHT), window=window)
    return evaluator.evaluate(graph, [node], ctx).outputs[0][0]


CHAINS: dict[str, list[Any]] = {
    "windowed": [Shear(1), Shear(4), Shear(20)],
    "whole": [AddPicture(1.0)],
    "windowed after whole": [AddPicture(1.0), Shear(2)],
    "whole after windowed": [Shear(2), AddPicture(1.0)],
    "passed on": [Shear(2), GraphOutput("o", TEXTURE)],
    "input only": [],
}


@pytest.mark.parametrize("chain", CHAINS)
@settings(max_examples=25, deadline=None)
@given(window=windows)
def test_window_equals_that_part_of_the_whole(chain: str, window: Window) -> None:
    graph, node = _graph(CHAINS[chain])
    evaluator = LazyEvaluator()
    whole = _evaluate(evaluator, graph, node, None)
    part = _evaluate(evaluator, graph, node, window)
    expected = whole[window.slices_in(Window.whole(width_px=WIDTH, height_px=HEIGHT))]
    assert (window.height_px, window.width_px, 3) == part.shape
    assert expected.tobytes() == part.tobytes()
    assert part.flags.owndata


def test_definition_of_shear_is_right() -> None:
    graph, node = _graph([Shear(4)])
    padded = np.pad(PICTURE, ((0, 0), (0, 4), (0, 0)), mode="edge")
    assert (PICTURE + padded[:, 4:]).tobytes() == _evaluate(LazyEvaluator(), graph, node, None).tobytes()


def test_only_what_the_window_needs_is_computed() -> None:
    graph, node = _graph([Shear(1), Shear(2), Shear(3)])
    ctx = EvalContext(
        inputs={"picture": PICTURE}, resolution=(WIDTH, HEIGHT), window=Window(8, 5, 1, 1), progress=lambda _event: None
    )
    records = LazyEvaluator().evaluate(graph, [node], ctx, keeps_records=True).records
    assert [4 * 3 * width for width in (11, 7, 1)] == [record.nbytes for record in records[1:]]


def test_parts_of_one_picture_are_kept_apart_in_the_cache() -> None:
    graph, node = _graph([Shear(1)])
    evaluator = LazyEvaluator()
    parts = [_evaluate(evaluator, graph, node, Window(x, 0, 4, 4)) for x in (0, 4, 0)]
    assert parts[0] is parts[2]
    assert not np.array_equal(parts[0], parts[1])


def test_changed_reach_is_planned_anew_and_a_changed_constant_is_not() -> None:
    prepared = [0]

    class Counting(DefinitionExecutor):
        def prepare(self, snapshot: Any, outputs: Sequence[int], ctx: EvalContext) -> Any:
            prepared[0] += 1
            return super().prepare(snapshot, outputs, ctx)

    graph, node = _graph([AddPicture(1.0), Shear(2), Shear(1)])
    evaluator = LazyEvaluator(executor=Counting())
    window = Window(3, 3, 4, 4)
    for changed, made in ((AddPicture(2.0), 1), (AddPicture(3.0), 1), (Shear(6), 2), (Shear(4), 2)):
        target = 1 if isinstance(changed, AddPicture) else 3
        _evaluate(evaluator, graph, node, window)
        graph.replace_node(target, changed)
        part = _evaluate(evaluator, graph, node, window)
        assert made == prepared[0]
        whole = _evaluate(LazyEvaluator(), graph, node, None)
        assert whole[3:7, 3:7].tobytes() == part.tobytes()


class ClippingExecutor(DefinitionExecutor):
    """A wrong executor: it takes a node's reach for nothing."""

    def input_windows(self, node: Any, window: Window, _specs: Any, _ctx: EvalContext) -> Any:
        return (window,) if isinstance(node, Shear) else super().input_windows(node, window, _specs, _ctx)


def test_reach_that_is_ignored_is_found() -> None:
    graph, node = _graph([Shear(2), Shear(2)])
    evaluator = LazyEvaluator(executor=ClippingExecutor())
    whole = _evaluate(evaluator, graph, node, None)
    try:
        part = _evaluate(evaluator, graph, node, Window(3, 3, 4, 4))
    except Exception:  # reading outside is as wrong as a wrong number
        return
    assert whole[3:7, 3:7].tobytes() != part.tobytes()


def test_generators_of_a_window_are_cut_to_it() -> None:
    graph = Graph()
    fill = graph.add_node(Fill(2))
    ctx = EvalContext(resolution=(8, 4), window=Window(2, 1, 3, 2))
    evaluator = LazyEvaluator()
    assert evaluator.evaluate(graph, [fill], ctx).outputs[0][0].shape == (2, 3, 2)
    assert evaluator.evaluate(graph, [fill], replace(ctx, window=None)).outputs[0][0].shape == (4, 8, 2)
    assert RUNS["test::Fill"] == 1, "the whole was found"


def test_a_context_told_its_region_differs_in_nothing_else() -> None:
    window = Window(1, 2, 3, 4)
    region = Region(output=window, inputs=(), input_specs=(), output_specs=())
    ctx = EvalContext(time_s=1.5, frame=3, resolution=(7, 9), seed=5, inputs={"a": 1.0}, precision="fast")
    told = ctx.with_region(region)
    assert replace(ctx, region=region) == told
    assert ctx.region is None
