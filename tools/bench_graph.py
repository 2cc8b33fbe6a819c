"""Measure the graph table: nanoseconds per node of a chain of scalar nodes, beside ONNX Runtime in the same run.

Rounds of all candidates are interleaved, so that what disturbs the machine disturbs them alike; medians are printed.
The peer recomputes the chain at every call; it has one thread, and its graph optimisations are off so that it runs as
many nodes as we do.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unshape_backend import backend_evaluator
from unshape_backend.nodes import Add
from unshape_backend.plan.planner import make_plan
from unshape_backend.registry import default_registry
from unshape_backend.scheduler import Scheduler
from unshape_core import (
    F32,
    Constant,
    ContextField,
    EvalContext,
    Graph,
    GraphInput,
    LazyEvaluator,
    OpClass,
    Port,
    Value,
    ValueSpec,
)
from unshape_image import Blend, GaussianBlur, Invert, Levels
from unshape_noise import Perlin

NO_FIELDS: frozenset[ContextField] = frozenset()


@dataclass(frozen=True, slots=True)
class AddConstant:
    """``a + k``: a scalar node of the core alone, as a function."""

    type_name: ClassVar[str] = "bench::AddConstant"
    op_class: ClassVar[OpClass] = OpClass.ELEMENTWISE
    context_fields: ClassVar[frozenset[ContextField]] = NO_FIELDS
    inputs: ClassVar[tuple[Port, ...]] = (Port("a", F32, 0.0),)
    outputs: ClassVar[tuple[Port, ...]] = (Port("value", F32),)

    k: float = 1.0

    def infer(self, _input_specs: Sequence[ValueSpec], _ctx: EvalContext) -> tuple[ValueSpec, ...]:
        """Return a scalar."""
        return (ValueSpec(F32),)

    def execute(self, inputs: Sequence[float], _ctx: EvalContext) -> tuple[Value, ...]:
        """Return the sum."""
        return (self.scalar_function(inputs[0]),)

    def scalar_function(self, a: float) -> float:
        """Return the sum."""
        return a + self.k


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One row: prepares a round outside the clock, then is timed; ``nodes`` are run by one call, or 1 for the whole."""

    name: str
    nodes: int
    prepare: Callable[[], object]
    run: Callable[[], object]


def core_candidates(length: int) -> list[Candidate]:
    """Return the rows of the core alone."""
    graph = Graph()
    x = graph.add_node(GraphInput("x", F32))
    nodes = [graph.add_node(AddConstant()) for _ in range(length)]
    for before, after in zip([x, *nodes], nodes, strict=False):
        graph.connect(before, 0, after, 0)
    return _rows("core", LazyEvaluator(), graph, nodes, lambda k: graph.replace_node(nodes[0], AddConstant(k)))


def backend_candidates(length: int) -> list[Candidate]:
    """Return the rows through planner, scheduler and backends."""
    graph = Graph()
    x = graph.add_node(GraphInput("x", F32))
    nodes = [graph.add_node(Add()) for _ in range(length)]
    for before, after in zip([x, *nodes], nodes, strict=False):
        graph.connect(before, 0, after, 0)
        graph.connect(x, 0, after, 1)
    rows = _rows("backend stack", backend_evaluator(), graph, nodes, None)
    return [*rows, *_sink_candidates(length)]


def _sink_candidates(length: int) -> list[Candidate]:
    """Return the row of a constant beside the last node, which dirties two nodes however long the chain is."""
    graph = Graph()
    x = graph.add_node(Constant(1.0))
    nodes = [graph.add_node(Add()) for _ in range(length)]
    constants = [graph.add_node(Constant(1.0)) for _ in nodes]
    for before, after, constant in zip([x, *nodes], nodes, constants, strict=False):
        graph.connect(before, 0, after, 0)
        graph.connect(constant, 0, after, 1)
    evaluator = backend_evaluator()
    numbers = itertools.count()
    return [
        Candidate(
            name="backend stack: parameter beside the sink changed",
            nodes=1,
            prepare=lambda: graph.replace_node(constants[-1], Constant(float(next(numbers) % 1000))),
            run=lambda: evaluator.evaluate(graph, [nodes[-1]]),
        )
    ]


def planning_candidates(length: int) -> list[Candidate]:
    """Return the rows of planning on all installed backends: scalar nodes, and picture nodes of four kinds."""
    scalars, pictures = Graph(), Graph()
    x = scalars.add_node(GraphInput("x", F32, 1.0))
    last_scalar = x
    for _ in range(length):
        node = scalars.add_node(Add())
        scalars.connect(last_scalar, 0, node, 0)
        scalars.connect(x, 0, node, 1)
        last_scalar = node
    kinds = (Levels(), Invert(), GaussianBlur(sigma_px=2.0), Blend())
    start = last_picture = pictures.add_node(Perlin())
    for number in range(1, length):
        node = pictures.add_node(kinds[number % len(kinds)])
        pictures.connect(last_picture, 0, node, 0)
        if isinstance(kinds[number % len(kinds)], Blend):
            pictures.connect(start, 0, node, 1)
        last_picture = node
    scheduler = Scheduler(default_registry())

    def row(kind: str, graph: Graph, last: int) -> Candidate:
        snapshot, ctx = graph.snapshot(), EvalContext(resolution=(256, 256))
        return Candidate(
            name=f"planning {length} {kind} nodes",
            nodes=1,
            prepare=gc.collect,
            run=lambda: make_plan(snapshot, (last,), ctx, scheduler=scheduler),
        )

    return [row("scalar", scalars, last_scalar), row("picture", pictures, last_picture)]


