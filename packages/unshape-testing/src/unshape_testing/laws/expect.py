"""What the laws expect of errors and of memory."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median

import numpy as np

from unshape_backend.errors import BackendClosedError
from unshape_backend.protocols import ComputeBackend
from unshape_core.errors import InvalidArgumentError
from unshape_core.memory_space import HOST

WARM_UP_RUNS = 3
PARTS = 5


@contextmanager
def refusal(what: str, *names: str) -> Iterator[None]:
    """Expect the block to be refused as an invalid argument.

    Parameters
    ----------
    what : str
        What the block does, for the message.
    *names : str
        What the error has to name.
    """
    with _raises(what, InvalidArgumentError, names):
        yield


@contextmanager
def closed(backend: ComputeBackend, what: str) -> Iterator[None]:
    """Expect the block to find the backend closed."""
    with _raises(f"{what} after close", BackendClosedError, (backend.id,)):
        yield


@contextmanager
def _raises(what: str, kind: type[Exception], names: Sequence[str]) -> Iterator[None]:
    caught: Exception | None = None
    try:
        yield
    except Exception as error:
        caught = error
    got = "no error" if caught is None else f"{type(caught).__name__}: {caught}"
    assert isinstance(caught, kind), f"{what}: expected {kind.__name__}, got {got}"
    for name in names:
        assert name in str(caught), f"{what}: expected the error to name '{name}', got {got}"


def live_bytes(backend: ComputeBackend) -> int:
    """Return what a backend holds once all work is done and garbage is collected; 0 for one in host memory."""
    backend.synchronize()
    gc.collect()
    return 0 if backend.capabilities.space == HOST else backend.memory().used_bytes


def assert_no_leak(work: Callable[[], object], *, runs: int, unit_bytes: int, held: Callable[[], int]) -> None:
    """Assert that work which is repeated holds no more memory afterwards, neither on the device nor on the host.

    The host is asked after each of some parts of the runs, and the median of what it grew in them counts: a leak makes
    it grow in all of them, but the interpreter's table of strings, which doubles by a megabyte, in one.

    Parameters
    ----------
    work : callable
        What is repeated.
    runs : int
        How often.
    unit_bytes : int
        Size of the values of one run; the host may grow by that of a few runs (caches), not by that of all.
    held : callable
        Returns what the device holds.
    """
    for _ in range(WARM_UP_RUNS):
        work()
    before = held()
    is_own = not tracemalloc.is_tracing()
    if is_own:
        tracemalloc.start()
    runs_of_part = -(-runs // PARTS)
    try:
        growths = [_growth(work, runs_of_part) for _ in range(PARTS)]
    finally:
        if is_own:
            tracemalloc.stop()
    after = held()
    assert after == before, f"the device held {before} bytes before {runs} runs and {after} after them"
    allowed = max(unit_bytes * runs_of_part // 10, 64 * 1024 // PARTS)
    grown = median(growths)
    assert grown <= allowed, (
        f"the host grew by {grown} bytes in {runs_of_part} runs of {unit_bytes} bytes each; in all parts: {growths}"
    )


def _growth(work: Callable[[], object], runs: int) -> int:
    """Return how many bytes of the host more are held after some runs than before."""
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(runs):
        work()
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - before


def picture(
    height_px: int, width_px: int, channels: int, *, seed: int = 7
) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Return a picture of ordinary numbers of both signs."""
    rng = np.random.default_rng(seed)
    return rng.normal(0, 2, (height_px, width_px, channels)).astype(np.float32)
