"""What goes in and comes out: never a stale input, never a caller's memory, values of the types of the ports."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from core_nodes import Add, AddFunction, AddPicture, Fill, Mean, Mixed

from unshape_core import (
    F32,
    TEXTURE,
    Constant,
    EvalContext,
    Graph,
    GraphInput,
    GraphOutput,
    InvalidArgumentError,
    LazyEvaluator,
    MissingInputError,
    PortTypeError,
    UnknownNodeError,
    Versioned,
)


def _first(evaluator: LazyEvaluator, graph: Graph, node: int | str, ctx: EvalContext | None = None) -> Any:
    return evaluator.evaluate(graph, [node], ctx).outputs[0][0]


@pytest.mark.parametrize(("before", "after"), [(1.0, 2.0), (0.0, -0.0), (1.0, float("nan"))])
def test_changed_scalar_input_gives_a_new_result(before: float, after: float) -> None:
    graph = Graph()
    gain, out = graph.add_node(GraphInput("gain", F32)), graph.add_node(Add())
    fill = graph.add_node(Fill())
    graph.connect(gain, 0, out, 0)
    graph.connect(gain, 0, fill, 0)
    evaluator = LazyEvaluator()
    for value in (before, after, before):
        ctx = EvalContext(inputs={"gain": value}, resolution=(2, 2))
        assert repr(value + 0.0) == repr(_first(evaluator, graph, out, ctx))
        assert np.float32(value).tobytes() == _first(evaluator, graph, fill, ctx)[0, 0, 0].tobytes()


def test_array_changed_in_place_is_never_stale_and_is_not_kept() -> None:
    graph = Graph()
    source, out = graph.add_node(GraphInput("picture", TEXTURE)), graph.add_node(AddPicture(1.0))
    graph.connect(source, 0, out, 0)
    evaluator = LazyEvaluator()
    picture = np.zeros((3, 4, 1), np.float32)
    ctx = EvalContext(inputs={"picture": picture})
    first = _first(evaluator, graph, out, ctx)
    passed_on = _first(evaluator, graph, source, ctx)
    for value in (1.0, 2.0, -0.0):
        picture[1, 2] = value
        assert value + 1.0 == _first(evaluator, graph, out, ctx)[1, 2, 0]
    assert first[1, 2, 0] == 1.0
    assert passed_on[1, 2, 0] == 0.0
    picture[...] = 0.0
    assert first is _first(evaluator, graph, out, ctx)


def test_array_passed_through_shares_no_memory_with_the_caller() -> None:
    graph = Graph()
    source, out = graph.add_node(GraphInput("picture", TEXTURE)), graph.add_node(GraphOutput("same", TEXTURE))
    graph.connect(source, 0, out, 0)
    picture = np.zeros((3, 4), np.float32)
    result = LazyEvaluator().evaluate(graph, ["same", source], EvalContext(inputs={"picture": picture}))
    for output in result.outputs:
        assert not np.shares_memory(output[0], picture)
        assert output[0].flags.owndata


def test_inputs_are_not_changed_and_stay_writeable() -> None:
    graph = Graph()
    source, out = graph.add_node(GraphInput("picture", TEXTURE)), graph.add_node(AddPicture())
    graph.connect(source, 0, out, 0)
    picture = np.zeros((3, 4, 1), np.float32)
    LazyEvaluator().evaluate(graph, [out], EvalContext(inputs={"picture": picture}))
    assert picture.flags.writeable
    assert not picture.any()


def test_node_that_writes_to_its_input_is_stopped() -> None:
    @dataclass(frozen=True, slots=True)
    class Vandal(AddPicture):
        type_name = "test::Vandal"

        def execute(self, inputs: Sequence[Any], _ctx: EvalContext) -> Any:
            inputs[0][...] = 7.0
            return (inputs[0],)

    graph = Graph()
    source, fill = graph.add_node(GraphInput("picture", TEXTURE)), graph.add_node(Fill())
    for start in (source, fill):
        out = graph.add_node(Vandal())
        graph.connect(start, 0, out, 0)
        picture = np.zeros((3, 4, 1), np.float32)
        with pytest.raises(Exception, match="read-only"):
            LazyEvaluator().evaluate(graph, [out], EvalContext(inputs={"picture": picture}))
        assert not picture.any()


def test_version_stands_for_the_content() -> None:
    graph = Graph()
    source, out = graph.add_node(GraphInput("picture", TEXTURE)), graph.add_node(AddPicture(1.0))
    graph.connect(source, 0, out, 0)
    evaluator = LazyEvaluator()
    picture = np.zeros((2, 2, 1), np.float32)

    def evaluate(version: int) -> float:
        ctx = EvalContext(inputs={"picture": Versioned(picture, ("camera", version))})
        return float(_first(evaluator, graph, out, ctx)[0, 0, 0])

    assert evaluate(1) == 1.0
    picture[...] = 5.0
    assert evaluate(1) == 1.0
    assert evaluate(2) == 6.0


def test_constant_and_defaults_are_copies() -> None:
    array = np.zeros((2, 2), np.float32)
    graph = Graph()
    constant, given_default = graph.add_node(Constant(array)), graph.add_node(GraphInput("p", TEXTURE, array))
    evaluator = LazyEvaluator()
    array[...] = 9.0
    for node in (constant, given_default):
        assert not _first(evaluator, graph, node).any()


@pytest.mark.parametrize(
    ("inputs", "error", "words"),
    [
        ({}, MissingInputError, "input 'picture': no value given and no default"),
        ({"pictur": 1}, InvalidArgumentError, "no input named 'pictur'; its inputs: 'picture'"),
        ({"picture": 1.0}, PortTypeError, "input 'picture': expected float32[height, width, channel], got 1.0"),
        ({"picture": np.zeros((2, 2))}, PortTypeError, 'got elements of float64; use .astype("float32")'),
        ({"picture": np.zeros((2, 2, 5), "f4")}, InvalidArgumentError, "1 to 4 channels, got 5"),
        ({"picture": np.zeros(4, "f4")}, PortTypeError, "got an array of shape (4,)"),
    ],
)
def test_wrong_input_is_refused_with_the_remedy(inputs: dict[str, Any], error: type[Exception], words: str) -> None:
    graph = Graph()
    source = graph.add_node(GraphInput("picture", TEXTURE))
    with pytest.raises(error) as caught:
        LazyEvaluator().evaluate(graph, [source], EvalContext(inputs=inputs))
    assert words in str(caught.value)


def test_unconnected_input_names_node_and_port() -> None:
    graph = Graph()
    node = graph.add_node(Mean())
    with pytest.raises(MissingInputError, match=r"node 0 .test::Mean.: input 'image' has neither a wire nor a default"):
        LazyEvaluator().evaluate(graph, [node])


@pytest.mark.parametrize("output", [3, "o", -1])
def test_unknown_output_is_refused(output: int | str) -> None:
    with pytest.raises(UnknownNodeError):
        LazyEvaluator().evaluate(Graph(), [output])


def test_every_scalar_type_arrives_as_its_python_type() -> None:
    graph = Graph()
    node = graph.add_node(Mixed())
    evaluator = LazyEvaluator()
    tenth_f32 = struct.unpack("f", struct.pack("f", 0.1))[0]
    for ctx in (EvalContext(), EvalContext(time_s=1.0)):
        total, double, count, is_positive, vector = evaluator.evaluate(graph, [node], ctx).outputs[0]
        assert (tenth_f32, 0.1, 1, False) == (total, double, count, is_positive)
        assert [float, float, int, bool] == [type(v) for v in (total, double, count, is_positive)]
        assert (0.0, 0.0) == tuple(vector)


def test_f32_results_are_rounded_on_every_run() -> None:
    graph = Graph()
    first, function = graph.add_node(Add(0.0)), graph.add_node(AddFunction(0.0))
    evaluator = LazyEvaluator()
    for k in (0.1, 0.2, 1 / 3, 1e39, -1e39, 1e-46):
        graph.replace_node(first, Add(k))
        graph.replace_node(function, AddFunction(k))
        with np.errstate(over="ignore"):
            expected = float(np.float32(k))
        assert ((expected,), (expected,)) == evaluator.evaluate(graph, [first, function]).outputs


@dataclass(frozen=True, slots=True)
class Third(Mean):
    """A third, in double precision, whatever the picture."""

    def execute(self, _inputs: Sequence[Any], _ctx: EvalContext) -> Any:
        return (1 / 3,)


def test_f32_result_of_a_picture_is_rounded_too() -> None:
    graph = Graph()
    fill = graph.add_node(Fill())
    third = graph.add_node(Third())
    graph.connect(fill, 0, third, 0)
    evaluator = LazyEvaluator()
    for _ in range(2):
        assert float(np.float32(1 / 3)) == _first(evaluator, graph, third)
