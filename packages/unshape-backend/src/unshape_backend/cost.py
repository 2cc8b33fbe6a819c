"""Costs: what a step is estimated to take, and how well that is known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import ceil

from unshape_backend.capabilities import FigureSource, Throughput
from unshape_core.workload import WorkloadHint


class CostBasis(IntEnum):
    """How well a cost is known; lower is better."""

    MEASURED = 0
    DECLARED = 1
    PRIOR = 2

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """An estimate in integer nanoseconds. An unknown cost is ``None`` in place of a Cost, and ranks last.

    Parameters
    ----------
    compute_ns, launch_ns, transfer_ns : int
        Running, starting, and moving data.
    basis : CostBasis
        The weakest basis of the three.
    """

    compute_ns: int = 0
    launch_ns: int = 0
    transfer_ns: int = 0
    basis: CostBasis = CostBasis.PRIOR

    @property
    def total_ns(self) -> int:
        """Sum of the parts."""
        return self.compute_ns + self.launch_ns + self.transfer_ns

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            compute_ns=self.compute_ns + other.compute_ns,
            launch_ns=self.launch_ns + other.launch_ns,
            transfer_ns=self.transfer_ns + other.transfer_ns,
            basis=max(self.basis, other.basis),
        )


def roofline(work: WorkloadHint, throughput: Throughput | None, *, launches: int = 1) -> Cost | None:
    """Estimate a run by the roofline ``max(flops / rate, bytes / bandwidth) + launches * launch_ns``.

    Parameters
    ----------
    work : WorkloadHint
        How much there is to do. A figure that it leaves open is taken as one operation, or four bytes in and out, for
        each element, and makes the estimate a prior.
    throughput : Throughput or None
        How fast the device is.
    launches : int
        How many kernels are started.

    Returns
    -------
    Cost or None
        None if the throughput is unknown.

    Notes
    -----
    S. Williams, A. Waterman, D. Patterson: Roofline, CACM 52 (4), 2009. Nothing to do costs nothing: no kernel is
    launched for zero elements.
    """
    if throughput is None:
        return None
    if work.elements == 0:
        return Cost(basis=CostBasis.DECLARED)
    flops = work.elements if work.flops is None else work.flops
    read = 4 * work.elements if work.bytes_read is None else work.bytes_read
    written = 4 * work.elements if work.bytes_written is None else work.bytes_written
    is_stated = None not in {work.flops, work.bytes_read, work.bytes_written}
    is_declared = is_stated and throughput.source is FigureSource.MEASURED
    return Cost(
        compute_ns=ceil(max(flops / throughput.flops_per_ns, (read + written) / throughput.bytes_per_ns)),
        launch_ns=launches * throughput.launch_ns,
        basis=CostBasis.DECLARED if is_declared else CostBasis.PRIOR,
    )


def rank(cost: Cost | None) -> tuple[bool, int]:
    """Return a sort key by which an unknown cost comes after every known one."""
    return (True, 0) if cost is None else (False, cost.total_ns)


def format_ns(nanoseconds: int) -> str:
    """Return a duration for people: three digits and a unit.

    Examples
    --------
    >>> format_ns(950), format_ns(12_345), format_ns(4_500_000), format_ns(2_000_000_000)
    ('950 ns', '12.3 us', '4.5 ms', '2 s')
    """
    value = float(nanoseconds)
    for unit in ("ns", "us", "ms"):
        if value < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} s"
