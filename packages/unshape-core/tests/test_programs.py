"""What executors may make of a graph: fused steps, transfers, values elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from core_nodes import RUNS, Add, AddPicture, Fill, chain

from unshape_core import (
    HOST,
    TEXTURE,
    DefinitionExecutor,
    EvalContext,
    Graph,
    GraphError,
    GraphInput,
    GraphSnapshot,
    LazyEvaluator,
    MemorySpace,
    Program,
    Step,
    StepKind,
)

DEVICE = MemorySpace("device")
TRANSFERS: Counter[str] = Counter()


@dataclass(frozen=True)
class OnDevice:
    """An array elsewhere."""

    array: Any
    space: MemorySpace = DEVICE

    @property
    def nbytes(self) -> int:
        return int(self.array.nbytes)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    @property
    def dtype(self) -> Any:
        return self.array.dtype

    @property
    def content_key(self) -> Hashable:
        return bytes(self.array.tobytes())


def _upload(_nodes: Any, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Any, ...]:
    TRANSFERS["up"] += 1
    return (OnDevice(inputs[0].copy()),)


def _download(_nodes: Any, inputs: Sequence[Any], _ctx: EvalContext) -> tuple[Any, ...]:
    TRANSFERS["down"] += 1
    return (inputs[0].array.copy(),)


class FusingExecutor(DefinitionExecutor):
    """Runs chains of AddPicture as one step on a device, with transfers before and after."""

    def prepare(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Program:
        program = super().prepare(snapshot, outputs, ctx)
        plain = [s for s in program.steps if not isinstance(snapshot.nodes[s.node_ids[0]], AddPicture)]
        fused = [s for s in program.steps if isinstance(snapshot.nodes[s.node_ids[0]], AddPicture)]
        source = snapshot.sources(fused[0].node_ids[0])[0]
        assert source is not None
        up, there, back = program.slot_count, program.slot_count + 1, fused[-1].output_slots[0]
        last = fused[-1].node_ids[-1]
        steps = [
            *plain,
            _transfer(_upload, fused[0].input_slots[0], up, (source.node_id, source.port), DEVICE),
            Step(
                node_ids=tuple(s.node_ids[0] for s in fused),
                run=self._run_fused,
                input_slots=(up,),
                output_slots=(there,),
                context_fields=frozenset(),
                key=None,
                backend="device",
                space=DEVICE,
            ),
            _transfer(_download, there, back, (last, 0), HOST),
        ]
        return replace(program, steps=tuple(steps), slot_count=program.slot_count + 2, accepts=lambda *_: True)

    @staticmethod
    def _run_fused(nodes: tuple[Any, ...], inputs: Sequence[Any], ctx: EvalContext) -> tuple[Any, ...]:
        value = inputs[0].array
        for node in nodes:
            (value,) = node.execute((value,), ctx)
        return (OnDevice(value),)


def _transfer(run: Any, source: int, target: int, port: tuple[int, int], space: MemorySpace) -> Step:
    return Step(
        node_ids=(port[0],),
        run=run,
        input_slots=(source,),
        output_slots=(target,),
        output_ports=(port,),
        context_fields=frozenset(),
        key=None,
        backend="device",
        space=space,
        kind=StepKind.TRANSFER,
    )


def _graph() -> tuple[Graph, int, int]:
    TRANSFERS.clear()
    graph = Graph()
    fill = graph.add_node(Fill())
    return graph, fill, chain(graph, lambda k: AddPicture(float(k + 1)), 3, start=fill)


def test_fused_steps_and_transfers_give_the_same_value_and_key() -> None:
    graph, _, last = _graph()
    plain = LazyEvaluator().evaluate(graph, [last])
    fused = LazyEvaluator(executor=FusingExecutor()).evaluate(graph, [last], keeps_records=True)
    assert plain.outputs[0][0].tobytes() == fused.outputs[0][0].tobytes()
    assert plain.keys == fused.keys
    kinds = [(record.kind, record.backend, record.fused_into) for record in fused.records]
    assert kinds == [
        (StepKind.NODE, "cpu", None),
        (StepKind.TRANSFER, "device", None),
        (StepKind.NODE, "device", last),
        (StepKind.TRANSFER, "device", None),
    ]
    record = fused.record_of(2)
    assert record is not None
    assert record.node_ids == (1, 2, 3)


def test_value_computed_by_one_executor_is_found_by_another() -> None:
    graph, _, last = _graph()
    plain = LazyEvaluator()
    plain.evaluate(graph, [last])
    RUNS.clear()
    fused = LazyEvaluator(executor=FusingExecutor(), cache=plain.cache)
    assert fused.evaluate(graph, [last]).statistics.steps_run == 0
    assert not RUNS
    assert not TRANSFERS


def test_parameter_of_a_fused_node_runs_the_step_again_but_no_upload() -> None:
    graph, _, last = _graph()
    evaluator = LazyEvaluator(executor=FusingExecutor())
    evaluator.evaluate(graph, [last])
    graph.replace_node(2, AddPicture(10.0))
    assert evaluator.evaluate(graph, [last]).outputs[0][0][0, 0, 0] == 0.5 + 1 + 10 + 3
    assert {"up": 1, "down": 2} == TRANSFERS
    assert RUNS["test::Fill"] == 1


def test_values_are_kept_in_the_budget_of_their_own_space() -> None:
    graph, _, last = _graph()
    evaluator = LazyEvaluator(executor=FusingExecutor())
    evaluator.evaluate(graph, [last], EvalContext(resolution=(4, 4)))
    assert (64 * 2, 64 * 2) == tuple(evaluator.cache.statistics(space).bytes_held for space in (HOST, DEVICE))


def test_device_array_is_accepted_as_an_input_and_stays_there() -> None:
    graph = Graph()
    source, out = graph.add_node(GraphInput("p", TEXTURE)), graph.add_node(AddPicture())
    value = OnDevice(np.zeros((2, 2, 1), np.float32))
    ctx = EvalContext(inputs={"p": value})
    assert LazyEvaluator().evaluate(graph, [source], ctx).outputs == ((value,),)
    graph.connect(source, 0, out, 0)


def test_constant_that_a_program_took_in_is_not_forgotten() -> None:
    class Folding(DefinitionExecutor):
        """Takes the first scalar node's value as a constant of the program."""

        def prepare(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Program:
            program = super().prepare(snapshot, outputs, ctx)
            first, *rest = program.steps
            (value,) = first.run((snapshot.nodes[first.node_ids[0]],), (0.0, 0.0), ctx)
            constants = {**program.constants, first.output_slots[0]: value}
            return replace(program, steps=tuple(rest), constants=constants)

    graph = Graph()
    last = chain(graph, lambda _: Add(1.0), 3)
    evaluator = LazyEvaluator(executor=Folding())
    for k in (1.0, 2.0, 3.0):
        graph.replace_node(0, Add(k))
        assert evaluator.evaluate(graph, [last]).outputs == ((k + 2.0,),)


def test_step_that_is_not_cacheable_runs_whenever_it_is_needed() -> None:
    class Live(DefinitionExecutor):
        def prepare(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Program:
            program = super().prepare(snapshot, outputs, ctx)
            return replace(program, steps=tuple(replace(step, is_cacheable=False) for step in program.steps))

    graph, _, last = _graph()
    evaluator = LazyEvaluator(executor=Live())
    for runs in (1, 2):
        evaluator.evaluate(graph, [last])
        assert runs == RUNS["test::Fill"]
    assert evaluator.cache.statistics().entries == 0


def test_program_with_too_few_slots_is_refused() -> None:
    class Broken(DefinitionExecutor):
        def prepare(self, snapshot: GraphSnapshot, outputs: Sequence[int], ctx: EvalContext) -> Program:
            program = super().prepare(snapshot, outputs, ctx)
            return replace(program, steps=tuple(replace(step, output_slots=()) for step in program.steps))

    graph = Graph()
    node = graph.add_node(Add())
    with pytest.raises(GraphError, match="step of node 0: expected an output slot for each of 1 ports, got 0"):
        LazyEvaluator(executor=Broken()).evaluate(graph, [node])


def test_definition_brings_another_kind_of_meaning() -> None:
    @dataclass(frozen=True, slots=True)
    class Doubled(AddPicture):
        type_name = "test::Doubled"

    class Doubling:
        def supports(self, node: Any) -> bool:
            return isinstance(node, Doubled)

        def input_windows(self, _node: Any, window: Any, _specs: Any, _ctx: EvalContext) -> Any:
            return (window,)

        def runner(self, _node: Any, region: Any, _ctx: EvalContext) -> Any:
            assert region is not None
            return lambda _nodes, inputs, _context: (inputs[0] * np.float32(2),)

    graph = Graph()
    fill, doubled = graph.add_node(Fill()), graph.add_node(Doubled())
    graph.connect(fill, 0, doubled, 0)
    evaluator = LazyEvaluator(executor=DefinitionExecutor(definitions=[Doubling()]))
    assert evaluator.evaluate(graph, [doubled]).outputs[0][0][0, 0, 0] == 1.0


def test_plan_of_the_definition_executor_explains_itself() -> None:
    graph, _, last = _graph()
    plan = LazyEvaluator().evaluate(graph, [last]).plan
    assert plan is not None
    assert plan.explain().splitlines()[0] == "0 test::Fill: cpu, by its definition"
    assert [(0,), (1,), (2,), (3,)] == [s.node_ids for s in LazyEvaluator().prepare(graph, [last]).steps]
