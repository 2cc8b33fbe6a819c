"""Measuring: one harness for every candidate.

A task is compiled and its inputs are brought over first; what is timed is the call until the result could be used. The
first sample, which pays for caches and late compilation, is dropped and the median of the others kept. Candidates take
turns, so that a machine that slows down slows all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from types import MappingProxyType
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from unshape_backend.candidates import kernel_revision, stated_cost, why_not
from unshape_backend.capabilities import FigureSource, Link, TransferPath
from unshape_backend.cost import Cost
from unshape_backend.measurement import Cell, CellKey, MeasuredLink, Measurements
from unshape_backend.protocols import ComputeBackend
from unshape_backend.task import Task
from unshape_backend.topology import BackendEntry, Topology
from unshape_core.context import EvalContext
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST, MemorySpace
from unshape_core.value import Value

_Key = TypeVar("_Key")

SAMPLES = 7
_SMALL_BYTES = 4
_LARGE_BYTES = 16 * 1024 * 1024


def measure_task(
    task: Task, topology: Topology, inputs: Sequence[Value], ctx: EvalContext, *, samples: int = SAMPLES
) -> Measurements:
    """Time a task on every backend that can run it.

    Parameters
    ----------
    task : Task
        What is to be run.
    topology : Topology
        Who there is.
    inputs : sequence of Value
        Host values that cover ``task.region.inputs``.
    ctx : EvalContext
        The circumstances; may cancel between runs.
    samples : int, at least 2
        How many runs of each backend; the first does not count.

    Returns
    -------
    Measurements
        One cell for each backend that can run the task.
    """
    able = [entry for entry in topology.entries if why_not(entry, task) is None]
    runs = {entry.id: prepared_run(entry.backend, task, inputs, ctx) for entry in able}
    medians = time_in_turns(runs, samples=samples, between=ctx.raise_if_cancelled)
    cells = {
        CellKey.of(task, entry.capabilities.device.fingerprint, revision=kernel_revision(entry, task)): _cell(
            entry, task, medians[entry.id]
        )
        for entry in able
    }
    return Measurements(cells=MappingProxyType(cells))


def _cell(entry: BackendEntry, task: Task, ns: int) -> Cell:
    stated = stated_cost(entry, task) or Cost()
    return Cell(elements=task.workload.elements, ns=ns, launch_ns=stated.launch_ns, compute_ns=stated.compute_ns)


def measure_links(entry: BackendEntry, *, samples: int = SAMPLES) -> Measurements:
    """Time the way from host memory to a backend and back, each direction apart.

    Latency is that of a tiny transfer; bandwidth follows from what a large one takes longer.

    Parameters
    ----------
    entry : BackendEntry
        The backend; one that computes in host memory has no links.
    samples : int, at least 2
        How many transfers of each size and direction; the first does not count.
    """
    facts, backend = entry.capabilities, entry.backend
    if facts.space == HOST:
        return Measurements()
    host = {size: np.zeros(size, np.uint8) for size in (_SMALL_BYTES, _LARGE_BYTES)}
    there = {size: backend.upload(array) for size, array in host.items()}
    runs: dict[str, Callable[[], None]] = {}
    for size, array in host.items():
        runs[f"up {size}"] = _upload(backend, array)
        runs[f"down {size}"] = _download(backend, there[size])
    medians = time_in_turns(runs, samples=samples)
    links = []
    for way, source, target in (("up", HOST, facts.space), ("down", facts.space, HOST)):
        latency_ns, large_ns = medians[f"{way} {_SMALL_BYTES}"], medians[f"{way} {_LARGE_BYTES}"]
        # a machine that hesitated during the tiny transfers must not make the bandwidth infinite or negative
        spent_ns = large_ns - latency_ns if large_ns > latency_ns else max(1, large_ns)
        link = Link(
            source=source,
            target=target,
            path=_path(entry, source, target),
            latency_ns=latency_ns,
            bytes_per_ns=(_LARGE_BYTES - _SMALL_BYTES) / spent_ns,
            figures=FigureSource.MEASURED,
        )
        links.append(MeasuredLink(link=link, fingerprint=facts.device.fingerprint))
    return Measurements(links=tuple(links))


def prepared_run(backend: ComputeBackend, task: Task, inputs: Sequence[Value], ctx: EvalContext) -> Callable[[], None]:
    """Return a call that runs a task to its end; compiling and bringing inputs over is done before."""
    compiled = backend.compile(task)
    is_there = backend.capabilities.space == HOST
    there = [backend.upload(each) if isinstance(each, np.ndarray) and not is_there else each for each in inputs]

    def run() -> None:
        compiled(task.nodes, there, ctx)
        backend.flush()
        backend.synchronize()

    return run


def time_in_turns(
    runs: Mapping[_Key, Callable[[], object]],
    *,
    samples: int = SAMPLES,
    between: Callable[[], None] = lambda: None,
    clock: Callable[[], int] = time.perf_counter_ns,
) -> dict[_Key, int]:
    """Return the median time of each run in nanoseconds, its first sample left out.

    Parameters
    ----------
    runs : mapping of key to callable
        What is timed; they take turns.
    samples : int, at least 2
        How often each is called.
    between : callable
        Called between runs, untimed; may raise to stop.
    clock : callable
        Nanoseconds.

    Raises
    ------
    InvalidArgumentError
        If there are too few samples to leave one out.
    """
    if samples < 2:
        msg = f"samples: expected at least 2, since the first does not count, got {samples}"
        raise InvalidArgumentError(msg)
    times: dict[_Key, list[int]] = {key: [] for key in runs}
    for _ in range(samples):
        for key, run in runs.items():
            between()
            start = clock()
            run()
            times[key].append(clock() - start)
    return {key: max(1, round(median(spent[1:]))) for key, spent in times.items()}


def _upload(backend: ComputeBackend, array: npt.NDArray[np.uint8]) -> Callable[[], None]:
    def run() -> None:
        backend.upload(array)
        backend.flush()
        backend.synchronize()

    return run


def _download(backend: ComputeBackend, value: Value) -> Callable[[], None]:
    def run() -> None:
        backend.download(value)

    return run


def _path(entry: BackendEntry, source: MemorySpace, target: MemorySpace) -> TransferPath:
    stated = [link.path for link in entry.capabilities.links if (link.source, link.target) == (source, target)]
    return stated[0] if stated else TransferPath.DEVICE_COPY