def _rows(
    name: str,
    evaluator: LazyEvaluator,
    graph: Graph,
    nodes: Sequence[int],
    change: Callable[[float], object] | None,
) -> list[Candidate]:
    last, length = nodes[-1], len(nodes)
    contexts = itertools.cycle([EvalContext(inputs={"x": float(k)}) for k in range(2)])
    parameters = itertools.cycle([0.0, 1.0])
    current = [next(contexts)]

    def other_input() -> None:
        current[0] = next(contexts)

    def run() -> None:
        evaluator.evaluate(graph, [last], current[0])

    still = graph.copy()
    for node_id in list(still):
        if isinstance(still.node(node_id), GraphInput):
            still.replace_node(node_id, GraphInput("x", F32, 1.0))
    plain = EvalContext()
    rows = [
        Candidate(name=f"{name}: full evaluation", nodes=length, prepare=other_input, run=run),
        Candidate(
            name=f"{name}: nothing changed, whole graph",
            nodes=1,
            prepare=lambda: evaluator.evaluate(still, [last], plain),
            run=lambda: evaluator.evaluate(still, [last], plain),
        ),
    ]
    if change is not None:
        rows.append(
            Candidate(
                name=f"{name}: first parameter changed",
                nodes=length,
                prepare=lambda: change(next(parameters)),
                run=run,
            )
        )
    return rows


def onnx_candidates(length: int) -> list[Candidate]:
    """Return the peer's row: a chain of as many additions."""
    import onnx
    import onnxruntime as ort
    from onnx import TensorProto, helper

    names = ["x", *(f"v{k}" for k in range(length))]
    graph = helper.make_graph(
        [helper.make_node("Add", [names[k], "one"], [names[k + 1]]) for k in range(length)],
        "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])],
        [helper.make_tensor_value_info(names[-1], TensorProto.FLOAT, [1])],
        [helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    feed = {"x": np.zeros(1, np.float32)}
    return [
        Candidate(
            name=f"ONNX Runtime {ort.__version__}, 1 thread",
            nodes=length,
            prepare=lambda: None,
            run=lambda: session.run(None, feed),
        )
    ]


def measure(candidates: Sequence[Candidate], *, rounds: int, pause_s: float) -> dict[str, float]:
    """Return the median nanoseconds per node of each candidate."""
    samples: dict[str, list[float]] = {candidate.name: [] for candidate in candidates}
    for candidate in candidates:
        for _ in range(3):
            candidate.prepare()
            candidate.run()
    for number in range(rounds):
        for candidate in candidates:
            candidate.prepare()
            start = time.perf_counter_ns()
            candidate.run()
            samples[candidate.name].append((time.perf_counter_ns() - start) / candidate.nodes)
        if number % 50 == 49:
            time.sleep(pause_s)
    return {name: statistics.median(values) for name, values in samples.items()}


def import_ms(module: str, *, rounds: int = 9) -> float:
    """Return the median milliseconds that importing a module takes once NumPy is there."""
    code = f"import numpy, time; t = time.perf_counter(); import {module}; print(1e3*(time.perf_counter() - t))"
    done = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(rounds)]
    return statistics.median(float(each.stdout) for each in done)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench_graph", description=__doc__)
    parser.add_argument("--length", type=int, default=1000, help="nodes of the chain (default 1000)")
    parser.add_argument("--rounds", type=int, default=300, help="rounds of each candidate (default 300)")
    parser.add_argument("--pause", type=float, default=0.2, help="seconds of rest after 50 rounds (default 0.2)")
    options = parser.parse_args(arguments)
    peers = onnx_candidates(options.length)
    ours = core_candidates(options.length) + backend_candidates(options.length)
    medians = measure(peers + ours, rounds=options.rounds, pause_s=options.pause)
    peer = medians[peers[0].name]
    print(
        f"Python {sys.version.split()[0]}, a chain of {options.length} scalar nodes, medians of {options.rounds} rounds"
    )
    for candidate in peers + ours:
        median = medians[candidate.name]
        unit = "ns/node" if candidate.nodes > 1 else "ns"
        ratio = f"  {peer / median:5.2f}x the peer" if candidate.nodes > 1 and candidate not in peers else ""
        print(f"{candidate.name:45} {median:9.1f} {unit:8}{ratio}")
    planning = planning_candidates(options.length)
    for name, median in measure(planning, rounds=max(3, options.rounds // 20), pause_s=0).items():
        print(f"{name:45} {median / 1e6:9.1f} ms")
    print(f"  on {', '.join(default_registry().snapshot().ids)}")
    for module in ("unshape", "unshape_core"):
        print(f"{'import ' + module + ' on top of NumPy':45} {import_ms(module):9.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
