"""Compiled shaders and bind groups are bounded, and nothing that is in use is lost by that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from unshape_core.context import EvalContext
from unshape_expr import build
from unshape_expr.ir import Expr
from unshape_expr.types import Type
from unshape_gpu.backend import GpuComputeBackend
from unshape_gpu.program_store import MAX_PROGRAM_BYTES, MAX_PROGRAMS, ProgramStore
from unshape_gpu.queue import MAX_BIND_GROUPS
from unshape_testing.nodes import ExpressionNode
from unshape_testing.random_expressions import Leaves
from unshape_testing.tasks import Job, make_job, run_job

CTX = EvalContext(resolution=(8, 8))
HALVES = np.full((8, 8, 1), 0.5, np.float32)


@dataclass(frozen=True)
class Shader:
    """Stands for a compiled shader."""

    nbytes: int


def used_in_turn(store: ProgramStore, count: int, nbytes: int = 1) -> None:
    for number in range(count):
        store.get(number, lambda: Shader(nbytes))


def is_bounded(store: ProgramStore) -> bool:
    """Return whether no more is kept after twice as much work."""
    used_in_turn(store, 2000)
    once = store.statistics.kept
    used_in_turn(store, 4000)
    return once == store.statistics.kept


def test_the_number_is_bounded() -> None:
    assert is_bounded(ProgramStore())


def test_a_store_without_bounds_is_found_out() -> None:
    """The twin."""
    assert not is_bounded(ProgramStore(max_count=1 << 40, max_bytes=1 << 60))


def test_bytes_are_bounded_too() -> None:
    store = ProgramStore(max_bytes=100)
    used_in_turn(store, 20, nbytes=30)
    assert (3, 90, 17) == (store.statistics.kept, store.statistics.kept_bytes, store.statistics.evictions)


def test_what_was_used_last_stays() -> None:
    store = ProgramStore(max_count=2)
    first = store.get("first", lambda: Shader(1))
    store.get("second", lambda: Shader(1))
    assert store.get("first", lambda: Shader(2)) is first
    store.get("third", lambda: Shader(1))
    assert store.get("first", lambda: Shader(2)) is first
    assert (2, 3, 1) == (store.statistics.hits, store.statistics.misses, store.statistics.evictions)


def test_a_shader_larger_than_the_bound_is_kept_while_it_is_the_newest() -> None:
    store = ProgramStore(max_bytes=10)
    large = store.get("large", lambda: Shader(1000))
    assert store.get("large", lambda: Shader(1)) is large
    store.get("small", lambda: Shader(1))
    assert (1, 1) == (store.statistics.kept, store.statistics.kept_bytes)


def test_lower_limits_hold_at_once() -> None:
    store = ProgramStore()
    used_in_turn(store, 100)
    store.set_limits(max_count=7)
    assert store.statistics.kept == 7
    store.set_limits(max_bytes=3)
    assert store.statistics.kept == 3


def gain_job(terms: int) -> Job:
    """Return work with a shader of its own for each number of terms: 0.5 * terms + 0.5."""
    color = build.input_pixel("color", Type.F32)
    total: Expr = color
    for _ in range(terms):
        total = total + color
    node = ExpressionNode(f"{terms} terms more", (total,), Leaves(pictures={"color": Type.F32}, scalars={}))
    return make_job(node, (HALVES,), CTX)


@pytest.fixture
def one_program(gpu: GpuComputeBackend) -> Iterator[GpuComputeBackend]:
    gpu.context.programs.set_limits(max_count=1)
    yield gpu
    gpu.context.programs.set_limits(max_count=MAX_PROGRAMS, max_bytes=MAX_PROGRAM_BYTES)


def test_a_task_keeps_its_shader_when_the_store_drops_it(one_program: GpuComputeBackend) -> None:
    jobs = [gain_job(terms) for terms in range(6)]
    ready = [one_program.compile(job.task) for job in jobs]
    assert one_program.context.programs.statistics.kept == 1
    values = [run(job.task.nodes, [one_program.upload(HALVES)], CTX)[0] for run, job in zip(ready, jobs, strict=True)]
    assert [0.5 * (terms + 1) for terms in range(6)] == [float(np.asarray(value)[3, 3, 0]) for value in values]


def test_work_that_is_recorded_keeps_its_shader(one_program: GpuComputeBackend) -> None:
    job = gain_job(7)
    run = one_program.compile(job.task)
    (value,) = run(job.task.nodes, [one_program.upload(HALVES)], CTX)
    del run
    for terms in range(8, 12):
        one_program.compile(gain_job(terms).task)
    assert np.asarray(value)[0, 0, 0] == 4.0


def test_what_was_dropped_is_compiled_again(one_program: GpuComputeBackend) -> None:
    def compiled_by(work: Callable[[], object]) -> int:
        before = one_program.context.compilations
        work()
        return one_program.context.compilations - before

    run_job(one_program, gain_job(13))
    assert compiled_by(lambda: run_job(one_program, gain_job(13))) == 0
    run_job(one_program, gain_job(14))
    assert compiled_by(lambda: run_job(one_program, gain_job(13))) == 1


def test_bind_groups_are_bounded_and_results_stay_right(gpu: GpuComputeBackend) -> None:
    assert gpu.queue.max_bind_groups == MAX_BIND_GROUPS
    gpu.queue.max_bind_groups = 3
    job = gain_job(1)
    run = gpu.compile(job.task)
    values = [run(job.task.nodes, [gpu.upload(HALVES * np.float32(k))], CTX)[0] for k in range(20)]
    assert [float(k) for k in range(20)] == [float(np.asarray(value)[1, 1, 0]) for value in values]
    assert gpu.queue.statistics.dropped_bind_groups >= 17
