"""Faults of processes and threads: fork, spawn, exit, cancellation, sinks that raise, memory that grows."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unshape as us
from unshape_core import CancellationToken, Cancelled, EvalContext, EvalProgress, Graph, GraphInput, Node
from unshape_core.value_type import TEXTURE
from unshape_expr.ir import Border
from unshape_image import BoxBlur, Convolve, GaussianBlur, Pad, RemapUv, Resize, ResizeMethod
from unshape_noise import Perlin, Simplex, Worley
from unshape_testing.graphs import chain
from unshape_testing.laws.running import evaluator_of, registry_of
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.nodes import BoxMean, Gain, Ramp, Wobble

STOPS_WITHIN_S = 0.05
LOADED = 6
"""How much slower a machine that others use may be."""

PHOTO = np.random.default_rng(0).random((1024, 1024, 3), np.float32)
WEIGHTS = tuple(tuple(1.0 for _ in range(31)) for _ in range(31))


def wired(node: Node) -> tuple[Graph, int, dict[str, Any]]:
    graph = Graph()
    end = graph.add_node(node)
    for port in node.inputs:
        graph.connect(graph.add_node(GraphInput(port.name, TEXTURE)), 0, end, port.name)
    return graph, end, {port.name: PHOTO for port in node.inputs}


@pytest.mark.parametrize(
    "node",
    [
        Perlin(octaves=30),
        Simplex(octaves=30),
        Worley(octaves=30),
        GaussianBlur(1000.0),
        BoxBlur(1000),
        Convolve(WEIGHTS),
        Resize(16384, 16384, ResizeMethod.BICUBIC),
        Pad(6000, 6000, 6000, 6000, Border.MIRROR),
        RemapUv("vec2(u + 0.3*sin(v*40.0), v)"),
    ],
    ids=lambda node: node.type_name,
)
def test_a_long_node_stops_soon_after_it_is_cancelled(node: Node) -> None:
    graph, end, inputs = wired(node)
    evaluator = evaluator_of(registry_of())
    small = EvalContext(resolution=(8, 8), inputs={name: photo[:8, :8] for name, photo in inputs.items()})
    if not isinstance(node, Pad | Resize):
        evaluator.evaluate(graph, [end], small)  # what is prepared once is not what is stopped
    token = CancellationToken()
    outcome: list[object] = []

    def run() -> None:
        try:
            ctx = EvalContext(resolution=(4096, 4096), inputs=inputs, cancellation=token)
            outcome.append(evaluator.evaluate(graph, [end], ctx))
        except Cancelled as error:
            outcome.append(error)
        outcome.append(time.perf_counter())

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.15)
    asked = time.perf_counter()
    token.cancel()
    thread.join(60)
    assert 2 == len(outcome)
    if isinstance(outcome[0], Cancelled):  # else it was done before it was asked to stop
        stopped = outcome[1]
        assert isinstance(stopped, float)
        assert stopped - asked < STOPS_WITHIN_S * LOADED


def test_a_child_forked_after_a_device_was_used_ends_with_a_result_or_a_typed_error() -> None:
    program = """
