"""Fit the polynomials of the mathematical functions, or check those in use.

Each is a minimax fit in relative error of the function (Lawson's iteratively reweighted least squares on Chebyshev
points); then coefficient after coefficient, from the constant term up, is rounded to float32 and the rest fitted again.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from unshape_expr import polynomials

Array: TypeAlias = npt.NDArray[np.float64]
Function: TypeAlias = Callable[[npt.NDArray[Any]], npt.NDArray[Any]]

_LN2 = np.log(np.longdouble(2.0))
_POINTS = 500
_ITERATIONS = 200
_TOLERANCE = 1.05
"""How much larger than a fresh fit's the error of the coefficients in use may be (libraries round differently)."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One polynomial.

    Parameters
    ----------
    name : str
        Of the tuple in ``polynomials.py``.
    target : callable
        What the polynomial approximates.
    weight : callable
        The relative error of the function for an error of 1 of the polynomial.
    low, high : float
        The interval.
    is_even : bool
        Whether the polynomial is one of the square.
    """

    name: str
    target: Function
    weight: Function
    low: float
    high: float
    is_even: bool = False

    @property
    def coefficients(self) -> tuple[float, ...]:
        """The coefficients in use."""
        found: tuple[float, ...] = getattr(polynomials, self.name)
        return found


def _odd(name: str, function: Function, high: float) -> Fit:
    """Return the fit of ``f(x) = x + x^3*P(x^2)``."""
    return Fit(name, lambda x: (function(x) - x) / x**3, lambda x: x**3 / function(x), 1e-3, high, is_even=True)


_REDUCED_LOW, _REDUCED_HIGH = math.sqrt(0.5) - 1.000001, math.sqrt(2.0) - 0.999999
_QUARTER_PI = 0.7858  # a little above pi/4, for the rounding of the reduction
FITS = (
    Fit("EXP2", lambda f: np.expm1(f * _LN2) / f, lambda f: f / np.exp2(f), -0.5, 0.5),
    Fit("EXP", lambda f: (np.expm1(f) - f) / f**2, lambda f: f * f / np.exp(f), -0.34661, 0.34661),
    Fit(
        "LOG2",
        lambda z: np.log1p(z) / _LN2 / z - 1,
        lambda z: z / (np.log1p(z) / _LN2),
        _REDUCED_LOW,
        _REDUCED_HIGH,
    ),
    Fit("LOG", lambda z: (np.log1p(z) - z) / z**2, lambda z: z * z / np.log1p(z), _REDUCED_LOW, _REDUCED_HIGH),
    _odd("SIN", np.sin, _QUARTER_PI),
    Fit(
        "COS",
        lambda r: (np.cos(r) - 1 + r * r / 2) / r**4,
        lambda r: r**4 / np.cos(r),
        2e-2,
        _QUARTER_PI,
        is_even=True,
    ),
    _odd("TAN", np.tan, _QUARTER_PI),
    _odd("ASIN", np.arcsin, 0.5),
    _odd("ATAN", np.arctan, 1.0),
    _odd("SINH", np.sinh, 1.0),
    _odd("TANH", np.tanh, 0.625),
    Fit("CBRT", np.cbrt, lambda t: 1 / np.cbrt(t), 1.0, 8.0),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table of the fits; with ``--check``, 1 if coefficients in use are worse than fresh ones."""
    parser = argparse.ArgumentParser(prog="python -m tools.fit_polynomials", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 if the coefficients in use are not as good")
    parser.add_argument("--print", action="store_true", help="print fresh coefficients as Python")
    options = parser.parse_args(arguments)
    is_good = True
    for fit in FITS:
        fresh = fitted(fit, len(fit.coefficients))
        used_error, fresh_error = error_of(fit, fit.coefficients), error_of(fit, fresh)
        is_good = is_good and used_error <= _TOLERANCE * fresh_error
        print(f"{fit.name:5} {len(fresh):2} coefficients, relative error {used_error:.2e}, fresh fit {fresh_error:.2e}")
        if options.print:
            print(f"{fit.name} = {fresh}")
    return 1 if options.check and not is_good else 0


def error_of(fit: Fit, coefficients: Sequence[float]) -> float:
    """Return the largest relative error of the function on the interval, in exact arithmetic."""
    u, target, weight = _samples(fit)
    return float(np.max(np.abs(weight * (_powers(u, len(coefficients)) @ np.array(coefficients) - target))))


def fitted(fit: Fit, count: int) -> tuple[float, ...]:
    """Return that many float32 coefficients, the constant term first."""
    u, target, weight = _samples(fit)
    fixed: list[float] = []
    while len(fixed) < count:
        free = _minimax(u, target, weight, fixed=fixed, count=count)
        fixed.append(float(np.float32(free[0])))
    return tuple(fixed)


def _samples(fit: Fit) -> tuple[Array, Array, Array]:
    nodes = np.cos((np.arange(_POINTS) + 0.5) * np.pi / _POINTS)
    x = (fit.low + fit.high) / 2 + (fit.high - fit.low) / 2 * nodes
    if fit.low < 0 < fit.high:
        x = x[np.abs(x) > 1e-3 * (fit.high - fit.low)]
    wide = x.astype(np.longdouble)
    target, weight = (np.asarray(f(wide), np.float64) for f in (fit.target, fit.weight))
    return (x * x if fit.is_even else x), target, np.abs(weight)


def _powers(u: Array, count: int) -> Array:
    return np.vander(u, count, increasing=True)


def _minimax(u: Array, target: Array, weight: Array, *, fixed: Sequence[float], count: int) -> Array:
    """Return the free coefficients that make the largest weighted error smallest."""
    powers = _powers(u, count)
    rest = target - powers[:, : len(fixed)] @ np.array(fixed)
    free = powers[:, len(fixed) :]
    importance = np.ones_like(u)
    best_error, best = math.inf, np.zeros(free.shape[1])
    for _ in range(_ITERATIONS):
        scale = np.sqrt(importance) * weight
        found = np.linalg.lstsq(free * scale[:, None], rest * scale, rcond=None)[0]
        errors = np.abs(weight * (free @ found - rest))
        largest = float(errors.max())
        if largest < best_error:
            best_error, best = largest, found
        importance *= errors / largest + 1e-12
        importance /= importance.max()
    return best


if __name__ == "__main__":
    raise SystemExit(main())
