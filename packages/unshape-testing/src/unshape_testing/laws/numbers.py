"""Laws 8 to 13: a backend gives what the definition means, for any numbers, shapes, layouts, threads and windows."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from unshape_backend.capabilities import Feature
from unshape_backend.case import Case
from unshape_backend.cpu.backend import CpuBackend
from unshape_backend.protocols import ComputeBackend
from unshape_core.context import EvalContext, Precision
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST
from unshape_core.protocols import Node
from unshape_core.value import Value
from unshape_core.window import Window
from unshape_testing.flushing import each_way
from unshape_testing.strategies import Layout, laid_out
from unshape_testing.tasks import Job, crop, make_job, on_host, run_job
from unshape_testing.tolerance import assert_same_bits, assert_within

REPEATS = 20
THREADS = (1, 2, 4, 8)


@cache
def reference() -> CpuBackend:
    """Return the reference that subjects are compared with; one for all, since it keeps what it prepared."""
    return CpuBackend()


def definition(job: Job) -> tuple[Value, ...]:
    """Return what a task means: the reference's result."""
    return run_job(reference(), job)


def case_job(case: Case, *, window: Window | None = None) -> Job:
    """Return the task of a case."""
    return make_job(case.node, case.values(), case.ctx, window=window)


def job_for(backend: ComputeBackend, case: Case, *, window: Window | None = None) -> Job:
    """Return the task of a case as a backend is given it: one that is not exact gets it with ``precision="fast"``."""
    if Feature.EXACT_F32 not in backend.capabilities.features:
        case = with_precision(case, "fast")
    return case_job(case, window=window)


def with_precision(case: Case, precision: Precision) -> Case:
    """Return a case with another precision asked for."""
    return replace(case, ctx=replace(case.ctx, precision=precision))


def check_equals_definition(backend: ComputeBackend, case: Case, *, window: Window | None = None) -> None:
    """Law 8: bit for bit where EXACT_F32 is claimed, within the case's bound elsewhere.

    Parameters
    ----------
    backend : ComputeBackend
        The subject.
    case : Case
        What is run.
    window : Window or None
        The part of the output to compute.
    """
    actual = run_job(backend, job_for(backend, case, window=window))
    assert_as_promised(backend, case, case_job(case, window=window), actual, what=f"{case.name} on '{backend.id}'")


def check_fast_is_within_its_bound(backend: ComputeBackend, case: Case) -> None:
    """Law 8: with ``precision="fast"`` a result is within the bound that its case states, on every backend."""
    expected, fast = definition(case_job(case)), case_job(with_precision(case, "fast"))
    what = f"{case.name} on '{backend.id}', fast"
    assert_within(expected, run_job(backend, fast), ulp=case.fast_ulp, absolute=case.fast_absolute, what=what)


def assert_as_promised(backend: ComputeBackend, case: Case, job: Job, actual: Sequence[Value], *, what: str) -> None:
    """Assert that a result is as close to the definition as its backend promises.

    Where a backend does not claim DENORMALS, an element may also be what the definition gives in arithmetic without
    subnormal numbers (see :mod:`unshape_testing.flushing`), and zero where that is subnormal; nothing else is excused.

    Parameters
    ----------
    backend : ComputeBackend
        Whose promise.
    case : Case
        Holds the bound for devices that are not exact.
    job : Job
        What the definition is run on.
    actual : sequence of Value
        Outputs in port order.
    what : str
        Begins the message.
    """
    features = backend.capabilities.features
    if Feature.DENORMALS in features:
        expected: Sequence[Value] = definition(job)
    else:
        ways = each_way(lambda: definition(job))
        actual = [_flushed(each) for each in actual]
        expected = [_nearest([_flushed(way[k]) for way in ways], each) for k, each in enumerate(actual)]
        assert len(ways[0]) == len(actual), f"{what}: expected {len(ways[0])} outputs, got {len(actual)}"
    if Feature.EXACT_F32 in features:
        assert_same_bits(expected, actual, what=what)
    else:
        assert_within(expected, actual, ulp=case.fast_ulp, absolute=case.fast_absolute, what=what)


def _flushed(value: Value) -> Value:
    if not isinstance(value, np.ndarray) or value.dtype != np.float32:
        return value
    return np.where(np.abs(value) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), value), value)


def _nearest(ways: Sequence[Value], actual: Value) -> Value:
    """Return the definition's result, with elements of the other ways where those are what was computed."""
    found = ways[0]
    if not isinstance(found, np.ndarray) or not isinstance(actual, np.ndarray) or actual.dtype != np.float32:
        return found
    for way in ways[1:]:
        assert isinstance(way, np.ndarray)
        if way.shape == actual.shape:
            is_this = (way.view(np.uint32) == actual.view(np.uint32)) | (np.isnan(way) & np.isnan(actual))
            found = np.where(is_this, way, found)
    return found


def check_windows(backend: ComputeBackend, case: Case) -> None:
    """Law 13: any window equals the same part of the whole, bit for bit, on one backend."""
    whole = run_job(backend, job_for(backend, case))
    for window in case.windows:
        job = job_for(backend, case, window=window)
        what = f"{case.name} on '{backend.id}', window {window}"
        region = job.task.region.output
        parts = [crop(value, region) if _is_picture(job, index) else value for index, value in enumerate(whole)]
        assert_same_bits(parts, run_job(backend, job), what=what)
        assert_same_bits(parts, run_job(backend, with_whole_inputs(case, job)), what=f"{what}, whole inputs at hand")


