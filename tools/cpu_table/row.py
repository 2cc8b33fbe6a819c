"""Rows of the table: one kind of work, how we do it, and who else does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from unshape_backend.case import Case
from unshape_core.context import Precision
from unshape_core.value import Value

Run: TypeAlias = Callable[[], object]
MakeRun: TypeAlias = Callable[[Sequence[Value], int], Run]
"""Given the case's inputs and how many threads to use, what to time; outputs are allocated and code is compiled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Something else that does the same work.

    Parameters
    ----------
    name : str
        What it is called in the table.
    distribution : str
        Whose version is printed, and what ``pip install`` is told if it is missing.
    make : callable
        Raises ImportError if it is missing.
    must : mapping of str to float
        By instruction set, the ratio of the peer's time to ours that we want at least.
    must_on : mapping of int to float
        Other ratios for other numbers of threads, with the most capable instruction set.
    precision : {"exact", "fast"}
        Which of our runs the ratios are for.
    has_threads : bool
        Whether it can use more than one thread.
    """

    name: str
    distribution: str
    make: MakeRun
    must: Mapping[str, float] = field(default_factory=dict)
    must_on: Mapping[int, float] = field(default_factory=dict)
    precision: Precision = "exact"
    has_threads: bool = True

    def required(self, isa: str, threads: int, precision: Precision, *, is_best: bool) -> float | None:
        """Return the ratio that a run of ours must reach, or None."""
        if precision != self.precision:
            return None
        if threads == 1:
            return self.must.get(isa)
        return self.must_on.get(threads) if is_best else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of work.

    Parameters
    ----------
    work : str
        What it is called in the table.
    case : Case
        The node and its inputs, of the table's size.
    peers : tuple of Peer
        Who else does it.
    backend : {"simd", "cpu"}
        Which of our backends.
    is_memory_bound : bool
        Whether a second thread is not expected to help much.
    """

    work: str
    case: Case
    peers: tuple[Peer, ...]
    backend: str = "simd"
    is_memory_bound: bool = False
