"""Largest values of gradient noise by branch and bound in float64: a proof, up to rounding of float64.

Gradient noise at a point is a sum over lattice points of ``w(d)*(g . d)``, and every gradient may occur at every
lattice point, so its largest value is that of ``F = sum over lattice points of max over g of w(d)*(g . d)``. In a box
of radius ``r`` around a centre each term lies below its tangent plus ``H*r*r/2``, H a bound on its second derivatives.
The sum of largest tangents is convex, so that its maximum over the box is at a vertex. Boxes whose bound is above the
claim are halved until none is left.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_CHUNK = 2000


@dataclass(frozen=True)
class GradientNoise:
    """One kind of gradient noise, with unit gradients.

    ``weight(d)`` returns for offsets ``[..., dimensions]`` the weight ``[...]`` and its gradient ``[..., dimensions]``.
    """

    points: Array
    gradients: Array
    weight: Callable[[Array], tuple[Array, Array]]
    curvature: float
    low: tuple[float, ...]
    high: tuple[float, ...]


def has_bound(noise: GradientNoise, claim: float, *, max_boxes: int = 400_000) -> bool:
    """Whether no value is above the claim; False if that could not be shown with so many boxes."""
    low, high = np.array(noise.low), np.array(noise.high)
    cells = 16
    half = (high - low) / cells / 2
    grids = [lo + h * (2 * np.arange(cells) + 1) for lo, h in zip(low, half, strict=True)]
    centres = np.stack(np.meshgrid(*grids, indexing="ij"), axis=-1).reshape(-1, low.size)
    seen = 0
    while centres.size:
        seen += len(centres)
        if seen > max_boxes:
            return False
        if max(_values(noise, part).max() for part in _parts(centres)) > claim:
            return False
        bounds = np.concatenate([_bounds(noise, part, half) for part in _parts(centres)])
        open_boxes = centres[bounds > claim]
        half = half / 2
        centres = np.concatenate([open_boxes + half * np.array(s) for s in itertools.product((-1, 1), repeat=low.size)])
    return True


def largest_found(noise: GradientNoise) -> float:
    """A value that occurs, near the largest: a search on ever finer grids."""
    low, high = np.array(noise.low), np.array(noise.high)
    best, centre, span = -math.inf, (low + high) / 2, (high - low) / 2
    for _ in range(14):
        axes = [np.linspace(-s, s, 15) for s in span]
        at = centre + np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, low.size)
        values = np.concatenate([_values(noise, part) for part in _parts(np.clip(at, low, high))])
        if values.max() >= best:
            best, centre = float(values.max()), at[int(values.argmax())]
        span = span / 3
    return best


def _parts(centres: Array) -> list[Array]:
    return [centres[k : k + _CHUNK] for k in range(0, len(centres), _CHUNK)]


def _terms(noise: GradientNoise, at: Array) -> tuple[Array, Array]:
    """Values ``[n, points, gradients]`` and derivatives ``[n, points, gradients, dimensions]`` of all terms."""
    offsets = at[:, None, :] - noise.points
    weight, slope = noise.weight(offsets)
    along = offsets @ noise.gradients.T
    values = weight[..., None] * along
    derivatives = slope[:, :, None, :] * along[..., None] + weight[..., None, None] * noise.gradients
    return values, derivatives


def _values(noise: GradientNoise, at: Array) -> Array:
    values, _ = _terms(noise, at)
    result: Array = values.max(axis=2).sum(axis=1)
    return result


def _bounds(noise: GradientNoise, centres: Array, half: Array) -> Array:
    values, derivatives = _terms(noise, centres)
    bound = np.full(len(centres), -math.inf)
    for signs in itertools.product((-1.0, 1.0), repeat=half.size):
        tangents = values + derivatives @ (half * np.array(signs))
        bound = np.maximum(bound, tangents.max(axis=2).sum(axis=1))
    result: Array = bound + noise.curvature * float(half @ half) / 2
    return result


def unit_gradients(dimensions: int) -> Array:
    """The directions that the documentation states."""
    if dimensions == 2:
        angles = np.radians(11.25 + 22.5 * np.arange(16))
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)
    four = [
        (0.1762592, 0.40955282, 0.8950973),
        (0.3129653, 0.72032882, 0.61901462),
        (0.50844108, 0.82216187, 0.25600298),
        (0.93573009, 0.202464, 0.28882092),
    ]
    eight = four + [(y, x, z) for x, y, z in four]
    return np.array([np.multiply(g, s) for g in eight for s in itertools.product((1, -1), repeat=3)])


def perlin(dimensions: int) -> GradientNoise:
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=dimensions)))

    def weight(offsets: Array) -> tuple[Array, Array]:
        # The weight of a corner falls from 1 at it to 0 at a distance of 1 along each axis.
        t = 1.0 - np.abs(offsets)
        fade = t**3 * (t * (t * 6.0 - 15.0) + 10.0)
        slope = -30.0 * t * t * (t - 1.0) ** 2 * np.where(offsets < 0.0, -1.0, 1.0)
        whole = fade.prod(axis=-1)
        parts = [slope[..., k] * np.delete(fade, k, axis=-1).prod(axis=-1) for k in range(dimensions)]
        return whole, np.stack(parts, axis=-1)

    # |fade'| <= 15/8 and |fade''| <= 10/sqrt(3) give the largest first and second derivatives of the weight.
    first = math.sqrt(dimensions) * 15.0 / 8.0
    second = 10.0 / math.sqrt(3.0) + (dimensions - 1) * (15.0 / 8.0) ** 2
    curvature = len(corners) * (second * math.sqrt(dimensions) + 2.0 * first)
    return GradientNoise(
        corners, unit_gradients(dimensions), weight, curvature, (0.0,) * dimensions, (0.5,) * dimensions
    )


def simplex(dimensions: int) -> GradientNoise:
    if dimensions == 2:
        height = math.sqrt(0.75)
        lattice = np.array([(i - j / 2, j * height) for i in range(-2, 4) for j in range(-2, 4)])
        radius, low, high, per_point, at_once = 0.75, np.zeros(2), np.array([1.0, height]), 3.1, 3
    else:
        first = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=3)))
        lattice = np.concatenate([first, first + 0.5])
        radius, low, high, per_point, at_once = 0.5, np.zeros(3), np.full(3, 0.5), 0.76, 8
    distances = lattice - np.clip(lattice, low, high)
    lattice = lattice[(distances**2).sum(axis=1) < radius - 1e-9]

    def weight(offsets: Array) -> tuple[Array, Array]:
        q = np.maximum(radius - (offsets**2).sum(axis=-1), 0.0)
        return q**4, -8.0 * q[..., None] ** 3 * offsets

    # With q = radius - r*r the second derivatives of q**4*(g . d) are at most 48*q**2*r**3 + 24*q**3*r.
    r = np.linspace(0.0, math.sqrt(radius), 100_001)
    q = radius - r * r
    assert (48.0 * q**2 * r**3 + 24.0 * q**3 * r).max() < per_point
    return GradientNoise(
        lattice, unit_gradients(dimensions), weight, per_point * at_once, tuple(low.tolist()), tuple(high.tolist())
    )
