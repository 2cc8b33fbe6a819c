"""Timing of cases on backends: all candidates through one harness, interleaved, medians."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from unshape.session import default_session
from unshape_backend.domain_cases import domain_cases
from unshape_backend.identity import family, parse_backend_id

if TYPE_CHECKING:
    from pathlib import Path

    from unshape_backend.case import Case
    from unshape_backend.measurement import Measurements
    from unshape_backend.protocols import ComputeBackend
    from unshape_backend.registry import BackendRegistry
    from unshape_core.context import Precision
    from unshape_core.protocols import ProgressSink
    from unshape_core.value import Value

_COPY_BYTES = 1 << 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The time of one case on one backend.

    Parameters
    ----------
    case, backend : str
        What was timed where.
    median_ns : int
        Of one evaluation with a cached plan and inputs where the backend wants them, result left there.
    points : int
        Pixels computed.
    nbytes : int
        Bytes of inputs and outputs, each once.
    rounds : int
        Samples taken.
    """

    case: str
    backend: str
    median_ns: int
    points: int
    nbytes: int
    rounds: int


def bench(
    *,
    pattern: re.Pattern[str],
    backends: Sequence[str] | None,
    resolution: tuple[int, int],
    rounds: int,
    precision: Precision,
) -> list[Measured]:
    """Time the cases marked for it.

    Parameters
    ----------
    pattern : re.Pattern
        Cases whose name matches are timed.
    backends : sequence of str or None
        Where; None is every backend that can be used.
    resolution : (int, int)
        ``(width_px, height_px)`` of pictures and of the context.
    rounds : int
        Samples of each; backends take turns in every round.
    precision : {"exact", "fast"}
        Of the context.
    """
    wanted = None if backends is None else {family(parse_backend_id(name)) for name in backends}
    topology = default_session().registry.snapshot(wanted)
    names = [str(e.id) for e in topology.entries if e.why_unusable() is None] if backends is None else list(backends)
    results: list[Measured] = []
    for _, case in domain_cases():
        if case.bench and pattern.search(case.name):
            results.extend(_bench_case(scaled(case, resolution, precision), names, rounds))
    return results


def copy_bytes_per_ns() -> float:
    """Return how many bytes a copy in host memory moves in a nanosecond, read and written counted."""
    source = np.ones(_COPY_BYTES // 4, np.float32)
    target = np.empty_like(source)
    durations = []
    for _ in range(7):
        start_ns = time.perf_counter_ns()
        np.copyto(target, source)
        durations.append(time.perf_counter_ns() - start_ns)
    return 2 * _COPY_BYTES / statistics.median(durations)


def scaled(case: Case, resolution: tuple[int, int], precision: Precision) -> Case:
    """Return a case with pictures and context of another size and precision; arrays among its inputs stay."""
    from unshape_backend.case import Picture

    width, height = resolution
    inputs = tuple(
        replace(each, width_px=width, height_px=height) if isinstance(each, Picture) else each for each in case.inputs
    )
    return replace(case, inputs=inputs, ctx=replace(case.ctx, resolution=resolution, precision=precision))


def prepared_case(
    case: Case, inputs: Sequence[Value], backend: ComputeBackend, precision: Precision
) -> Callable[[], None]:
    """Return a call that runs a case on a backend to its end; compiling and bringing inputs over is done before."""
    from unshape_backend.measure import prepared_run
    from unshape_backend.single_task import make_job

    job = make_job(case.node, inputs, replace(case.ctx, precision=precision))
    return prepared_run(backend, job.task, job.inputs, job.ctx)


def _bench_case(case: Case, backends: Iterable[str], rounds: int) -> list[Measured]:
    from unshape_backend.candidates import why_not
    from unshape_backend.measure import prepared_run, time_in_turns
    from unshape_backend.single_task import make_job

    job = make_job(case.node, case.values(), case.ctx)
    topology = default_session().registry.current()
    entries = [entry for entry in topology.entries if entry.id in backends and why_not(entry, job.task) is None]
    runs = {str(entry.id): prepared_run(entry.backend, job.task, job.inputs, job.ctx) for entry in entries}
    medians = time_in_turns(runs, samples=rounds + 1)
    hint, output = job.task.workload, job.task.region.output
    return [
        Measured(
            case=case.name,
            backend=name,
            median_ns=median_ns,
            points=output.width_px * output.height_px,
            nbytes=(hint.bytes_read or 0) + (hint.bytes_written or 0),
            rounds=rounds,
        )
        for name, median_ns in medians.items()
    ]


def calibrate(
    registry: BackendRegistry, *, sides_px: Sequence[int], progress: ProgressSink | None = None
) -> tuple[Measurements, Path]:
    """Measure every link, and the cases marked for it on every backend that runs them; keep the figures.

    Parameters
    ----------
    registry : BackendRegistry
        Who there is; it takes the figures over.
    sides_px : sequence of int
        Sides of the square pictures to measure.
    progress : ProgressSink or None
        Told of every measurement.

    Returns
    -------
    Measurements
        What was measured.
    Path
        The file that keeps it.
    """
    from unshape_backend.measure import measure_links, measure_task
    from unshape_backend.measurement import Measurements
    from unshape_backend.measurement_store import save_measurements
    from unshape_backend.single_task import make_job
    from unshape_core.progress import EvalProgress

    topology = registry.snapshot()
    entries = [entry for entry in topology.entries if entry.why_unusable() is None]
    cases = [case for _, case in domain_cases() if case.bench]
    found = Measurements()
    total, done = len(entries) + len(cases) * len(sides_px), 0

    def tell(name: str) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(EvalProgress(done=done, total=total, node_id=None, type_name=name))

    for entry in entries:
        found = found.merged(measure_links(entry))
        tell(f"links of {entry.id}")
    for case in cases:
        for side in sides_px:
            sized = scaled(case, (side, side), "exact")
            job = make_job(sized.node, sized.values(), sized.ctx)
            found = found.merged(measure_task(job.task, topology, job.inputs, job.ctx))
            tell(f"{case.name} at {side}x{side}")
    merged = topology.measurements.merged(found)
    registry.set_measurements(merged)
    return found, save_measurements(merged, registry.settings)