def _is_picture(job: Job, index: int) -> bool:
    return job.task.output_specs[index].picture_px is not None


def with_whole_inputs(case: Case, job: Job) -> Job:
    """Return the same work with more at hand than is read, as when another consumer reads more of it."""
    windows = tuple(
        None if spec.picture_px is None else Window.whole(width_px=spec.picture_px[0], height_px=spec.picture_px[1])
        for spec in job.task.input_specs
    )
    region = replace(job.task.region, inputs=windows)
    return replace(
        job, task=replace(job.task, region=region), inputs=case.values(), ctx=replace(job.ctx, region=region)
    )


def check_layouts(backend: ComputeBackend, case: Case) -> None:
    """Law 11: inputs of any layout give the same bits, stay as they were, and outputs own their memory."""
    for layout in Layout:
        values = [laid_out(value, layout) if _has_rows(value) else value for value in case.values()]
        plain = make_job(case.node, [_plain(value) for value in values], case.ctx)
        before = [_bytes(value) for value in values]
        job = make_job(case.node, values, job_for(backend, case).ctx)
        run = backend.compile(job.task)
        # Host memory is used as it lies; only the byte order is settled before a value is on a wire.
        is_direct = backend.capabilities.space == HOST and layout is not Layout.BIG_ENDIAN
        inputs = job.inputs if is_direct else [_uploaded(backend, value) for value in job.inputs]
        given = run(job.task.nodes, inputs, job.ctx)
        outputs = [on_host(backend, value) for value in given]
        what = f"{case.name} on '{backend.id}', {layout} inputs"
        assert_as_promised(backend, case, plain, outputs, what=what)
        assert before == [_bytes(value) for value in values], f"{what}: the inputs were changed"
        for output in (*given, *outputs):
            arrays = [value for value in values if isinstance(value, np.ndarray)]
            is_alias = isinstance(output, np.ndarray) and any(np.shares_memory(output, each) for each in arrays)
            assert not is_alias, f"{what}: an output is an input's memory"


def _plain(value: Value) -> Value:
    if not isinstance(value, np.ndarray):
        return value
    return np.array(value, dtype=value.dtype.newbyteorder("="), order="C")


def _bytes(value: Value) -> Value | bytes:
    return value.tobytes() if isinstance(value, np.ndarray) else value


def _uploaded(backend: ComputeBackend, value: Value) -> Value:
    return backend.upload(value) if isinstance(value, np.ndarray) else value


def check_outputs_are_values_of_their_own(backend: ComputeBackend, case: Case) -> None:
    """Law 11: on the device too, running changes no input, and a second run changes no earlier output."""
    job = job_for(backend, case)
    run = backend.compile(job.task)
    inputs = [_uploaded(backend, value) for value in job.inputs]
    before = [on_host(backend, value) for value in inputs]
    first = run(job.task.nodes, inputs, job.ctx)
    kept = [on_host(backend, value) for value in first]
    others = [backend.upload(np.negative(v)) if isinstance(v, np.ndarray) else v for v in job.inputs]
    with suppress(InvalidArgumentError):
        for value in run(job.task.nodes, others, job.ctx):
            on_host(backend, value)
    what = f"{case.name} on '{backend.id}'"
    assert_same_bits(before, [on_host(backend, value) for value in inputs], what=f"{what}: inputs after a run")
    assert_same_bits(kept, [on_host(backend, value) for value in first], what=f"{what}: outputs after another run")


def _has_rows(value: Value) -> TypeGuard[npt.NDArray[Any]]:
    return isinstance(value, np.ndarray) and value.size > 0 and value.ndim > 0


def check_repeatable(backend: ComputeBackend, case: Case) -> None:
    """Law 12: the same bits in 20 runs, from 1 to 8 threads at once, and after a run that failed."""
    job = job_for(backend, case)
    first = run_job(backend, job)
    what = f"{case.name} on '{backend.id}'"
    for _ in range(REPEATS):
        assert_same_bits(first, run_job(backend, job), what=f"{what}, again")
    run = backend.compile(job.task)
    with suppress(InvalidArgumentError):
        run(job.task.nodes, [*job.inputs, 1.0], job.ctx)
    assert_same_bits(first, run_job(backend, job), what=f"{what}, after a failure")
    for threads in THREADS:
        with ThreadPoolExecutor(threads) as pool:
            for result in pool.map(lambda _: run_job(backend, job), range(2 * threads)):
                assert_same_bits(first, result, what=f"{what}, {threads} threads")


def check_parameters_are_not_compiled_in(
    backend: ComputeBackend, before: Node, after: Node, inputs: Sequence[Value], ctx: EvalContext
) -> None:
    """Law 8: a compiled task runs nodes of other parameters, and gives what they mean."""
    job, changed = make_job(before, inputs, ctx), make_job(after, inputs, ctx)
    run = backend.compile(job.task)
    for each in (job, changed, job):
        values = [_uploaded(backend, value) for value in inputs]
        outputs = [on_host(backend, value) for value in run(each.task.nodes, values, each.ctx)]
        what = f"{each.task.node} on '{backend.id}'"
        case = Case(name=before.type_name, node=before)
        assert_as_promised(backend, case, each, outputs, what=what)
