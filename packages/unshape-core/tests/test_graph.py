"""Graph: every check at the call, and that a refused call changes nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from core_nodes import Add, AddPicture, Fill, Mean

from unshape_core import (
    F32,
    TEXTURE,
    Constant,
    CycleError,
    EvalContext,
    Graph,
    GraphError,
    GraphInput,
    GraphOutput,
    InvalidArgumentError,
    Latch,
    LazyEvaluator,
    Port,
    PortOccupiedError,
    PortTypeError,
    UnknownNodeError,
    UnknownPortError,
)


def _pair() -> tuple[Graph, int, int]:
    graph = Graph()
    return graph, graph.add_node(Add(1.0)), graph.add_node(Add(2.0))


def _state(graph: Graph) -> tuple[object, ...]:
    return graph.revision, graph.structure_revision, dict(graph.nodes), graph.wires, graph.next_id


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda g: g.connect(7, 0, 1, 0), UnknownNodeError, "no node 7; it has 3 nodes, 0 to 2"),
        (lambda g: g.connect(0, 0, "b", 0), UnknownNodeError, "expected the number of a node, got 'b'"),
        (lambda g: g.connect(0, 1, 1, 0), UnknownPortError, "no output port 1; its output ports: 0 'value'"),
        (lambda g: g.connect(0, -1, 1, 0), UnknownPortError, "no output port -1"),
        (lambda g: g.connect(0, 0, 1, "c"), UnknownPortError, "no input port 'c'; its input ports: 0 'a', 1 'b'"),
        (lambda g: g.connect(0, True, 1, 0), UnknownPortError, "no output port True"),
        (lambda g: g.connect(2, 0, 1, 1), PortTypeError, "input 'b' expects f32, got float32[height, width, channel]"),
        (lambda g: g.connect(1, 0, 1, 1), CycleError, "1 test::Add -> 1 test::Add"),
        (lambda g: g.connect(1, 0, 0, 0), CycleError, "1 test::Add -> 0 test::Add -> 1 test::Add; a Latch"),
        (lambda g: g.connect(0, 0, 1, 0), PortOccupiedError, "input 'a' has a wire from node 0 (test::Add)"),
        (lambda g: g.disconnect(0, "a"), GraphError, "input 'a' has no wire"),
        (lambda g: g.remove_node(9), UnknownNodeError, "no node 9"),
        (lambda g: g.replace_node(9, Add()), UnknownNodeError, "no node 9"),
        (lambda g: g.replace_node(0, AddPicture()), PortTypeError, "cannot replace test::Add: the wire at outputs[0]"),
        (
            lambda g: g.replace_node(1, Constant(1.0)),
            PortTypeError,
            "expects f32, got no such port; disconnect it first",
        ),
        (lambda g: g.insert_node_with_id(0, Add()), GraphError, "number 0 is taken by test::Add"),
        (lambda g: g.insert_node_with_id(-1, Add()), InvalidArgumentError, "expected a whole number from 0, got -1"),
        (lambda g: g.add_node(Add), InvalidArgumentError, "got the class Add; add an instance of it"),
        (lambda g: g.add_node(object()), InvalidArgumentError, "got a object without type_name"),
        (lambda g: g.upstream(9), UnknownNodeError, "no node 9"),
        (lambda g: g.node(9), UnknownNodeError, "no node 9"),
        (lambda g: g.source(9, 0), UnknownNodeError, "no node 9"),
    ],
)
def test_refused_call_says_why_and_changes_nothing(
    call: Callable[[Graph], object], error: type[Exception], words: str
) -> None:
    graph, one, two = _pair()
    graph.add_node(Fill())
    graph.connect(one, 0, two, 0)
    before = _state(graph)
    with pytest.raises(error) as caught:
        call(graph)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert before == _state(graph)


def test_ports_are_named_by_index_or_name() -> None:
    graph, one, two = _pair()
    assert graph.connect(one, "value", two, "b") == (one, 0, two, 1)
    assert graph.disconnect(two, 1) == (one, 0, two, 1)
    assert graph.connect(one, 0, two, 1) == (one, 0, two, 1)
    assert (one, 0) == graph.source(two, "b")
    assert graph.source(two, "a") is None


def test_numbers_are_never_used_again() -> None:
    graph = Graph()
    first = graph.add_node(Add())
    graph.remove_node(first)
    assert first + 1 == graph.add_node(Add())
    graph.insert_node_with_id(10, Add())
    assert graph.add_node(Add()) == 11


def test_removing_a_node_removes_its_wires() -> None:
    graph = Graph()
    a, b, c = (graph.add_node(Add()) for _ in range(3))
    graph.connect(a, 0, b, 0)
    graph.connect(b, 0, c, 0)
    graph.connect(b, 0, c, 1)
    graph.remove_node(b)
    assert graph.wires == ()
    assert [a, c] == list(graph)
    graph.connect(c, 0, a, 0)


def test_upstream_and_downstream_are_transitive_and_pass_latches() -> None:
    graph = Graph()
    start, latch, step = graph.add_node(Constant(0.0)), graph.add_node(Latch(F32)), graph.add_node(Add(1.0))
    apart = graph.add_node(Add())
    graph.connect(start, 0, latch, "init")
    graph.connect(latch, 0, step, 0)
    graph.connect(step, 0, latch, "signal")
    assert {start, latch, step} == graph.upstream(step)
    assert {latch, step} == graph.downstream(start)
    assert frozenset() == graph.downstream(apart)


def test_cycle_is_allowed_through_signal_but_not_through_init() -> None:
    graph = Graph()
    latch, step = graph.add_node(Latch(F32)), graph.add_node(Add(1.0))
    graph.connect(latch, 0, step, 0)
    with pytest.raises(CycleError):
        graph.connect(step, 0, latch, "init")
    graph.connect(step, 0, latch, "signal")
    with pytest.raises(CycleError, match="cannot replace core::Latch"):
        graph.replace_node(latch, Mixed2())
    assert isinstance(graph.node(latch), Latch)


@dataclass(frozen=True, slots=True)
class Mixed2(Add):
    """An Add of another class."""


def test_long_cycle_is_named_in_short() -> None:
    graph = Graph()
    nodes = [graph.add_node(Add()) for _ in range(1000)]
    for before, after in pairwise(nodes):
        graph.connect(before, 0, after, 0)
    with pytest.raises(CycleError, match=r"999 test::Add -> 0 test::Add -> .* \.\.\. \(990 more\) \.\.\.") as caught:
        graph.connect(nodes[-1], 0, nodes[0], 0)
    assert len(str(caught.value)) < 500
    assert caught.value.node_id == 999


def test_names_of_inputs_and_outputs_are_unique() -> None:
    graph = Graph()
    first = graph.add_node(GraphInput("gain", F32))
    graph.add_node(GraphOutput("gain", F32))
    with pytest.raises(GraphError, match="the name 'gain' is taken by node 0"):
        graph.add_node(GraphInput("gain", F32))
    assert {"gain": 0} == graph.input_nodes()
    assert {"gain": 1} == graph.output_nodes()
    graph.replace_node(first, GraphInput("gain", F32, 2.0))
    graph.replace_node(first, GraphInput("level", F32, 2.0))
    graph.add_node(GraphInput("gain", F32))
    assert {"level": 0, "gain": 2} == graph.input_nodes()
    graph.remove_node(first)
    assert {"gain": 2} == graph.input_nodes()


def test_replacing_parameters_leaves_the_structure() -> None:
    graph, one, two = _pair()
    graph.connect(one, 0, two, 0)
    structure, revision = graph.structure(), graph.revision
    old = graph.replace_node(one, Add(5.0))
    assert Add(1.0) == old
    assert structure is graph.structure()
    assert revision + 1 == graph.revision
    changes = graph.changes_since(revision)
    assert changes is not None
    assert {one: Add(5.0)} == changes.nodes
    graph.replace_node(one, Mixed2(5.0))
    assert structure is not graph.structure()
    assert graph.changes_since(revision) is None
    assert graph.wires == ((one, 0, two, 0),)


def test_replacing_a_node_by_itself_is_no_change() -> None:
    graph, one, _ = _pair()
    revision = graph.revision
    graph.replace_node(one, graph.node(one))
    assert revision == graph.revision


def test_parameters_that_change_a_default_change_the_structure() -> None:
    graph = Graph()
    node = graph.add_node(WithDefault(1.0))
    structure = graph.structure()
    graph.replace_node(node, WithDefault(2.0))
    assert structure is not graph.structure()
    assert LazyEvaluator().evaluate(graph, [node]).outputs == ((2.0,),)


@dataclass(frozen=True, slots=True)
class WithDefault(Add):
    """The default of its input is a parameter."""

    @property
    def inputs(self) -> tuple[Port, ...]:  # type: ignore[override]
        return (Port("a", F32, self.k),)

    def execute(self, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Any, ...]:
        return (inputs[0],)


def test_snapshot_is_the_same_object_until_a_change_and_never_changes() -> None:
    graph, one, two = _pair()
    before = graph.snapshot()
    assert before is graph.snapshot()
    graph.connect(one, 0, two, 0)
    graph.replace_node(one, Add(9.0))
    assert before.wires == ()
    assert Add(1.0) == before.node(one)
    assert graph.snapshot().sources(two) == ((one, 0), None)


def test_snapshots_that_differ_in_parameters_share_their_structure() -> None:
    graph, one, _ = _pair()
    before = graph.snapshot()
    graph.replace_node(one, Add(9.0))
    assert before.structure is graph.snapshot().structure


def test_pickled_and_copied_graph_is_equal_and_apart() -> None:
    graph, one, two = _pair()
    latch = graph.add_node(Latch(F32))
    graph.connect(one, 0, two, 0)
    graph.connect(two, 0, latch, "init")
    graph.remove_node(graph.add_node(Add()))
    for other in (pickle.loads(pickle.dumps(graph)), graph.copy()):
        assert (dict(graph.nodes), graph.wires, graph.next_id) == (dict(other.nodes), other.wires, other.next_id)
        assert graph.token != other.token
        other.remove_node(one)
        assert one in graph
        assert LazyEvaluator().evaluate(graph, [latch]).outputs == ((3.0,),)


def test_node_with_a_list_parameter_is_refused_with_the_remedy() -> None:
    with pytest.raises(InvalidArgumentError, match=r"expected hashable parameters .* make lists tuples"):
        Graph().add_node(Add([1.0]))  # type: ignore[arg-type]


def test_texture_ports_fit_texture_ports_only() -> None:
    graph = Graph()
    fill, mean, out = graph.add_node(Fill()), graph.add_node(Mean()), graph.add_node(GraphOutput("o", TEXTURE))
    graph.connect(fill, 0, mean, 0)
    with pytest.raises(PortTypeError, match="put a node between them that converts"):
        graph.connect(mean, 0, out, 0)
