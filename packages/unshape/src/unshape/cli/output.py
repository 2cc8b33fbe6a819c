"""What verbs print: tables and progress; rich where it is installed and the output is a terminal, else plain."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unshape_core.progress import EvalProgress
    from unshape_core.protocols import ProgressSink


def print_json(value: Any) -> None:
    """Print a value as JSON, keys sorted, two spaces."""
    print(json.dumps(value, indent=2, sort_keys=True, default=str, allow_nan=False))


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table. Columns whose every cell is a number are set flush right.

    Parameters
    ----------
    headings : sequence of str
        One for each column.
    rows : sequence of sequence of str
        Cells; as many in each row as there are headings.
    """
    right = [bool(rows) and all(_is_number(row[i]) for row in rows) for i in range(len(headings))]
    if sys.stdout.isatty() and _print_rich(headings, rows, right):
        return
    widths = [max([len(headings[i]), *(len(row[i]) for row in rows)]) for i in range(len(headings))]
    for row in (headings, ["-" * width for width in widths], *rows):
        cells = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True))
        print("  ".join(cells).rstrip())


@contextmanager
def progress_bar(title: str) -> Iterator[ProgressSink | None]:
    """Show a progress bar on standard error while the body runs, if that is a terminal.

    Yields
    ------
    ProgressSink or None
        To be put into the context; None where nobody is looking.
    """
    if not sys.stderr.isatty():
        yield None
        return
    width = min(30, shutil.get_terminal_size().columns // 3)

    def show(event: EvalProgress) -> None:
        filled = width * event.done // max(event.total, 1)
        bar = "█" * filled + "░" * (width - filled)
        sys.stderr.write(f"\r\x1b[K{title} {bar} {event.done}/{event.total} {event.type_name}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def format_ns(duration_ns: int | None) -> str:
    """Return a duration for people: ``"1.23 ms"``; ``"?"`` if unknown."""
    if duration_ns is None:
        return "?"
    for unit, scale in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if duration_ns >= scale:
            return f"{duration_ns / scale:.3g} {unit}"
    return f"{duration_ns} ns"


def format_bytes(size_bytes: int | None) -> str:
    """Return a size for people: ``"1.5 MiB"``; ``"?"`` if unknown."""
    if size_bytes is None:
        return "?"
    for unit, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size_bytes >= scale:
            return f"{size_bytes / scale:.3g} {unit}"
    return f"{size_bytes} B"


def _print_rich(headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> bool:
    try:
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading, is_right in zip(headings, right, strict=True):
        table.add_column(heading, justify="right" if is_right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)
    return True


def _is_number(cell: str) -> bool:
    return bool(cell) and (cell[0].isdigit() or cell in {"?", "-"} or (cell[0] in "+-" and cell[1:2].isdigit()))