import os, sys
import numpy as np
from unshape_core.errors import UnshapeError
from unshape_testing.graphs import chain
from unshape_testing.laws.running import evaluator_of, registry_of, run_case, values_of
from unshape_testing.loopback import LoopbackBackend
from unshape_testing.nodes import BoxMean, Gain, Ramp
case = chain([Ramp(1.0), BoxMean(1), Gain(2.0)])
for policy in ("prefer:loopback", "named:loopback"):
    evaluator = evaluator_of(registry_of(LoopbackBackend()), policy)
    before = np.array(values_of(run_case(evaluator, case))[0])
    evaluator.clear_cache()
    child = os.fork()
    if child == 0:
        try:
            after = np.array(values_of(run_case(evaluator, case))[0])
            os._exit(0 if np.array_equal(before, after) else 1)
        except UnshapeError as error:
            os._exit(0 if "fork" in str(error) else 2)
        except BaseException:
            os._exit(3)
    print(policy, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert ["prefer:loopback 0", "named:loopback 0"] == done.stdout.splitlines()


def test_graph_and_result_travel_to_a_spawned_process_and_back() -> None:
    graph = Graph()
    end = graph.add_node(Perlin(octaves=3, seed=5))
    here = us.evaluate(graph, [end], resolution=(9, 7), policy="named:cpu", keeps_records=True)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        call = pool.submit(us.evaluate, graph, [end], resolution=(9, 7), policy="named:cpu", keeps_records=True)
        there = call.result(120)
    assert here.outputs[0][0].tobytes() == there.outputs[0][0].tobytes()
    assert [record.node_ids for record in here.records] == [record.node_ids for record in there.records]
    assert here.keys == there.keys


def test_a_pickled_result_keeps_the_account_of_its_plan() -> None:
    result = us.evaluate(*_noise_graph(), resolution=(4, 4), policy="named:cpu")
    assert result.plan is not None
    again = pickle.loads(pickle.dumps(result))
    assert again.plan is not None
    assert result.plan.explain() == again.plan.explain()
    assert result.outputs[0][0].tobytes() == again.outputs[0][0].tobytes()


def _noise_graph() -> tuple[Graph, list[int]]:
    graph = Graph()
    return graph, [graph.add_node(Perlin())]


def test_the_interpreter_ends_with_work_in_flight_and_writes_nothing(tmp_path: Path) -> None:
    program = """
import unshape as us
from unshape import noise
from unshape.session import default_session
graph = us.Graph()
end = graph.add_node(noise.Perlin(octaves=30))
submit = default_session().evaluator(policy="named:cpu").submit
handles = [submit(graph, [end], us.EvalContext(resolution=(4096, 4096 - k))) for k in range(3)]
print("submitted")
"""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert (0, "submitted\n") == (done.returncode, done.stdout)
    assert not any(word in done.stderr for word in ("Traceback", "Error", "cannot be opened")), done.stderr
    assert time.perf_counter() - began < 30
    assert [] == list(tmp_path.iterdir())


def test_a_progress_sink_that_raises_stops_the_evaluation_and_spoils_nothing() -> None:
    case = chain([Ramp(1.0), BoxMean(1), Gain(2.0)])
    evaluator = evaluator_of(registry_of())

    def sink(event: EvalProgress) -> None:
        raise KeyError(event.type_name)

    with pytest.raises(KeyError):
        evaluator.evaluate(case.graph, case.outputs, EvalContext(resolution=(8, 8), progress=sink))
    clean = EvalContext(resolution=(8, 8))
    again = np.asarray(evaluator.evaluate(case.graph, case.outputs, clean).outputs[0][0])
    fresh = np.asarray(evaluator_of(registry_of()).evaluate(case.graph, case.outputs, clean).outputs[0][0])
    assert fresh.tobytes() == again.tobytes()


@pytest.mark.slow
def test_a_thousand_evaluations_of_changing_sizes_keep_no_memory() -> None:
    loopback = LoopbackBackend()
    evaluator = evaluator_of(registry_of(loopback), "named:loopback")
    case = chain([Ramp(1.0), Wobble(0.1), BoxMean(1)])
    rng = np.random.default_rng(0)

    def objects() -> int:
        evaluator.clear_cache()
        gc.collect()
        return len(gc.get_objects())

    counts = []
    for _ in range(3):
        for _ in range(330):
            width, height = (int(n) for n in rng.integers(1, 24, 2))
            evaluator.evaluate(case.graph, case.outputs, EvalContext(resolution=(width, height)))
        counts.append(objects())
        assert 0 == loopback.memory().used_bytes
    assert counts[2] - counts[1] < 500, counts


def test_eight_threads_on_one_graph_and_one_evaluator_of_a_device_get_right_results() -> None:
    evaluator = evaluator_of(registry_of(LoopbackBackend()), "prefer:loopback")
    case = chain([Ramp(1.0), Wobble(0.1), BoxMean(1)])
    sizes = [(5, 4), (9, 7), (13, 3)]
    expected = {size: _first(evaluator_of(registry_of()), case, size).tobytes() for size in sizes}
    wrong: list[object] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        try:
            for _ in range(40):
                size = sizes[int(rng.integers(len(sizes)))]
                if _first(evaluator, case, size).tobytes() != expected[size]:
                    wrong.append(size)
        except Exception as error:  # the assertion shows it
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [] == wrong


def _first(evaluator: Any, case: Any, size: tuple[int, int]) -> Any:
    return np.asarray(evaluator.evaluate(case.graph, case.outputs, EvalContext(resolution=size)).outputs[0][0])
