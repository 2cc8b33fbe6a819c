"""Laws 12 to 14, 18 and 22 on whole graphs: planned equals node by node, however and wherever it runs."""

from __future__ import annotations

import itertools
import pickle
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import Feature
from unshape_backend.identity import BackendId
from unshape_backend.plan.options import PlanOptions
from unshape_backend.protocols import ComputeBackend
from unshape_core.cancellation import CancellationToken
from unshape_core.errors import Cancelled, UnshapeError
from unshape_core.memory_space import HOST
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_testing.failure import Failure, FailurePoint
from unshape_testing.fake import FakeBackend
from unshape_testing.graphs import GraphCase, chain, given_picture, shared_input
from unshape_testing.laws.expect import picture
from unshape_testing.laws.running import (
    assert_means,
    definition_of,
    evaluator_of,
    executor_of,
    registry_of,
    run_case,
    values_of,
)
from unshape_testing.nodes import BoxMean, Gain, Ramp, Wobble
from unshape_testing.tolerance import assert_same_bits

CANCEL_LIMIT_S = 5.0
EXPRESSIONS = (Wobble(0.1), Wobble(0.2), Wobble(0.3), Gain(0.5))
"""Nodes that every backend runs that runs expressions."""


def is_exact(backends: Iterable[ComputeBackend]) -> bool:
    """Return whether all of some backends promise the same bits."""
    return all(Feature.EXACT_F32 in backend.capabilities.features for backend in backends)


def check_policies_agree(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    """Law 14: every policy, with fusion and without it, gives what the nodes mean one by one.

    Parameters
    ----------
    backends : tuple of ComputeBackend
        Those that take part beside the reference.
    case : GraphCase
        What is evaluated.
    """
    kinds = [f"prefer:{backend.capabilities.kind}" for backend in backends]
    policies = ["auto", "local-first", "minimize-cost", "by-priority", *kinds]
    registry = registry_of(*backends)
    if not is_exact(backends):
        case = replace(case, ctx=replace(case.ctx, precision="fast"))
    expected = definition_of(case)
    for policy, is_fused in itertools.product(policies, (True, False)):
        evaluator = evaluator_of(registry, policy, options=PlanOptions(is_fusion_enabled=is_fused))
        what = f"{case.name} by {policy}, {'fused' if is_fused else 'not fused'}"
        assert_means(expected, run_case(evaluator, case), is_exact=is_exact(backends), what=what)


def check_mixtures_agree(backends: tuple[ComputeBackend, ...], case: GraphCase, *, seed: int = 0) -> None:
    """Law 14: nodes that are pinned here and there give the same, and run where they are pinned.

    Parameters
    ----------
    backends : tuple of ComputeBackend
        Those that take part beside the reference.
    case : GraphCase
        What is evaluated.
    seed : int
        Chooses who is pinned where.
    """
    registry = registry_of(*backends)
    ids = registry.snapshot().ids
    rng = np.random.default_rng(seed)
    computing = [n for n in case.graph if not case.graph.node(n).type_name.startswith("core::")]
    pins = {node: BackendId(ids[rng.integers(len(ids))]) for node in computing}
    free = _runnable_pins(backends, case, pins)
    evaluator = evaluator_of(registry, options=PlanOptions(pins=free))
    result = run_case(evaluator, case)
    assert_means(definition_of(case), result, is_exact=is_exact(backends), what=f"{case.name} pinned {free}")
    for node, backend_id in free.items():
        record = result.record_of(node)
        assert record is None or record.backend == backend_id, f"node {node} was pinned to {backend_id}: {record}"


def _runnable_pins(
    backends: tuple[ComputeBackend, ...], case: GraphCase, pins: dict[int, BackendId]
) -> dict[int, BackendId]:
    """Return the pins that can be kept: those whose backend runs the node."""
    kept = {}
    for node, backend_id in pins.items():
        evaluator = evaluator_of(registry_of(*backends), options=PlanOptions(pins={node: backend_id}))
        with suppress(UnshapeError):
            evaluator.prepare(case.graph, case.outputs, case.ctx)
            kept[node] = backend_id
    return kept


def check_tiles_agree(backends: tuple[ComputeBackend, ...], case: GraphCase, policy: str) -> None:
    """Law 13: a graph computed in tiles equals the whole, bit for bit.

    Parameters
    ----------
    backends : tuple of ComputeBackend
        Those that take part beside the reference.
    case : GraphCase
        All its outputs are pictures of the resolution.
    policy : str
        Who computes.
    """
    evaluator = evaluator_of(registry_of(*backends), policy)
    whole = [value for value in values_of(run_case(evaluator, case)) if isinstance(value, np.ndarray)]
    width_px, height_px = case.ctx.resolution
    for top, left in itertools.product(range(0, height_px, 7), range(0, width_px, 9)):
        window = Window(left, top, min(9, width_px - left), min(7, height_px - top))
        tile = values_of(run_case(evaluator, case, window=window))
        expected: list[Value] = [
            value[top : window.bottom_px, left : window.right_px] if value.ndim == 3 else value for value in whole
        ]
        assert_same_bits(expected, tile, what=f"{case.name} by {policy}, {window}")


def check_repeats_agree(backends: tuple[ComputeBackend, ...], case: GraphCase) -> None:
    """Law 12: the same again from a warm cache, a cold one, and after an evaluation that failed."""
    evaluator = evaluator_of(registry_of(*backends))
    first = values_of(run_case(evaluator, case))
    assert_same_bits(first, values_of(run_case(evaluator, case)), what=f"{case.name}, warm")
    evaluator.clear_cache()
    assert_same_bits(first, values_of(run_case(evaluator, case)), what=f"{case.name}, cold")
    failing = chain((Ramp(1.0), Gain(2.0)))
    with suppress(UnshapeError):
        evaluator.evaluate(failing.graph, ["no such output"], failing.ctx)
    assert_same_bits(first, values_of(run_case(evaluator, case)), what=f"{case.name}, after a failure")


def check_one_upload(backend: ComputeBackend) -> None:
    """Law 18: one upload however many readers; found again; uploaded again once it was dropped; never stale."""
    if backend.capabilities.space == HOST:
        return
    case = shared_input(EXPRESSIONS)
    unfused = PlanOptions(is_fusion_enabled=False)
    evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}", options=unfused)
    key = HOST, backend.capabilities.space

    def uploads() -> int:
        traffic = executor_of(evaluator).residency.traffic.get(key)
        return 0 if traffic is None else traffic.count

    run_case(evaluator, case)
    assert uploads() == 1, f"one input of four readers was uploaded {uploads()} times"
    run_case(evaluator, case)
    assert uploads() == 1, "the same input was uploaded again although it was there"
    changed = replace(case, ctx=replace(case.ctx, inputs={"picture": given_picture(seed=12)}))
    assert_same_bits(definition_of(changed), values_of(run_case(evaluator, changed)), what="another input")
    assert uploads() == 2
    evaluator.cache.clear()
    assert_same_bits(definition_of(case), values_of(run_case(evaluator, case)), what="an input that was dropped")
    assert uploads() == 3, "a dropped input was not uploaded again"


