"""Threads, handles, processes."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from core_nodes import Add, AddPicture, Call, Fill, Mean, Nap, Raise, chain

from unshape_core import (
    F32,
    TEXTURE,
    Cancelled,
    EvalContext,
    EvalHandle,
    Graph,
    GraphInput,
    InvalidArgumentError,
    LazyEvaluator,
    NodeError,
    UnshapeError,
)


def _pipeline() -> tuple[Graph, int]:
    """``mean(fill(10*x) + 2)`` with ten scalar nodes before it."""
    graph = Graph()
    x = graph.add_node(GraphInput("x", F32))
    last = x
    for _ in range(9):
        node = graph.add_node(Add())
        graph.connect(last, 0, node, 0)
        graph.connect(x, 0, node, 1)
        last = node
    fill = graph.add_node(Fill())
    graph.connect(last, 0, fill, 0)
    picture = chain(graph, lambda _: AddPicture(1.0), 2, start=fill)
    mean = graph.add_node(Mean())
    graph.connect(picture, 0, mean, 0)
    return graph, mean


def test_eight_threads_evaluate_one_graph_with_different_inputs() -> None:
    graph, mean = _pipeline()
    evaluator = LazyEvaluator()
    start = threading.Barrier(8)

    def work(number: int) -> list[float]:
        start.wait()
        ctx = [EvalContext(inputs={"x": float(number + k % 3)}, resolution=(8, 8)) for k in range(40)]
        return [evaluator.evaluate(graph, [mean], each).outputs[0][0] for each in ctx]

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(8)))
    for number, values in enumerate(results):
        assert [10.0 * (number + k % 3) + 2.0 for k in range(40)] == values


def test_evaluating_while_parameters_change_gives_one_state_or_the_other() -> None:
    graph = Graph()
    node = graph.add_node(Add(0.0))
    last = chain(graph, lambda _: Add(), 5, start=node)
    twice = graph.add_node(Add())
    graph.connect(last, 0, twice, 0)
    graph.connect(node, 0, twice, 1)
    evaluator = LazyEvaluator()
    is_over = threading.Event()

    def change() -> None:
        k = 0
        while not is_over.is_set():
            k = (k + 1) % 100
            graph.replace_node(node, Add(float(k)))
            if k == 0:
                graph.remove_node(graph.add_node(Add()))

    changer = threading.Thread(target=change)
    changer.start()
    try:
        with ThreadPoolExecutor(3) as pool:
            evaluations = [pool.submit(evaluator.evaluate, graph, [twice]) for _ in range(300)]
            values = [evaluation.result().outputs[0][0] for evaluation in evaluations]
    finally:
        is_over.set()
        changer.join()
    assert all(value % 2 == 0 for value in values), "both ways to the sum saw the same parameter"


def test_node_may_evaluate_the_same_graph_with_the_same_evaluator() -> None:
    graph = Graph()
    evaluator = LazyEvaluator()
    inner = graph.add_node(Add(2.0))

    def nested(value: Any, _ctx: EvalContext) -> Any:
        return value + evaluator.evaluate(graph, [inner]).outputs[0][0]

    outer = graph.add_node(Call(nested))
    graph.connect(inner, 0, outer, 0)
    assert evaluator.evaluate(graph, [outer]).outputs == ((4.0,),)
    graph.replace_node(inner, Add(3.0))
    assert evaluator.evaluate(graph, [outer]).outputs == ((6.0,),)


def test_handle_gives_the_result_of_the_graph_and_arrays_as_they_were() -> None:
    graph = Graph()
    source, nap = graph.add_node(GraphInput("p", TEXTURE)), graph.add_node(Nap(0.05))
    fill = graph.add_node(Fill())
    graph.connect(nap, 0, fill, 0)
    out = graph.add_node(AddPicture(1.0))
    graph.connect(source, 0, out, 0)
    picture = np.zeros((2, 2, 1), np.float32)
    handle = LazyEvaluator().submit(graph, [fill, out], EvalContext(inputs={"p": picture}))
    picture[...] = 9.0
    graph.replace_node(out, AddPicture(5.0))
    assert not handle.done()
    assert handle.wait(10.0)
    assert handle.done()
    assert handle.result().outputs[1][0][0, 0, 0] == 1.0


def test_handle_raises_what_the_evaluation_raised() -> None:
    graph = Graph()
    node = graph.add_node(Raise(lambda: InvalidArgumentError("no")))
    with pytest.raises(InvalidArgumentError, match=r"^no$"):
        LazyEvaluator().submit(graph, [node]).result(10.0)


def test_cancelling_a_handle_stops_it() -> None:
    graph = Graph()
    last = chain(graph, lambda _: Nap(0.01), 1000)
    handle = LazyEvaluator().submit(graph, [last])
    start = time.monotonic()
    with pytest.raises(TimeoutError):
        handle.result(0.05)
    handle.cancel()
    with pytest.raises(Cancelled):
        handle.result(5.0)
    assert time.monotonic() - start < 4.0


def test_handle_is_awaited() -> None:
    graph = Graph()
    node = graph.add_node(Nap(0.02))
    slow = chain(graph, lambda _: Nap(0.01), 1000)
    evaluator = LazyEvaluator()

    async def run() -> tuple[Any, ...]:
        return (await evaluator.submit(graph, [node])).outputs

    async def give_up() -> None:
        handle = evaluator.submit(graph, [slow])
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(_awaited(handle), 0.05)
        with pytest.raises(Cancelled):
            handle.result(5.0)

    async def _awaited(handle: Any) -> Any:
        return await handle

    assert asyncio.run(run()) == ((0.0,),)
    asyncio.run(give_up())


def _evaluate_pickled(data: bytes, mean: int) -> object:
    return LazyEvaluator().evaluate(pickle.loads(data), [mean], EvalContext(inputs={"x": 1.0})).outputs


def test_pickled_graph_evaluates_alike_in_another_process() -> None:
    graph, mean = _pipeline()
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    code = (
        "import sys, pickle\nfrom unshape_core import EvalContext, LazyEvaluator\n"
        "graph, mean = pickle.loads(sys.stdin.buffer.read())\n"
        "print(LazyEvaluator().evaluate(graph, [mean], EvalContext(inputs={'x': 1.0})).outputs)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps((graph, mean)),
        capture_output=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert str(_evaluate_pickled(pickle.dumps(graph), mean)) == done.stdout.decode().strip()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_forked_child_evaluates_although_other_threads_held_the_locks() -> None:
    graph, mean = _pipeline()
    evaluator = LazyEvaluator()
    evaluator.evaluate(graph, [mean], EvalContext(inputs={"x": 1.0}))
    slow = Graph()
    handle = evaluator.submit(slow, [chain(slow, lambda _: Nap(0.01), 1000)])
    exit_codes: list[int] = []
    with graph._lock, evaluator._lock, evaluator.cache._lock:
        forking = threading.Thread(target=lambda: exit_codes.append(_forked(graph, mean, evaluator, handle)))
        forking.start()
        forking.join(30.0)
    handle.cancel()
    with pytest.raises(Cancelled):
        handle.result(5.0)
    assert [0] == exit_codes


def _forked(graph: Graph, mean: int, evaluator: LazyEvaluator, handle: EvalHandle) -> int:
    """Fork, use everything in the child, and return its exit code: 0 if all was right."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            result = evaluator.evaluate(graph, [mean], EvalContext(inputs={"x": 2.0}))
            with pytest.raises(UnshapeError, match="which this one was forked from"):
                handle.result()
            code = 0 if result.outputs == ((22.0,),) else 2
        finally:
            os._exit(code)
    deadline = time.monotonic() + 20.0
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -9


def test_interpreter_ends_with_an_evaluation_under_way() -> None:
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    code = (
        "from core_nodes import Nap, chain\nfrom unshape_core import Graph, LazyEvaluator\n"
        "graph = Graph()\nhandle = LazyEvaluator().submit(graph, [chain(graph, lambda _: Nap(0.01), 10000)])\n"
        "print('left', handle.done())"
    )
    start = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": path},
        check=False,
    )
    assert (0, "left False\n", "") == (done.returncode, done.stdout, done.stderr)
    assert time.monotonic() - start < 30.0


def test_error_survives_pickling_between_processes() -> None:
    graph = Graph()
    node = graph.add_node(Raise(lambda: OSError("gone")))
    with pytest.raises(NodeError) as caught:
        LazyEvaluator().evaluate(graph, [node])
    other = pickle.loads(pickle.dumps(caught.value))
    assert (str(caught.value), node, "test::Raise") == (str(other), other.node_id, other.type_name)
