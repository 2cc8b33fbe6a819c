"""The programs of law 22, run as ``python -m unshape_testing.laws.programs PROGRAM MODULE NAME FILE``.

Each prints ``right`` and ends with 0 if a result was right, or an error was of the kind that it should be.
"""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from unshape_backend.errors import BackendError
from unshape_core.context import EvalContext
from unshape_testing.laws.expect import picture
from unshape_testing.nodes import Gain
from unshape_testing.tasks import Job, make_job, run_job

if TYPE_CHECKING:
    from unshape_backend.protocols import ComputeBackend

CHILD_LIMIT_S = 30


def main(arguments: Sequence[str]) -> int:
    """Run a program; 0 if all was right."""
    program, module, name, file = arguments
    _PROGRAMS[program](_find(module, name, file))
    sys.stdout.write("right\n")
    sys.stdout.flush()
    return 0


def _find(module: str, name: str, file: str) -> Callable[[], ComputeBackend]:
    """Return a function by name, also one of a test file that is on no path."""
    try:
        found = importlib.import_module(module)
    except ImportError:
        spec = importlib.util.spec_from_file_location(module, file)
        assert spec is not None
        assert spec.loader is not None
        found = importlib.util.module_from_spec(spec)
        sys.modules[module] = found
        spec.loader.exec_module(found)
    for part in name.split("."):
        found = getattr(found, part)
    return found  # type: ignore[return-value]  # what the caller named


def _job() -> Job:
    return make_job(Gain(2.0, 1.0), (picture(32, 32, 3),), EvalContext(resolution=(32, 32)))


def _is_right(backend: ComputeBackend) -> bool:
    expected = picture(32, 32, 3) * np.float32(2) + np.float32(1)
    (actual,) = run_job(backend, _job())
    return bool(np.allclose(expected, np.asarray(actual), rtol=1e-6, atol=1e-6))


def _exit_with_work_in_flight(open_backend: Callable[[], ComputeBackend]) -> None:
    """Hand over work and leave without waiting or closing."""
    backend, job = open_backend(), _job()
    run = backend.compile(job.task)
    kept = [run(job.task.nodes, [backend.upload(picture(32, 32, 3))], job.ctx) for _ in range(16)]
    backend.flush()
    assert len(kept) == 16


def _fork(open_backend: Callable[[], ComputeBackend]) -> None:
    """Use the backend, fork, use it again: a right result or a typed error in the child, a right one in the parent."""
    backend = open_backend()
    assert _is_right(backend)
    child = os.fork()
    if child == 0:
        try:
            is_fine = _is_right(backend)
        except BackendError:
            is_fine = True
        os._exit(0 if is_fine else 3)
    timer = threading.Timer(CHILD_LIMIT_S, lambda: os.kill(child, 9))
    timer.start()
    _, status = os.waitpid(child, 0)
    timer.cancel()
    assert status == 0, f"the forked child ended with status {status}"
    assert _is_right(backend), "the parent was disturbed by its child"


def _spawn(open_backend: Callable[[], ComputeBackend]) -> None:
    """Use the backend here and in a spawned child."""
    assert _is_right(open_backend())
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=_run_in_child, args=tuple(sys.argv[2:5]))
    child.start()
    child.join(CHILD_LIMIT_S)
    if child.is_alive():
        child.kill()
        child.join()
    assert child.exitcode == 0, f"the spawned child ended with {child.exitcode}"


def _run_in_child(module: str, name: str, file: str) -> None:
    assert _is_right(_find(module, name, file)())


def _threads(open_backend: Callable[[], ComputeBackend]) -> None:
    """Use one backend from eight threads at once, and four that four threads opened where they were not opened."""
    backend = open_backend()
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: _is_right(backend), range(64)))
    backend.close()
    with ThreadPoolExecutor(4) as pool:
        backends = list(pool.map(lambda _: open_backend(), range(4)))
    for backend in backends:
        assert _is_right(backend)
        backend.close()


_PROGRAMS: dict[str, Callable[[Callable[[], ComputeBackend]], None]] = {
    "exit-with-work-in-flight": _exit_with_work_in_flight,
    "fork": _fork,
    "spawn": _spawn,
    "threads": _threads,
}

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