def check_in_place_change_is_seen(
    backend: ComputeBackend, *, give: Callable[[npt.NDArray[np.float32]], Any] = lambda array: array
) -> None:
    """Law 18: an input that is changed in place is a new input.

    Parameters
    ----------
    backend : ComputeBackend
        Who computes.
    give : callable
        Returns what is given to the graph for an array.
    """
    array = picture(17, 23, 3)
    case = shared_input(EXPRESSIONS)
    case = replace(case, ctx=replace(case.ctx, inputs={"picture": give(array)}))
    evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")
    run_case(evaluator, case)
    array[3, 4] = 5.0
    changed = replace(case, ctx=replace(case.ctx, inputs={"picture": array.copy()}))
    result = run_case(evaluator, case)
    assert_means(definition_of(changed), result, is_exact=is_exact((backend,)), what="an input changed in place")


def check_threads_share_a_graph(backends: tuple[ComputeBackend, ...], case: GraphCase, *, policy: str = "auto") -> None:
    """Law 22: eight threads evaluate one graph with one evaluator."""
    expected = definition_of(case)
    evaluator = evaluator_of(registry_of(*backends), policy)

    def run(index: int) -> list[Value]:
        if index % 3 == 0:
            evaluator.clear_cache()
        return values_of(run_case(evaluator, case))

    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(run, range(24)):
            if is_exact(backends):
                assert_same_bits(expected, result, what=f"{case.name} in eight threads")


def check_pickled_graph_is_the_same(case: GraphCase) -> None:
    """Law 22: a graph that was pickled gives the same keys and the same values."""
    copy = replace(case, graph=pickle.loads(pickle.dumps(case.graph)))
    evaluator = evaluator_of(registry_of())
    first, second = run_case(evaluator, case), run_case(evaluator, copy)
    assert first.keys == second.keys, f"{case.name}: the pickled graph has other keys"
    assert_same_bits(values_of(first), values_of(second), what=f"{case.name}, pickled")


def check_cancel_stops_a_hanging_kernel(
    make: Callable[[], FakeBackend] = lambda: FakeBackend("hanging", failures=[Failure(point=FailurePoint.HANG)]),
) -> None:
    """Law 22: a kernel that never ends is left within seconds of a cancel, as Cancelled and nothing else."""
    backend, token = make(), CancellationToken()
    case = chain((Ramp(1.0), BoxMean(1)))
    evaluator = evaluator_of(registry_of(backend), f"named:{backend.id}")
    timer = threading.Timer(0.2, token.cancel)
    timer.start()
    start = time.monotonic()
    caught: BaseException | None = None
    try:
        evaluator.evaluate(case.graph, case.outputs, replace(case.ctx, cancellation=token))
    except UnshapeError as error:
        caught = error
    timer.join()
    assert isinstance(caught, Cancelled), f"expected Cancelled, got {caught!r}"
    assert time.monotonic() - start < CANCEL_LIMIT_S, "the cancel was not heeded"
