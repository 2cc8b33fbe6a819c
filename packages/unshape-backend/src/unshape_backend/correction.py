"""Corrections: how far a device is from what is stated of it, as its measured tasks tell.

A task that was measured is priced by its own time. Of any other task there is the estimate of the backend, made of a
start and of work; each is off by about the same factor for all tasks of one device. The two factors are those under
which the estimates of the measured tasks come closest to their times, in the mean of the squared logarithms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
import numpy.typing as npt

from unshape_backend.cost import Cost, CostBasis

_FEWEST_TASKS = 4
_WIDEST = 64.0
_STEPS = 49


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """Two factors.

    Parameters
    ----------
    launch, compute : float
        What stated times of starting and of working are multiplied by.
    """

    launch: float
    compute: float

    def applied(self, cost: Cost) -> Cost:
        """Return an estimate as it is to be expected of the device; it is declared, since its figures are measured."""
        return Cost(
            compute_ns=round(cost.compute_ns * self.compute),
            launch_ns=round(cost.launch_ns * self.launch),
            transfer_ns=cost.transfer_ns,
            basis=CostBasis.DECLARED,
        )


def fit_correction(tasks: Sequence[tuple[int, int, int]]) -> Correction | None:
    """Return the factors for a device, None if too few of its tasks were measured.

    Parameters
    ----------
    tasks : sequence of (int, int, int)
        Stated launch and compute time, and the measured time, in nanoseconds.
    """
    known = [task for task in tasks if task[0] + task[1] > 0 and task[2] > 0]
    if len(known) < _FEWEST_TASKS:
        return None
    launch, compute, measured = (np.array(column, np.float64) for column in zip(*known, strict=True))
    low = high = 1.0
    for width in (_WIDEST, _WIDEST ** (4 / _STEPS)):  # a coarse grid of both factors, then a fine one around its best
        low, high = _best(launch, compute, measured, (low, high), width)
    return Correction(launch=low, compute=high)


def _best(
    launch: npt.NDArray[np.float64],
    compute: npt.NDArray[np.float64],
    measured: npt.NDArray[np.float64],
    centre: tuple[float, float],
    width: float,
) -> tuple[float, float]:
    """Return the best pair of a grid around a pair of factors."""
    steps = np.exp(np.linspace(-log(width), log(width), _STEPS))
    starts, works = steps * centre[0], steps * centre[1]
    estimate = starts[:, None, None] * launch + works[None, :, None] * compute
    error = np.mean(np.square(np.log(np.maximum(estimate, 1.0)) - np.log(measured)), axis=2)
    row, column = np.unravel_index(int(np.argmin(error)), error.shape)
    return float(starts[row]), float(works[column])
