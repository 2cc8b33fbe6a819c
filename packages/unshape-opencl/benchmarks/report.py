"""Tables in Markdown whose rows are measured one by one: a row that fails says why, and the rest goes on."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence


def print_table(title: str, columns: Sequence[str], rows: Iterable[tuple[str, Callable[[], Sequence[str]]]]) -> None:
    """Print a table.

    Parameters
    ----------
    title : str
        Its heading.
    columns : sequence of str
        What stands above.
    rows : iterable of (str, callable)
        Name of each row, and what measures its other cells.
    """
    print(f"## {title}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for name, measure in rows:
        try:
            cells = list(measure())
        except Exception as error:  # a device may be unable to do one thing, and the others are worth knowing
            cells = [f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"]
        cells += [""] * (len(columns) - 1 - len(cells))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(flush=True)


def wall_us(call: Callable[[], object], *, rounds: int = 200, limit_s: float = 2.0) -> float:
    """Return the median wall time of a call, of as many rounds as fit the time."""
    call()
    times = []
    stop = time.perf_counter() + limit_s
    for _ in range(rounds):
        start = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - start)
        if time.perf_counter() > stop:
            break
    return statistics.median(times) / 1e3
